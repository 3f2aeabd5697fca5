"""The Iterated Prisoner's Dilemma against Tit-For-N-Tats (section 7.6): how long a history is needed?"""

from collections.abc import Callable
from functools import partial

import numpy as np

from terc import figures
from terc.paper.claims import (
    OPEN,
    Claim,
    Side,
    both,
    braces,
    consistent,
    counted,
    of_mine,
    often,
    seeds,
)
from terc.paper.dilemma import (
    LONGEST,
    key_of,
    methods_for,
    player_task,
    player_tasks,
    selection_tasks,
    stage_of,
)
from terc.paper.experiment import Experiment, Pictures
from terc.paper.gains import OURS, PI, PRINTED, UMFI, selection_of
from terc.paper.quarters import QuarterReading, Rise, quarter_selections, read
from terc.paper.reward_figure import reward_by_history
from terc.paper.scale import PRESETS, Scale
from terc.paper.study import TERC
from terc.paper.tables import table_task
from terc.plurals import some
from terc.reporting.pictures import Picture
from terc.store import Store, Task

OPTIMAL = 0.999
FIGURE, STAGES = "Fig. 10", "Fig. 12"
MEDIAN = "The learner with the median reward of those that all methods looked at"


class Dilemma:
    """The claims about the dilemma, as printed and ours."""

    def __init__(self, scale: Scale, store: Store) -> None:
        self.scale, self.store = scale, store

    def claims(self) -> list[Claim]:
        """All claims."""
        tats, claim = self.scale.tats, self._claim
        shown = ", ".join(map(str, self.scale.shown_tats))
        rows = [
            claim("TERC keeps exactly the last N - 1 pairs, for every N", self._sets),
            claim("the history length found is N - 1, for every N", self._lengths),
        ]
        for method in (UMFI, PI):
            words = f"{method} does not identify the last N - 1 pairs (N = {shown})"
            rows.append(claim(words, partial(self._baseline, method)))
        rows.append(claim("a history shorter than N - 1 never gives optimal play", self._too_short))
        for n in (n for n in (3, 10) if n in tats):
            rows.append(claim(f"TF{n}T: a history of {n - 1} is optimal", partial(self._long_enough, n)))
        words = "Q-learning on nine pairs learns the best play, for every N"
        rows.append(claim(words, self._learnt, "Appendix"))
        words = "the dilemma: TERC selects consistent variables across seeds"
        rows.append(claim(words, self._consistent, "Section 7.1"))
        words = "the last N - 1 pairs count more in the last quarter of training than in the first"
        return [*rows, claim(words, self._stages, STAGES)]

    def _claim(self, statement: str, side: Callable[[str], Side], place: str = FIGURE) -> Claim:
        return both(place, f"{statement[0].upper()}{statement[1:]}", side)

    def _who(self, preset: str, count: int | None = None) -> str:
        count = self.scale.dilemma_agents if count is None else count
        kind = "best play" if preset == "paper" else "one random move in ten"
        return f"{some(count, 'Q-learner')} per N, {self.scale.steps:,} steps, {seeds(count)}, {kind}"

    def _kept(self, preset: str, method: str, tats: int) -> list[tuple[str, ...]]:
        return [
            selection_of(self.store, key_of(tats, preset, seed), method).kept
            for seed in range(self.scale.dilemma_agents)
            if method in methods_for(self.scale, tats, preset, seed)
        ]

    def _sets(self, preset: str) -> Side:
        kept = {tats: self._kept(preset, TERC[preset], tats) for tats in self.scale.tats}
        exact = [names == wanted(tats) for tats, each in kept.items() for names in each]
        one = stage_of(self.scale)
        cause = self._orders("cycle") if preset == "paper" else self._surplus(kept)
        extra = f"TF{one}T: {often(map(braces, kept[one]), of=len(kept[one]))}"
        shown = [selection_of(self.store, key_of(one, preset, seed), TERC[preset])
                 for seed in range(self.scale.dilemma_agents)]  # fmt: skip
        who = self._who(preset) + of_mine(shown)
        return counted(exact, who, cause=cause, extra=extra).by(TERC[preset])

    def _orders(self, what: str) -> str:
        chances = self.store["theory/enumeration"][what]
        each = ", ".join(f"N = {tats}: {chance:.0%}" for tats, chance in chances.items())
        end = "ends there" if what == "cycle" else "keeps pair N - 1 and no older one"
        return f"Enumerated on the exact cycle, Algorithm 1 {end} in this share of all orders: {each}."

    def _surplus(self, kept: dict[int, list[tuple[str, ...]]]) -> str:
        pairs = [(names, wanted(tats)) for tats, each in kept.items() for names in each]
        more = often(n for names, right in pairs for n in names if n not in right)
        less = often(n for names, right in pairs for n in right if n not in names)
        return f"Kept beside them: {more or 'none'}; missed: {less or 'none'}. {self._tables(kept)}"

    def _tables(self, kept: dict[int, list[tuple[str, ...]]]) -> str:
        """What the learnt tables do with older pairs, where these were kept and where they were not."""
        found: dict[bool, list[float]] = {True: [], False: []}
        for tats, each in kept.items():
            for seed, names in enumerate(each):
                older = not set(names) <= set(wanted(tats))
                found[older].append(self.store[f"{key_of(tats, 'fast', seed)}/table"])
        ends = [f"{min(one):.2%} to {max(one):.2%}" if one else "none" for one in found.values()]
        return (
            "Known from the learnt tables, the last N - 1 pairs leave the best move open in this share of "
            f"the steps: {ends[0]} where an older pair was kept, {ends[1]} where not."
        )

    def _lengths(self, preset: str) -> Side:
        if preset == "paper":
            found = {t: [max((int(n[5:]) for n in k), default=0) for k in self._kept(preset, PRINTED, t)]
                     for t in self.scale.tats}  # fmt: skip
            cause = self._orders("oldest")
            method = PRINTED
        else:
            found = {t: [self.store[f"{key_of(t, preset, s)}/history-{f}"]["length"]
                         for f in ("rollout", "cycle") for s in range(self.scale.dilemma_agents)]
                     for t in self.scale.tats}  # fmt: skip
            half = {f: sum(self.store[f"{key_of(t, preset, s)}/history-{f}"]["length"] == t - 1
                           for t in self.scale.tats for s in range(self.scale.dilemma_agents))
                    for f in ("rollout", "cycle")}  # fmt: skip
            cause = f"{half['rollout']} of them with random moves, {half['cycle']} on the cycle."
            method = "terc.history_length"
        right = [length == tats - 1 for tats, each in found.items() for length in each]
        wrong = [f"TF{t}T {length}" for t, each in found.items() for length in each if length != t - 1]
        extra = f"others: {often(wrong, of=max(map(len, found.values())))}" if wrong else ""
        return counted(right, self._who(preset), cause=cause, extra=extra).by(method)

    def _baseline(self, method: str, preset: str) -> Side:
        kept = {tats: self._kept(preset, method, tats) for tats in self.scale.shown_tats}
        fails = [names != wanted(tats) for tats, each in kept.items() for names in each]
        extra = "; ".join(f"TF{t}T: {often(map(braces, each), of=len(each))}" for t, each in kept.items())
        who = self._who(preset, len(next(iter(kept.values()))))
        found = often(f"N = {t}" for t, each in kept.items() for names in each if names == wanted(t))
        cause = f"It identifies them for {found}."
        return counted(fails, who, extra=extra, cause=cause).by(method)

    def _rewards(self, preset: str, tats: int, history: int) -> list[float]:
        found = self.store[f"prisoners/{tats}/lengths-{PRESETS[preset]}"]
        return list(found["rewards"].get(str(history), []))

    def _learning_who(self, preset: str) -> str:
        steps = self.store[f"prisoners/{self.scale.tats[0]}/lengths-{PRESETS[preset]}"]["steps"]
        return f"{some(self.scale.players, 'Q-learner')} each, {steps:,} steps, {seeds(self.scale.players)}"

    def _too_short(self, preset: str) -> Side:
        short = [reward for tats in self.scale.tats for history in range(1, tats - 1)
                 for reward in self._rewards(preset, tats, history)]  # fmt: skip
        if not short:
            return Side("no length tried", OPEN, self._learning_who(preset)).by("training")
        held = [reward <= OPTIMAL for reward in short]
        extra = f"the best got {max(short):.3f} of the best reward"
        return counted(held, self._learning_who(preset), extra=extra).by("training")

    def _long_enough(self, tats: int, preset: str) -> Side:
        rewards = self._rewards(preset, tats, tats - 1)
        reached = self.store[f"{key_of(tats, 'fast', 0)}/agent"]
        cause = (
            f"A matter of training: our learner on nine pairs got {reached['reward']:.3f} with "
            f"{some(reached['tries'], 'training')} of {reached['steps']:,} steps."
        )
        held = [reward > OPTIMAL for reward in rewards]
        extra = f"mean {np.mean(rewards):.3f} of the best reward"
        return counted(held, self._learning_who(preset), cause=cause, extra=extra).by("training")

    def _learnt(self, preset: str) -> Side:
        each = {tats: [reward > OPTIMAL for reward in self._rewards(preset, tats, LONGEST)]
                for tats in self.scale.tats}  # fmt: skip
        found = [best for rewards in each.values() for best in rewards]
        agents = [self.store[f"{key_of(t, preset, s)}/agent"]
                  for t in self.scale.tats for s in range(self.scale.dilemma_agents)]  # fmt: skip
        missed = often(f"N = {tats}" for tats, rewards in each.items() for best in rewards if not best)
        longer = [one > OPTIMAL for t in self.scale.tats for one in self._rewards("fast", t, LONGEST)]
        more = f"; of ours, with more steps, {sum(longer)} of {len(longer)} learn it" * (preset == "paper")
        tries, steps = (max(one[name] for one in agents) for name in ("tries", "steps"))
        cause = (
            f"Not learnt: {missed}{more}. The play that is explained is the best of up to "
            f"{some(tries, 'training')} of up to {steps:,} steps and gets "
            f"{min(one['reward'] for one in agents):.3f} of the best reward or more."
        )
        extra = f"trainings needed {np.mean([one['tries'] for one in agents]):.1f}"
        return counted(found, self._learning_who(preset), cause=cause, extra=extra).by("training")

    def _consistent(self, preset: str) -> Side:
        kept = [self._kept(preset, TERC[preset], tats) for tats in self.scale.tats]
        cause = self._orders("cycle")
        if preset != "paper":
            cause = self._tables(dict(zip(self.scale.tats, kept, strict=True)))
        return consistent(kept, self._who(preset), cause=cause).by(TERC[preset])

    def _stages(self, preset: str) -> Side:
        one, agents = stage_of(self.scale), range(min(self.scale.quarter_agents, self.scale.dilemma_agents))
        stages = [quarter_selections(self.store, key_of(one, preset, seed)) for seed in agents]
        side = read(QuarterReading("", (Rise(wanted(one), "1", "4"),)), stages, self.scale.quarter_steps)
        return side.by(OURS)


