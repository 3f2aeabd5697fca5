"""What the paper says about the dilemma, beside what we measured."""

from __future__ import annotations

import numpy as np

from terc.paper.claims import AGREES, DIFFERS, PARTLY, Claim, braces, verdict_of
from terc.paper.gains import MINE, PI, UMFI, selection_of
from terc.paper.quarters import quarter_selections, through_training
from terc.paper.scale import Scale
from terc.store import Store

OPTIMAL = 0.999


def claims(scale: Scale, store: Store) -> list[Claim]:
    """All of them."""
    found = [_lengths_found(tats, scale, store) for tats in scale.tats]
    return [
        *found,
        _sets_on_the_cycle(scale, store),
        _sets_with_exploration(scale, store),
        _mine(scale, store),
        *(_baseline(method, scale, store) for method in (UMFI, PI)),
        _too_short(scale, store),
        *_long_enough(scale, store),
        _printed_steps(scale, store),
        _stages(scale, store),
    ]


def _wanted(tats: int) -> tuple[str, ...]:
    return tuple(f"pair_{k}" for k in range(1, tats))


def _lengths_found(tats: int, scale: Scale, store: Store) -> Claim:
    files, seeds = ("rollout", "cycle"), range(scale.agents)
    lengths = {f: [store[f"prisoners/{tats}/{s}/history-{f}"]["length"] for s in seeds] for f in files}
    every = [length == tats - 1 for each in lengths.values() for length in each]
    tries = [store[f"prisoners/{tats}/{s}/agent"]["tries"] for s in seeds]
    extra = f"with exploration {lengths['rollout']}, on the pure cycle {lengths['cycle']}"
    why = (
        f"Learners needed {max(tries)} trainings at most until one played the best cycle."
        if max(tries) > 1
        else ""
    )
    return Claim.counted(
        "Fig. 10 (A), (C)",
        f"TF{tats}T: the history length found is N - 1 = {tats - 1}.",
        every,
        "right",
        why,
        extra,
    )


def _sets_on_the_cycle(scale: Scale, store: Store) -> Claim:
    right, other = [], []
    for tats in scale.tats:
        for seed in range(scale.agents):
            kept = store[f"prisoners/{tats}/{seed}/orders"]
            right.append(tuple(kept["oldest first"]) == _wanted(tats))
            other.append(tuple(kept["latest first"]) == _wanted(tats))
    one, example = _example(scale, store)
    why = (
        "On the pure cycle single gains are zero and the pair N steps ago decides alone, so Algorithm 1 "
        f"depends on the order; against TF{one}T it keeps {braces(example['oldest first'])} or "
        f"{braces(example['latest first'])}."
    )
    ours = f"oldest pairs tried first: {sum(right)} of {len(right)}; latest first: {sum(other)}"
    verdict = verdict_of(right) if not all(right) or all(other) else PARTLY
    return Claim(
        "Fig. 10 (A)",
        "On optimal play TERC keeps exactly the last N - 1 pairs, for every N.",
        ours,
        verdict,
        why,
    )


def _example(scale: Scale, store: Store) -> tuple[int, dict[str, list[str]]]:
    """An opponent, TF4T if possible, against whom the order decides, and what it decides."""
    found = [(t, store[f"prisoners/{t}/{s}/orders"]) for t in scale.tats for s in range(scale.agents)]
    telling = [
        (tats, kept)
        for tats, kept in found
        if tuple(kept["oldest first"]) == _wanted(tats) != tuple(kept["latest first"])
    ]
    return min(telling or found, key=lambda pair: abs(pair[0] - 4))


def _sets_with_exploration(scale: Scale, store: Store) -> Claim:
    exact, covers = [], []
    for tats in scale.tats:
        for seed in range(scale.agents):
            kept = selection_of(store, f"prisoners/{tats}/{seed}").kept
            exact.append(kept == _wanted(tats))
            covers.append(set(kept) >= set(_wanted(tats)))
    why = (
        "Where it keeps more, the learnt table depends a little on older pairs in states it hardly ever saw."
        if not all(exact)
        else ""
    )
    return Claim.counted(
        "Fig. 10 (A), (B)",
        "The kept pairs are the last N - 1 (learnt play with one random move in ten; no order given).",
        exact,
        "exactly these",
        why,
        f"at least these in {sum(covers)}",
    )


