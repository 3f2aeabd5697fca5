"""Where to look: what covariance of residuals proposes, and what the mixture of all variables follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from terc.arrays import Array
from terc.entropy.base import Subset
from terc.entropy.covariance import unit_p_value
from terc.entropy.evidence import Evidence, Level, Unit, columns_of, paired_evidence

if TYPE_CHECKING:
    from terc.entropy.residuals import ResidualInstrument
    from terc.predictors.views import Views

LARGER = ((3, False), (4, False), (2, True), (3, True))
"""Products that are looked at where no pair is sure: of so many columns, or of their waves."""


@dataclass(frozen=True)
class Numbers:
    """The numbers that steer a decision of the mixture.

    Attributes:
        instruments: Two of them look at each question, so each has half of alpha.
        orders: Residuals look at variables alone, in pairs and in threes, each with a third of their share;
            at pairs and threes as they are and as waves, each with half of that.
        trainings: Where folds differ by more than their steps explain, so many trainings decide.
        least_nats: Floor in nats over all steps: three are what a mixture of a few models can gain by luck.
        tolerance: Share of the floor that leaving out a predictor may cost.
        screen_alpha: Level at which a variable is proposed; generous, because the mixture decides.
        most_grown: Variables that screening proposes at most before the mixture is asked.
        most_missing: Variables that are tried at a time when something may be missing.
        most_tried: Variables that are tried where something is missing and nothing says what.
        near: A gain below so many floors may be luck, and one below so many times what a part of the
            variables does better than all may be the merit of that part: it is looked at once more.
        far: A gain of more floors is not made of what others nearly say: only a column that they say all but
            wholly is rebuilt then.
        clear: p-value below which a variable that the mixture of all follows is a candidate.
        fewest_ranked: From so many candidates on the weakest are tried together: to rank fewer costs as much
            as it saves.
        blocks: In so many blocks variables are shuffled first, to skip those that nothing follows.
    """

    instruments: int = 2
    orders: int = 3
    trainings: int = 3
    least_nats: float = 3.0
    tolerance: float = 0.3
    screen_alpha: float = 0.05
    most_grown: int = 40
    most_missing: int = 3
    most_tried: int = 8
    near: float = 4.0
    far: float = 10.0
    clear: float = 0.01
    fewest_ranked: int = 12
    blocks: int = 50

    @property
    def looks(self) -> int:
        """Tests that share alpha: residuals of one order are one of them."""
        return self.instruments * self.orders


def grown(
    residuals: ResidualInstrument, offered: Sequence[Unit], fixed: Sequence[Unit], numbers: Numbers
) -> tuple[list[Unit], set[Unit]]:
    """Units in the order in which residual covariance adds them, and all that were sure at some time."""
    added: list[Unit] = []
    seen: set[Unit] = set()
    # After a look at all, only what was sure there is looked at until it is used up: then again at all.
    pool: list[Unit] = []
    alpha = numbers.screen_alpha
    while len(added) < numbers.most_grown:
        given = columns_of((*fixed, *added))
        outside = [unit for unit in offered if unit not in added]
        pool = [unit for unit in pool if unit not in added]
        scores = residuals.scores(given, among=columns_of(pool) if pool else None)
        sure = [u for u in pool or outside if unit_p_value(scores.p_value, u) * len(offered) < alpha]
        if pool and not sure:
            pool = []
            continue
        pool = sure
        more: tuple[Unit, ...] = (max(sure, key=lambda u: scores.z[list(u)].max()),) if sure else ()
        if not more:
            more, sure = _together(residuals, given, outside, alpha)
            more = more or _larger(residuals, given, outside, alpha)
        if not more:
            break
        added += more
        seen.update(sure, more)
    return added, seen


def missed(
    residuals: ResidualInstrument,
    given: Subset,
    residual: Array,
    outside: Sequence[Unit],
    numbers: Numbers,
    *,
    loss: bool,
) -> list[tuple[Unit, ...]]:
    """What the residual of the kept ones' mixture covaries with: units, or else the surest pair of them.

    If neither, and all variables together surely do better, by more than the floor (`loss`), the likeliest.
    """
    scores = residuals.scores(given, residual)
    tests = len(outside) + len(given)
    chances = {unit: unit_p_value(scores.p_value, unit) * tests for unit in outside}
    likeliest = sorted(outside, key=lambda unit: chances[unit])
    sure: list[tuple[Unit, ...]] = [(u,) for u in likeliest if chances[u] < numbers.screen_alpha]
    if sure:
        return sure[: numbers.most_missing]
    pairs = residuals.products(given, residual, alpha=numbers.screen_alpha)[:1]
    if pairs or not loss:
        return [_units(pair.variables, outside) for pair in pairs]
    return [(unit,) for unit in likeliest[: numbers.most_tried]]


def followed(
    views: Views, kept: Sequence[Unit], left_out: Sequence[Unit], level: Level, numbers: Numbers
) -> list[Unit]:
    """What the mixture of all variables follows of the units left out, where it misses any: by halves."""
    everything = tuple(range(views.laid.encoding.codes.shape[1]))
    if not left_out or not _misses(views, kept, everything, level):
        return []
    views.choose(everything, tolerance=numbers.tolerance * level.floor)
    lost = _shuffled(views, everything, left_out, level, numbers.blocks)
    strong = [u for u, found in lost.items() if found.gain >= level.floor and found.p_value < numbers.clear]
    gain = {unit: lost[unit].gain if unit in lost else -1.0 for unit in left_out}
    order = sorted((unit for unit in left_out if unit not in strong), key=lambda unit: gain[unit])
    kept = (*kept, *strong)
    low, high = 0, len(order)
    middle = high
    while low < high:
        if _misses(views, (*kept, *order[middle:]), everything, level):
            high = middle - 1
        else:
            low = middle
        middle = (low + high + 1) // 2
    return [*order[low:], *strong]


def ranked(
    views: Views, units: Sequence[Unit], fixed: Sequence[Unit], level: Level, numbers: Numbers
) -> list[Unit]:
    """Units by what the mixture of all of them loses when one is shuffled; none where they are few."""
    if len(units) < numbers.fewest_ranked:
        return []
    lost = _shuffled(views, columns_of((*fixed, *units)), units, level, numbers.blocks)
    return sorted(units, key=lambda unit: lost[unit].gain if unit in lost else 0.0)


def _misses(views: Views, left: Sequence[Unit], everything: Subset, level: Level) -> bool:
    """Whether something is lost without all units that are not left."""
    views.prepare([columns_of(left)])
    difference = views.best(columns_of(left)).losses - views.best(everything).losses
    found = paired_evidence(difference, views.splits, level, "mixture")
    return found.p_value < level.alpha and found.gain >= level.floor


def _shuffled(
    views: Views, view: Subset, units: Sequence[Unit], level: Level, n_blocks: int
) -> dict[Unit, Evidence]:
    """What the mixture loses when a unit is shuffled; blocks of which it follows none are skipped."""
    size = max(1, len(units) // n_blocks)
    blocks = [tuple(units[start : start + size]) for start in range(0, len(units), size)]
    lost = views.importance(view, [columns_of(block) for block in blocks])
    seen = [unit for block, row in zip(blocks, lost, strict=True) if row.any() for unit in block]
    rows = lost if size == 1 else views.importance(view, seen)
    by_unit = zip(units if size == 1 else seen, rows, strict=True)
    return {unit: paired_evidence(row, views.splits, level, "mixture") for unit, row in by_unit}


def _together(
    residuals: ResidualInstrument, given: Subset, outside: Sequence[Unit], alpha: float
) -> tuple[tuple[Unit, ...], list[Unit]]:
    """The units of the surest pair and of those found with it that are sure beside it; and all that were."""
    added: tuple[Unit, ...] = ()
    seen: list[Unit] = []
    among: Subset | None = None
    while among is None or among:
        found = residuals.products(columns_of([given, *added]), alpha=alpha, among=among)
        pairs = [_units(product.variables, outside) for product in found]
        added += tuple(unit for pair in pairs[:1] for unit in pair if unit not in added)
        seen += [unit for pair in pairs for unit in pair if unit not in seen]
        among = columns_of([unit for unit in seen if unit not in added]) if pairs else ()
    return added, seen


def _larger(
    residuals: ResidualInstrument, given: Subset, outside: Sequence[Unit], alpha: float
) -> tuple[Unit, ...]:
    """The units of the surest product of three, of four, of two waves, of three: the first that is sure."""
    for order, waves in LARGER:
        if found := residuals.products(given, alpha=alpha / len(LARGER), order=order, waves=waves):
            return _units(found[0].variables, outside)
    return ()


def _units(columns: Sequence[int], units: Sequence[Unit]) -> tuple[Unit, ...]:
    return tuple(unit for unit in units if set(unit) & set(columns))