def wanted(tats: int) -> tuple[str, ...]:
    """The last N - 1 pairs."""
    return tuple(f"pair_{k}" for k in range(1, tats))


def _pictures(scale: Scale, store: Store) -> Pictures:
    found: Pictures = []
    for tats in scale.shown_tats:
        for preset, whose in PRESETS.items():
            seed = _representative(scale, store, tats, preset)
            sides = {m: selection_of(store, key_of(tats, preset, seed), m) for m in (TERC[preset], UMFI, PI)}
            words = "; ".join(f"{method}: {braces(side.kept)}" for method, side in sides.items())
            title = f"Tit-For-{tats}-Tats: what each pair of moves is worth, {whose}"
            text = f"{MEDIAN} (seed {seed}); the red line decided. Kept by {words}."
            draw = partial(figures.gain_bars, sides)
            found.append((FIGURE, Picture(f"prisoners-{tats}-{whose}", title, text, draw)))
    one = stage_of(scale)
    network = selection_of(store, key_of(one, "fast", _representative(scale, store, one, "fast")))
    who = f"TF{one}T, play with one random move in ten"
    words = f"Parents of the action against {who}: {braces(network.kept)}."
    draw_network = partial(figures.bayesian_network, network)
    found.append((FIGURE, Picture("prisoners-network", "Bayesian network", words, draw_network)))
    for preset, whose in PRESETS.items():
        rewards = {t: store[f"prisoners/{t}/lengths-{whose}"]["rewards"] for t in scale.tats}
        by_pi = {t: selection_of(store, key_of(t, preset, 0), PI).kept for t in scale.tats}
        crosses = {t: max((int(name[5:]) for name in kept), default=0) for t, kept in by_pi.items()}
        text = (
            "Reward of the learnt play over 1,000 steps, as a share of the best. Stars: a history of N - 1. "
            "Crosses: the oldest pair that PI keeps. Lines span the learners; marks are the lengths tried."
        )
        title = f"Reward against length of history, {whose}"
        draw_rewards = partial(reward_by_history, rewards, crosses)
        found.append((FIGURE, Picture(f"prisoners-lengths-{whose}", title, text, draw_rewards)))
        seed = min(_representative(scale, store, one, preset), scale.quarter_agents - 1)
        quarters = quarter_selections(store, key_of(one, preset, seed))
        draw_stages, title = partial(figures.quarter_gains, quarters), f"TF{one}T through training, {whose}"
        words = f"The learner of seed {seed}: gains by quarter of training and at its end."
        found.append((STAGES, Picture(f"prisoners-quarters-{whose}", title, words, draw_stages)))
    return found


def _representative(scale: Scale, store: Store, tats: int, preset: str) -> int:
    """Seed of the learner with the median reward, among those that most methods looked at."""
    looked = {k: len(methods_for(scale, tats, preset, k)) for k in range(scale.dilemma_agents)}
    among = [seed for seed, count in looked.items() if count == max(looked.values())]
    among.sort(key=lambda seed: float(store[f"{key_of(tats, preset, seed)}/agent"]["reward"]))
    return among[len(among) // 2]


def _table_tasks(scale: Scale, store: Store) -> list[Task]:
    seeds = range(scale.dilemma_agents)
    return [table_task(player_task(scale, t, "fast", seed), t - 1) for t in scale.tats for seed in seeds]


EXPERIMENT = Experiment(
    "prisoners",
    (player_tasks, selection_tasks, _table_tasks),
    lambda scale, store: Dilemma(scale, store).claims(),
    _pictures,
)