def _mine(scale: Scale, store: Store) -> Claim:
    found = {tats: selection_of(store, f"prisoners/{tats}/0", MINE) for tats in scale.shown_tats}
    exact = [selection.kept == _wanted(tats) for tats, selection in found.items()]
    extra = "; ".join(f"TF{tats}T: {braces(selection.kept)}" for tats, selection in found.items())
    config = next(iter(found.values())).config
    why = (
        f"{config['runs']} runs, equal rows merged, {config['updates']:,} updates (median) of at most "
        f"{config['cap']:,}. The rule has no floor: what a learnt table does in rare states counts."
    )
    return Claim.counted("Fig. 10 (A)", f"The same ({MINE}).", exact, "exactly these", why, extra)


def _baseline(method: str, scale: Scale, store: Store) -> Claim:
    kept = {tats: selection_of(store, f"prisoners/{tats}/0", method).kept for tats in scale.shown_tats}
    fails = [names != _wanted(tats) for tats, names in kept.items()]
    extra = "; ".join(f"TF{tats}T: {braces(names)}" for tats, names in kept.items())
    return Claim.counted(
        "Fig. 10 (A)", f"{method} does not identify the last N - 1 pairs.", fails, "another set", "", extra
    )


def _rewards(preset: str, tats: int, history: int, store: Store) -> list[float]:
    return list(store[f"prisoners/{tats}/lengths-{preset}"]["rewards"].get(str(history), []))


def _too_short(scale: Scale, store: Store) -> Claim:
    short = [
        reward
        for tats in scale.tats
        for history in range(1, tats - 1)
        for reward in _rewards("fast", tats, history, store)
    ]
    optimal = sum(reward > OPTIMAL for reward in short)
    best = max(short) if short else float("nan")
    return Claim.checked(
        "Fig. 10 (C)",
        "A history shorter than N - 1 never gives optimal play.",
        f"{optimal} of {len(short)} learners optimal; the best got {best:.3f} of the best reward",
        optimal == 0,
    )


def _long_enough(scale: Scale, store: Store) -> list[Claim]:
    made = []
    for tats, where in (
        (3, "TF3T: a history of 2 suffices"),
        (10, "TF10T: of the lengths 1 to 9 only 9 is optimal"),
    ):
        if tats not in scale.tats:
            continue
        rewards = _rewards("fast", tats, tats - 1, store)
        good = sum(reward > OPTIMAL for reward in rewards)
        longer = _rewards("fast", tats, min(9, tats), store)
        ours = f"optimal in {good} of {len(rewards)} learners with {tats - 1} pairs"
        if tats < 10:
            ours += f", in {sum(r > OPTIMAL for r in longer)} with one more"
        tries = [store[f"prisoners/{tats}/{s}/agent"] for s in range(scale.agents)]
        why = (
            f"With more games and up to 5 trainings: {[round(t['reward'], 3) for t in tries]}."
            if tats == 10
            else ""
        )
        verdict = (
            AGREES
            if good == len(rewards)
            else PARTLY
            if good or any(t["reward"] > OPTIMAL for t in tries)
            else DIFFERS
        )
        made.append(Claim("Fig. 10 (C)", f"{where}.", ours, verdict, why))
    return made


def _printed_steps(scale: Scale, store: Store) -> Claim:
    shares = {
        tats: float(np.mean([r > OPTIMAL for r in _rewards("paper", tats, 9, store)])) for tats in scale.tats
    }
    each = ", ".join(f"N = {tats}: {share:.0%}" for tats, share in shares.items())
    mean = float(np.mean(list(shares.values())))
    return Claim(
        "Appendix, TFNT",
        "Q-learning with alpha 0.9 and 40,000 steps learns the best play (history 9).",
        f"learners that end up optimal: {mean:.0%} ({each})",
        AGREES if min(shares.values()) > 0.9 else PARTLY if mean > 0.5 else DIFFERS,
        "40,000 steps are too few for a table of 4^9 states; our selections use 200,000 steps of 32 games.",
    )


def _stages(scale: Scale, store: Store) -> Claim:
    one = 4 if 4 in scale.tats else scale.tats[0]
    stages = quarter_selections(store, f"prisoners/{one}/0")
    informed = [sum(max(0.0, v.gain) for v in stages[q].verdicts if v.kept) for q in ("1", "4")]
    return Claim.checked(
        "Fig. 12",
        f"Entropy flows from more of the last N - 1 pairs as training goes on (TF{one}T).",
        through_training(stages),
        informed[1] > informed[0],
        f"Gains of the kept pairs: first quarter {informed[0]:.3f} nats, last {informed[1]:.3f}.",
    )
