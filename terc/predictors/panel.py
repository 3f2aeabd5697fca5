"""Who is asked about a part of the action: what its mixture does not gain by need not be asked again."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from terc.predictors.base import Laid, Predictor, Problem
from terc.predictors.counts import Counts
from terc.predictors.mixture import Named, Panel, mix
from terc.predictors.target import Part


def worthwhile(
    laid: Laid,
    parts: Sequence[Part],
    models: Sequence[Named],
    firsts: Mapping[Predictor, Sequence[Named]],
    tolerance: float,
) -> Panel:
    """The predictors by which the mixture gains more than `tolerance` on one fold, for parts that do.

    Args:
        laid: The data.
        parts: The action.
        models: What is mixed so far, for each part.
        firsts: For each predictor its models of the first fold.
        tolerance: Nats that do not matter.
    """
    worth: list[list[Predictor]] = [[] for _ in parts]
    for one, first in firsts.items():
        gains = [_gain(laid, *part) for part in zip(parts, models, first, strict=True)]
        for some, gain in zip(worth, gains, strict=True):
            if sum(gains) > tolerance and gain > tolerance / len(gains):
                some.append(one)
    return tuple(map(tuple, worth))


def _gain(laid: Laid, part: Part, models: Named, more: Named) -> float:
    """Nats per step of the first fold that the mixture of a part gains by more models."""
    first = replace(part, rows=Problem(laid, part, ()).test_rows(0))
    if len(first.rows) == 0:
        return 0.0
    without, beside = (
        mix(first, {name: made[0] for name, made in some.items()}) for some in (models, models | more)
    )
    return float((without.losses - beside.losses).sum() / (laid.folds == 0).sum())


def missed(parts: Sequence[Part], models: Sequence[Named], tolerance: float) -> list[Named]:
    """For each part the models without which it loses, the most expensive tried for removal first.

    All that goes costs less than `tolerance` in all. Counts stay: they cost next to nothing, and do not
    depend on the luck of a training.
    """
    left, lost = [dict(found) for found in models], 0.0
    loss = [_loss(part, found) for part, found in zip(parts, left, strict=True)]
    for name in reversed(list(dict.fromkeys(name for found in models for name in found))):
        if name.startswith(Counts.name):
            continue
        fewer = {k: dict(found) for k, found in enumerate(left) if name in found}
        for found in fewer.values():
            del found[name]
        costs = {k: _loss(parts[k], some) - loss[k] for k, some in fewer.items()}
        for k in sorted(costs, key=costs.__getitem__):
            if lost + costs[k] < tolerance:
                left[k], loss[k], lost = fewer[k], loss[k] + costs[k], lost + costs[k]
    return left


def _loss(part: Part, models: Named) -> float:
    return float(mix(part, {name: made[0] for name, made in models.items()}).losses.mean())


def panel_of(every: Sequence[Predictor], models: Sequence[Named]) -> Panel:
    """For each part the predictors of its models, and counts: they may say much about a smaller view."""
    return tuple(tuple(_left(every, found)) for found in models)


def _left(every: Sequence[Predictor], models: Named) -> Iterator[Predictor]:
    for one in every:
        left = one if one.name.startswith(Counts.name) else one.only(models)
        if left is not None:
            yield left
