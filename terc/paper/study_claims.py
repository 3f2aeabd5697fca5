"""What the paper says about the worlds that networks learn, beside what we measured in both columns."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np

from terc.paper.agents import agent_key, share_of
from terc.paper.claims import (
    AGREES,
    DIFFERS,
    OPEN,
    Claim,
    Side,
    amiss,
    both,
    consistent,
    counted,
    lacking,
    of_mine,
    often,
    seeds,
    short,
    shortened,
    unless_smaller,
)
from terc.paper.gains import OURS, PI, PRINTED, UMFI
from terc.paper.learning import learning_side
from terc.paper.quarters import READINGS, QuarterReading, quarter_selections, read, rising
from terc.paper.reading_claims import kept_side, noise_side, policies, read_side, worth
from terc.paper.set_readings import SETS, SetReading
from terc.paper.study import TERC, Study
from terc.plurals import some
from terc.selection.result import Selection


class WorldClaims(Study):
    """The claims of one world."""

    def claims(self) -> list[Claim]:
        """All claims."""
        keys, noise = ("secret keys", "decoys") if self.world.is_game else ("original variables", "noise")
        bars, learning = self.world.bars, "Fig. 3" if self.world.is_game else "Fig. 5"
        least = f"return of at least {self.world.expert:g}"
        rows: tuple[tuple[str, str, Callable[[str], Side]], ...] = (
            (bars, f"agents read all {keys} (by intervention)", self._read),
            (bars, f"TERC keeps all {keys} that the agent uses, given the others", self._kept_if_used),
            (bars, f"trained agents do not read {noise}", self._noise_read),
            (learning, "learning is faster on TERC's state than on all variables", self._learning),
            *((self.world.stages, words, side) for words, side in self._quarters()),
            ("Appendix", f"trained agents produce expert episodes ({least})", self._experts),
            ("Section 7.1", "TERC selects consistent variables across seeds", self._consistent),
        )
        found = [self._set(reading) for reading in SETS] + [self._claim(*row) for row in rows]
        return found + ([self._whole_updates()] if self.scale.thorough else [])

    def _claim(self, place: str, statement: str, side: Callable[[str], Side]) -> Claim:
        def trained(preset: str) -> Side:
            share = share_of(self.world, self.scale, preset) if preset == "paper" else 1.0
            cut = f"These agents got {share:.0%} of their training: a difference may be due to that alone."
            return unless_smaller(side(preset), cut if share < 1.0 else "")

        return both(place, f"{self.world.title}: {statement}", trained)

    def _smaller(self, method: str, chosen: Sequence[Selection]) -> str:
        """What was smaller than printed for a method that missed something; empty where that is no excuse."""
        blind = not all(one.config.get("updates", 1) for one in chosen)  # all actions the same
        if blind or not lacking([one.kept for one in chosen], self.wanted):
            return ""
        if method == PRINTED and self.scale.mine_batch is not None:
            return "b, N and runs of MINE are below the printed ones at this scale, which can hide variables."
        if method == UMFI and self.scale.forest_trees < self.world.trees:
            return "Forests have fewer trees and steps at this scale, which can hide variables."
        return ""

    def _who(self, count: int, preset: str) -> str:
        played = self.agents(preset)[0]["played"]
        return f"{some(count, 'agent')}, {played:,} steps, {seeds(count)}"

    def _set(self, reading: SetReading) -> Claim:
        holds = reading.in_game if self.world.is_game else reading.in_physics

        def side(preset: str) -> Side:
            by = reading.method or TERC[preset]
            chosen = self.selections(preset, by)
            kept = [one.kept for one in chosen]
            made = counted(
                [holds(names, self.wanted) for names in kept],
                self._who(len(kept), preset) + of_mine(chosen),
                cause=self._cause(preset, by, chosen),
                extra=reading.shown(kept, self.wanted),
            )
            return unless_smaller(made.by(by), self._smaller(by, chosen))

        words = reading.game if self.world.is_game else reading.physics
        return self._claim(self.world.bars, words, side)

    def _cause(self, preset: str, method: str, chosen: Sequence[Selection]) -> str:
        """What the same steps show by another method, and what the policies read by intervention."""
        kept = [one.kept for one in chosen]
        if method == OURS:
            gone = [r for one in chosen for r in one.removed if r.name in self.wanted]
            removed = often(f"{r.name} as {r.reason}" for r in gone)
            share = min(one.retained.value for one in chosen)
            held = "" if np.isnan(share) else f"; the kept hold {share:.1%} of the information or more"
            return f"Removed: {removed}{held}." if removed else ""
        if method == PI:
            return self._by_chance(preset, chosen)
        same = self.selections(preset, OURS)[: len(kept)]
        if not any(one.information > 0 for one in same):
            return "terc.select finds no information about the actions of these steps either."
        ours = amiss([one.kept for one in same], self.wanted)
        read = policies(self, preset, len(kept))
        crossed = [one.kept for one in self.selections("fast", PRINTED)] if method == PRINTED else []
        if crossed:
            read += f"; the same method on our first agent: {amiss(crossed, self.wanted)}"
        return f"terc.select on the same steps: {ours}. {read}."

    def _by_chance(self, preset: str, chosen: Sequence[Selection]) -> str:
        """What PI makes of shuffled actions, and by how much the right variables clear its threshold."""
        folder = agent_key(self.world.name, preset, 0)
        by_chance = float(np.mean(self.store[f"{folder}/pi-shuffled"]))
        rows = [v for one in chosen for v in one.verdicts if v.name in self.wanted and v.kept]
        least = min(rows, key=lambda v: v.gain - v.null_high, default=None)
        extra = float(np.mean([sum(name not in self.wanted for name in one.kept) for one in chosen]))
        score = (
            f" The least right score is {least.gain:.4f}, its threshold {least.null_high:.4f}."
            if least
            else ""
        )
        return (
            f"PI keeps {extra:.1f} other variables on average; with shuffled actions, by chance alone, "
            f"{by_chance:.1f} of all {len(self.names)}.{score}"
        )

    def _read(self, preset: str) -> Side:
        return read_side(self, preset, self._who(len(self.agents(preset)), preset))

    def _noise_read(self, preset: str) -> Side:
        return noise_side(self, preset, self._who(len(self.agents(preset)), preset))

    def _kept_if_used(self, preset: str) -> Side:
        chosen, lost = self.selections(preset, TERC[preset]), self.lost(preset)
        known = self._with_chances(lost) if preset == "fast" and not self.world.is_game else ""
        made = kept_side(
            self,
            preset,
            self._who(len(chosen), preset) + of_mine(chosen),
            known + self._cause(preset, TERC[preset], chosen),
        )
        return unless_smaller(made.by(TERC[preset]), self._smaller(TERC[preset], chosen))

    def _with_chances(self, lost: Sequence[dict[str, bool | None]]) -> str:
        """Whether more would be kept without the noise of drawing actions."""
        start, those = self.world.name, {k: set(names) for k, names in enumerate(lost) if names}
        kept = {k: self.store[f"{agent_key(start, 'fast', k)}/chances"] for k in those}
        known = [those[k] <= set(names) for k, names in kept.items() if names is not None]
        return f"Shown the chances of all actions it keeps them with {sum(known)} of {len(known)}. "

    def _learning(self, preset: str) -> Side:
        return learning_side(self, preset, self._who(len(self.agents(preset)), preset))

    def _quarters(self) -> Iterable[tuple[str, Callable[[str], Side]]]:
        readings = READINGS.get(self.world.name)
        if readings is None:
            words = "the actions depend on the secret keys more and more as training goes on"
            readings = (QuarterReading(words, rising(self.wanted)),)
        return [(reading.statement, partial(self._quarter, reading)) for reading in readings]

    def _quarter(self, reading: QuarterReading, preset: str) -> Side:
        agents = range(min(self.scale.quarter_agents, self.scale.agents_in(self.world.name, preset)))
        stages = [quarter_selections(self.store, agent_key(self.world.name, preset, k)) for k in agents]
        return read(reading, stages, self.scale.quarter_steps).by(OURS)

    def _experts(self, preset: str) -> Side:
        records = self.agents(preset)
        finals = ", ".join(short(one["final"]) for one in records)
        text = f"returns {finals} after {max(one['steps'] for one in records):,} steps"
        found = [one["expert_steps"] > 0 for one in records]
        before, after = (float(np.mean([_late(r["curve"], part) for r in records])) for part in (1, 0))
        cause = (
            f"Mean return in the last tenth of training {short(after)}, in the one before {short(before)}."
        )
        return counted(found, self._who(len(records), preset), cause=cause, extra=text).by("training")

    def _consistent(self, preset: str) -> Side:
        kept = [one.kept for one in self.selections(preset, TERC[preset])]
        common = set.intersection(*map(set, kept))
        some_keep = [name for name in self.names if any(name in k for k in kept) and name not in common]
        cause = f"Not in all: {often(name for names in kept for name in names if name in some_keep)}."
        if some_keep:
            cause += f" {worth(self, preset, some_keep[:2], kept)}"
        return consistent([kept], self._who(len(kept), preset), cause=cause).by(TERC[preset])

    def _whole_updates(self) -> Claim:
        found = self.store[f"{self.world.name}/whole-updates"]
        ends = {part: float(np.mean(found[part]["gain"])) for part in ("plateau", "all")}
        gap, name = abs(ends["plateau"] - ends["all"]), found["variable"]
        text = (
            f"{name}: {ends['plateau']:.4f} after {found['plateau']['updates']:,}, {ends['all']:.4f} after "
            f"{found['all']['updates']:,} updates"
        )
        if name in self.wanted:
            run = float(np.std(self.selections("paper", PRINTED)[0][name].repeats, ddof=1))
            text += f"; deviation of single runs {run:.4f}"
            cause = f"The two differ by {gap:.4f} nats."
            close = gap < max(0.01, 0.05 * abs(ends["all"]))
            verdict = AGREES if close else OPEN if gap < 2 * np.sqrt(2) * run else DIFFERS
        else:
            cause, verdict = f"{name} is a decoy: nothing is to be found of it, whatever N is.", OPEN
        who = f"1 agent, {found['steps']:,} steps, b = {found['batch']:,}, 1 run"
        side = Side(shortened(text), verdict, who, "" if verdict == AGREES else cause)
        statement = f"{self.world.title}: N updates and stopping at a plateau give the same Phi."
        return Claim("Appendix", statement, side.by(TERC["paper"]), None)


def _late(curve: Sequence[Sequence[float]], before: int) -> float:
    """Mean return in the last tenth of a training, or in one `before` it."""
    steps, returns = np.array(curve, float).T
    tenth = steps[-1] / 10
    part = (steps > steps[-1] - (before + 1) * tenth) & (steps <= steps[-1] - before * tenth)
    return float(returns[part].mean()) if part.any() else float(returns[-1])
