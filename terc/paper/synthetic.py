"""Experiments on synthetic data: two data sets in which redundancy and synergy meet (section 7.3)."""

from functools import partial

from terc import figures, synthetic
from terc.paper.claims import Claim, Side, braces, consistent, counted, of_mine, often
from terc.paper.experiment import Experiment, Pictures
from terc.paper.gains import METHODS, OURS, PI, PRINTED, SEEK, UMFI, Gains, selection_of
from terc.paper.scale import Scale
from terc.paper.worlds import family
from terc.plurals import some
from terc.reporting.pictures import Picture
from terc.selection.result import Selection
from terc.store import Store, Task

FAMILIES = {"four_redundant": "Four Redundant Variables", "two_triplets": "Two Redundant Triplets"}
FIRST_SEED = 3_000
PLACE = "Fig. 1"


def _gains(name: str, number: int, scale: Scale) -> Gains:
    source = family(name, scale.steps, FIRST_SEED + number)
    words = f"{FAMILIES[name]}, data set {number + 1}"
    return Gains(f"synthetic/{name}/{number}", words, source, "synthetic")


def _tasks(scale: Scale, store: Store) -> list[Task]:
    return [
        task
        for name in FAMILIES
        for number in range(scale.data_sets)
        for task in _gains(name, number, scale).tasks(scale, seed=number)
    ]


def _of_family(name: str, scale: Scale, store: Store) -> list[Claim]:
    title, numbers = FAMILIES[name], range(scale.data_sets)
    chosen = {m: [selection_of(store, f"synthetic/{name}/{k}", m) for k in numbers] for m in METHODS}
    right = getattr(synthetic, name)(100).is_exact
    who = f"{some(scale.data_sets, 'data set')}, {scale.steps:,} steps, data seeds from {FIRST_SEED}"

    def exact(method: str) -> Side:
        kept = [one.kept for one in chosen[method]]
        other = sum(right(one.kept) for one in chosen[OURS])
        cause = f"Of the estimator: terc.select is right on {other} of the same data sets."
        return counted(map(right, kept), who + of_mine(chosen[method]), cause=cause,
                       extra=f"kept {often(map(braces, kept))}").by(method)  # fmt: skip

    def same(method: str) -> Side:
        kept = [one.kept for one in chosen[method]]
        cause = (
            f"{sum(map(right, kept))} of the {len(kept)} sets are smallest ones by the rule that made the "
            "data: they differ in which of several stand-ins they hold, and the rule prefers none."
        )
        return consistent([kept], who, cause=cause).by(method)

    def nothing(method: str) -> Side:
        kept = [one.kept for one in chosen[method]]
        return counted([not k for k in kept], who, cause=_scores(method, chosen[method]),
                       extra=f"kept {often(map(braces, kept))}").by(method)  # fmt: skip

    statement = f"{title}: TERC finds a minimal set that describes A."
    rows = [Claim(PLACE, statement, exact(PRINTED), exact(OURS))]
    rows += [Claim(PLACE, f"{title}: {m} finds no variable.", nothing(m), None) for m in (UMFI, PI, SEEK)]
    statement = f"{title}: TERC selects consistent variables across seeds."
    return [*rows, Claim("Section 7.1", statement, same(PRINTED), same(OURS))]


def _scores(method: str, chosen: list[Selection]) -> str:
    """What the scores that decided say of a method."""
    rows = [v for one in chosen for v in one.verdicts]
    kept = [v for v in rows if v.kept]
    if not kept:
        return ""
    least, most = min(kept, key=lambda v: v.gain - v.null_high), max(rows, key=lambda v: v.gain)
    meant = {
        UMFI: "by how much the out-of-bag accuracy of a forest rises when a variable joins the others, "
              "cleaned of what they share with it",
        PI: "the R2 that a ridge regression loses when a variable is shuffled",
        SEEK: "the share of the parts of the data in which a variable beats its knockoff",
    }[method]  # fmt: skip
    return (
        f"The score is {meant}: {len(kept)} of {len(rows)} clear their threshold, the least with "
        f"{least.gain:.4f} against {least.null_high:.4f}; the largest of all is {most.gain:.4f}."
    )


def _pictures(scale: Scale, store: Store) -> Pictures:
    found: Pictures = []
    for name, title in FAMILIES.items():
        sides = {m: selection_of(store, f"synthetic/{name}/0", m) for m in (PRINTED, UMFI, PI, SEEK)}
        kept = "; ".join(f"{method}: {braces(side.kept)}" for method, side in sides.items())
        words = f"The first data set. Bars with 95 % intervals, the red line decided. Kept by {kept}."
        draw = partial(figures.gain_bars, sides)
        found.append((PLACE, Picture(f"synthetic-{name}", title, words, draw)))
    return found


EXPERIMENT = Experiment(
    "synthetic",
    (_tasks,),
    lambda scale, store: [claim for name in FAMILIES for claim in _of_family(name, scale, store)],
    _pictures,
)
