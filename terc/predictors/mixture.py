"""The best mixture of several predictors: its held-out loss is the estimate of H(A given view)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from terc.arrays import Array
from terc.predictors.base import LEAST_CHANCE, Forecasts, Laid, Predictor, Problem, Spread, Subset
from terc.predictors.target import Forecast, Part

ROUNDS = 100
CONVERGED = 1e-3
"""Change of a weight below which an update ends the search; losses are then right to about 1e-6 nats."""
FASTER = 1.8
"""Exponent of an update; 1 is plain expectation maximisation, 2 would be the end of convergence."""
LEAST_WEIGHT = 3e-3
"""A model that has come below this is left out."""

Named = dict[str, list[Forecast]]
"""For each model its forecasts."""
Panel = tuple[tuple[Predictor, ...], ...]
"""For each part of the action the predictors that are asked."""


@dataclass(frozen=True, eq=False)
class Evaluated:
    """What the mixture for one view came to on held-out steps.

    Attributes:
        losses: `[n]`, nats; their mean bounds H(A given view) from above.
        residual: `[n, q]`, the action's columns less what was expected.
        mean: Mean loss, nats.
        view: The variables.
        asked: Those who were asked about them so far.
    """

    losses: Array
    residual: Array
    mean: float
    view: Subset = ()
    asked: Panel = ()


@dataclass(frozen=True, eq=False)
class Mixture:
    """Weighted forecasts of one part for one view.

    Attributes:
        names: Of the models.
        weights: `[models]`, which sum to one.
        losses: `[n]`, nats.
        residual: `[n, q]`, observed less expected.
        forecast: What the mixture expected.
    """

    names: tuple[str, ...]
    weights: Array
    losses: Array
    residual: Array
    forecast: Forecast


def mix(part: Part, forecasts: Mapping[str, Forecast]) -> Mixture:
    """The mixture with the smallest held-out loss, by expectation maximisation.

    Seeing nothing is one of its models, so that a view of nothing is like any other.
    """
    if part.blind is not None:
        forecasts = {"blind": part.blind, **forecasts}
    names = tuple(forecasts)
    rows = part.rows
    # What happened, once per level that it could have been: weight [m, K] and chance [models, m, K].
    happened = np.ones((len(rows), 1)) if part.is_number else part.target[rows].astype(np.float64)
    chance = np.stack([np.maximum(forecasts[name].chance[rows], LEAST_CHANCE) for name in names])
    weights = best_weights(chance, happened)
    mixed = np.tensordot(weights, chance, 1)
    if not part.is_number:
        mixed /= mixed.sum(1, keepdims=True)
    expected = np.tensordot(weights, np.stack([forecasts[name].expected[rows] for name in names]), 1)
    losses = -(happened * np.log(np.minimum(mixed, 1.0))).sum(1)
    residual = part.columns[rows] - expected[:, -part.columns.shape[1] :]
    spread = partial(_at_rows, rows, len(part.target))
    return Mixture(
        names, weights, spread(losses), spread(residual), Forecast(spread(mixed), spread(expected))
    )


def _at_rows(rows: Array, n: int, values: Array) -> Array:
    """`[n, ...]`, zero but for some rows."""
    out = np.zeros((n, *values.shape[1:]))
    out[rows] = values
    return out


def best_weights(chance: Array, happened: Array) -> Array:
    """Weights that maximise the mean log of the mixed chance of what happened."""
    hard = happened.shape[1] == 1 or bool((happened.max(1) >= 1).all())
    if hard:
        pick = happened.argmax(1) if happened.shape[1] > 1 else np.zeros(len(happened), int)
        flat, mass = chance[:, np.arange(len(pick)), pick], None
    else:
        flat, mass = chance.reshape(len(chance), -1), happened.ravel()
    weights, alive = np.full(len(flat), 1 / len(flat)), np.arange(len(flat))
    for update in range(ROUNDS):
        share = flat[alive] / (weights[alive] @ flat[alive])
        slope = share.mean(1) if mass is None else share @ mass / len(happened)
        # A step of expectation maximisation, made longer: the objective is concave and steps stay inside.
        after = weights[alive] * slope**FASTER
        after /= after.sum()
        change = np.abs(after - weights[alive]).max()
        weights[alive] = after
        if change < CONVERGED:
            break
        if update % 10 == 9:
            weights[weights < LEAST_WEIGHT] = 0
            alive = np.flatnonzero(weights)
    weights[weights < LEAST_WEIGHT] = 0
    return weights / weights.sum()


def joined(named: Iterable[Forecasts]) -> Named:
    """The models of several predictors."""
    return {name: forecasts for some in named for name, forecasts in some.items()}


def models_of(predictors: Iterable[Predictor], problem: Problem) -> Named:
    """What all of them forecast."""
    return joined(predictor.forecasts(problem) for predictor in predictors)


@dataclass(frozen=True, eq=False)
class Inquiry:
    """A predictor to ask about one part of the action.

    Attributes:
        view: Variables that it reads.
        predictor: The predictor.
        part: Of the action.
        only: Folds that are wanted; None for all.
        impression: Whether a first impression is enough.
    """

    view: Subset
    predictor: Predictor
    part: Part
    only: tuple[int, ...] | None = None
    impression: bool = False

    def in_pieces(self, n_folds: int) -> list[Inquiry]:
        """Fold by fold, where forecasts of one fold need none of another."""
        if self.only is not None or self.part.is_number or not self.predictor.by_fold:
            return [self]
        return [replace(self, only=(fold,)) for fold in range(n_folds)]


def answer(laid: Laid, inquiry: Inquiry) -> Named:
    """The models of one inquiry."""
    problem = Problem(laid, inquiry.part, inquiry.view, only=inquiry.only, impression=inquiry.impression)
    return models_of([inquiry.predictor], problem)


def mixed_answer(laid: Laid, parts: Sequence[Part], panel: Panel, view: Subset) -> Evaluated:
    """The mixture of a panel for one view."""
    asked = panel if view else ((),) * len(parts)
    both = zip(parts, asked, strict=True)
    return combined(parts, [models_of(some, Problem(laid, part, view)) for part, some in both])


def in_workers(
    spread: Spread, laid: Laid, inquiries: Sequence[Inquiry], *, begin: bool = False
) -> Iterator[Named]:
    """The answers in order; workers get whole inquiries first, folds of others fill the time that is left.

    With `begin` workers that are idle start now, not when the first answer is wanted.
    """
    pieces = [(k, piece) for k, one in enumerate(inquiries) for piece in one.in_pieces(laid.n_folds)]
    pieces.sort(key=lambda one: (one[1].only is not None, -one[0]))
    do, work = spread.begin if begin else partial(partial, spread), partial(answer, laid)
    return _put_together(pieces, do(work, [piece for _, piece in pieces]), len(inquiries))


def _put_together(
    pieces: Sequence[tuple[int, Inquiry]], answers: Callable[[], list[Named]], count: int
) -> Iterator[Named]:
    """The answers to so many inquiries, by those to their pieces."""
    done: dict[int, list[Named]] = {}
    for (k, _), found in zip(pieces, answers(), strict=True):
        done.setdefault(k, []).append(found)
    yield from (_added(done[k]) for k in range(count))


def _added(pieces: Sequence[Named]) -> Named:
    """The chances of levels in several folds: each piece has zeros in the folds of the others."""
    if len(pieces) == 1:
        return pieces[0]
    made: Named = {}
    for name in pieces[0]:
        by_set = zip(*(piece[name] for piece in pieces), strict=True)
        chances = [np.sum([one.chance for one in folds], axis=0) for folds in by_set]
        made[name] = [Forecast(chance, chance) for chance in chances]
    return made


def combined(parts: Sequence[Part], models: Sequence[Named], which: int = 0) -> Evaluated:
    """The mixtures of all parts together: losses add up by the chain rule."""
    mixed = [
        mix(part, {name: made[which] for name, made in found.items()})
        for part, found in zip(parts, models, strict=True)
    ]
    losses = np.sum([one.losses for one in mixed], axis=0)
    residual = np.concatenate([one.residual for one in mixed], axis=1).astype(np.float32)
    return Evaluated(losses, residual, float(losses.mean()))


def with_blind(laid: Laid, part: Part, predictors: Sequence[Predictor]) -> Part:
    """The part with the forecast of one who sees no variable, by the best mixture of every predictor.

    What a predictor knows of the shape of a density, or reads in the parts before, is no merit of a variable.
    """
    models = models_of(predictors, Problem(laid, part, ()))
    return replace(part, blind=mix(part, {name: made[0] for name, made in models.items()}).forecast)
