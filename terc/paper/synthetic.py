"""Experiments on synthetic data: two data sets in which redundancy and synergy meet (section 7.3)."""

from __future__ import annotations

from functools import partial

from terc import figures, synthetic
from terc.paper.claims import Claim, different, updates_of
from terc.paper.experiment import Experiment
from terc.paper.gains import METHODS, MINE, OURS, PI, UMFI, Gains, selection_of
from terc.paper.scale import Scale
from terc.paper.sources import family
from terc.reporting.pictures import Picture
from terc.store import Store, Task

FAMILIES = {"four_redundant": "Four Redundant Variables", "two_triplets": "Two Redundant Triplets"}
FIRST_SEED = 3_000
WHY = {
    UMFI: "A forest learns the XOR of three: each variable adds to others that are cleaned of its copies.",
    PI: "A ridge regression cannot see an XOR; what clears the null model now and then is chance.",
}


def _gains(name: str, number: int, scale: Scale) -> Gains:
    source = family(name, scale.steps, FIRST_SEED + number)
    return Gains(
        f"synthetic/{name}/{number}", f"{FAMILIES[name]}, data set {number + 1}", source, "synthetic"
    )


def _tasks(scale: Scale, store: Store) -> list[Task]:
    return [
        task
        for name in FAMILIES
        for number in range(scale.data_sets)
        for task in _gains(name, number, scale).tasks(scale, seed=number)
    ]


def _claims(scale: Scale, store: Store) -> list[Claim]:
    return [claim for name in FAMILIES for claim in _of_family(name, scale, store)]


def _of_family(name: str, scale: Scale, store: Store) -> list[Claim]:
    where, title, numbers = "Fig. 1, 7.3.3", FAMILIES[name], range(scale.data_sets)
    chosen = {m: [selection_of(store, f"synthetic/{name}/{k}", m) for k in numbers] for m in METHODS}
    right = getattr(synthetic, name)(100).is_exact
    claims = []
    for method, why in ((OURS, ""), (MINE, updates_of(chosen[MINE][0].config))):
        kept = [s.kept for s in chosen[method]]
        statement = f"{title}: TERC finds a minimal set that describes A ({method})."
        claims.append(
            Claim.counted(where, statement, map(right, kept), "right", why, f"kept {different(kept)}")
        )
    for method in (UMFI, PI):
        kept = [s.kept for s in chosen[method]]
        statement = f"{title}: {method} finds no variable."
        none = (not names for names in kept)
        why = "" if not any(kept) else WHY[method]
        claims.append(Claim.counted(where, statement, none, "nothing kept", why, f"kept {different(kept)}"))
    return claims


def _pictures(scale: Scale, store: Store) -> list[Picture]:
    pictures = []
    for name, title in FAMILIES.items():
        sides = {method: selection_of(store, f"synthetic/{name}/0", method) for method in METHODS}
        kept = "; ".join(f"{method}: {different([side.kept])}" for method, side in sides.items())
        words = f"Scores on the first data set, 95 % intervals, the null model as threshold. Kept by {kept}."
        pictures.append(Picture(f"synthetic-{name}", title, words, partial(figures.gain_bars, sides)))
    return pictures


EXPERIMENT = Experiment("synthetic", "Synthetic data", (_tasks,), _claims, _pictures)
