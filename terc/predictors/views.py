"""`Views`: the held-out loss of the best mixture for any set of variables, each evaluated once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from terc.arrays import Array
from terc.predictors.as_levels import AsLevels
from terc.predictors.base import Forecasts, Laid, Predictor, Problem, Spread, Subset
from terc.predictors.counts import Counts
from terc.predictors.encoding import Encoding
from terc.predictors.linear import Linear
from terc.predictors.mixture import Mixture, mix
from terc.predictors.network import LONGER, Network
from terc.predictors.reconstruction import rebuilt
from terc.predictors.splits import Splits
from terc.predictors.target import Forecast, Part, learnable, parts_of
from terc.predictors.trees import Trees

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories

Named = dict[str, list[Forecast]]
"""For each model its forecasts."""

PREDICTORS: tuple[Predictor, ...] = (
    Counts(), Linear(), Network(), AsLevels(Counts()), AsLevels(Network()), LONGER, Trees(),
)  # fmt: skip
"""From the cheapest to the most expensive."""
TRIED_FIRST = ("network of levels", "trees")
"""Expensive, and often no better than the others: tried on one fold. So is `LONGER`, after these."""
MOST_LONGER = 30
"""Columns up to which a longer training is tried: beyond, it overfits."""
STEPS_LONGER = 20_000
"""Steps up to which it is: with more, the short one is long enough."""


@dataclass(frozen=True, eq=False)
class Evaluated:
    """What the mixture for one view came to on held-out steps.

    Attributes:
        losses: `[n]`, nats; their mean bounds H(A given view) from above.
        residual: `[n, q]`, the action's columns less what was expected.
        mean: Mean loss, nats.
    """

    losses: Array
    residual: Array
    mean: float


@dataclass(eq=False)
class Views:
    """Evaluated views of one data set on one split.

    Attributes:
        laid: The data.
        parts: The action.
        every: All predictors, from the cheapest to the most expensive.
        predictors: Those that are asked now; `choose` leaves out what the mixture does not miss, but counts.
        splits: Folds and clusters.
        spread: Where several views are evaluated at once.
    """

    laid: Laid
    parts: tuple[Part, ...]
    every: tuple[Predictor, ...]
    predictors: tuple[Predictor, ...]
    splits: Splits
    spread: Spread | None = None
    known: dict[Subset, Evaluated] = field(default_factory=dict, repr=False)
    chosen: dict[Subset, tuple[Predictor, ...]] = field(default_factory=dict, repr=False)
    rebuilt: set[tuple[Subset, Subset]] = field(default_factory=set, repr=False)
    trained_again: dict[int, Views] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        data: Trajectories,
        splits: Splits,
        *,
        seed: int,
        predictors: tuple[Predictor, ...] = PREDICTORS,
        spread: Spread | None = None,
    ) -> Views:
        """Nothing evaluated yet."""
        taught = np.ones(len(data), dtype=bool)
        laid = Laid(Encoding.of(data), splits.context, splits.folds, splits.partners(seed), seed, taught)
        parts = tuple(_with_blind(laid, part, predictors) for part in parts_of(data, splits.folds))
        return cls(laid, parts, predictors, predictors, splits, spread)

    def __getitem__(self, view: Iterable[int]) -> Evaluated:
        """The view, evaluated now if it was not before."""
        key = tuple(sorted(view))
        self.prepare([key])
        return self.known[key]

    def prepare(self, views: Iterable[Subset]) -> None:
        """Evaluate what has not been evaluated yet, in workers if there are any."""
        missing = [view for view in dict.fromkeys(views) if view not in self.known]
        work = partial(evaluate, self.laid, self.parts, self.predictors)
        found = map(work, missing) if self.spread is None else self.spread(work, missing)
        self.known.update(zip(missing, found, strict=True))

    def best(self, view: Iterable[int]) -> Evaluated:
        """The smallest loss known of any subset of `view`: each bounds H(A given view) from above."""
        inside = set(view)
        known = [one for view, one in self.known.items() if inside.issuperset(view)]
        return min(known, key=lambda one: one.mean)

    def again(self, run: int) -> Views:
        """The same data in other folds and with another seed, by the predictors that are asked now."""
        if run not in self.trained_again:
            seed = self.laid.seed + run
            splits = self.splits.anew(np.random.default_rng([seed, run]))
            laid = replace(self.laid, folds=splits.folds, partner=splits.partners(seed), seed=seed)
            bare = learnable([replace(part, blind=None) for part in self.parts], splits.folds)
            parts = tuple(_with_blind(laid, part, self.every) for part in bare)
            self.trained_again[run] = Views(laid, parts, self.every, self.predictors, splits, self.spread)
        found = self.trained_again[run]
        found.predictors = self.predictors
        return found

    def rebuild(self, view: Subset, columns: Subset) -> bool:
        """Evaluate `view` again with `columns` rebuilt from it; whether that is a lower bound of its loss."""
        if (view, columns) in self.rebuilt:
            return False
        self.rebuilt.add((view, columns))
        laid = rebuilt(self.laid, columns, view)
        if laid is None:
            return False
        other = evaluate(laid, self.parts, self.predictors, tuple(sorted((*view, *columns))))
        better = other.mean < self[view].mean
        if better:
            self.known[view] = other
        return better

    def unlearnt(self, view: Subset) -> float:
        """Nats that more steps may still teach about a view, by what models of half of the clusters lose.

        Losses fall about as one over the root of the steps: this is what is left after the last doubling.
        """
        order = np.random.default_rng(self.laid.seed).permutation(self.splits.n_clusters)
        laid = replace(self.laid, taught=(order % 2 == 0)[self.splits.clusters])
        halved = evaluate(laid, self.parts, self.predictors, view).mean
        return max(0.0, halved - self[view].mean) / (2**0.5 - 1)

    def choose(self, view: Iterable[int], *, tolerance: float, share: float = 0.0) -> None:
        """Ask every predictor about `view`, and from now on only counts and what the mixture loses without.

        The most expensive ones are tried on one fold first, and asked about the others only if the mixture
        gains by them. `LONGER` comes last, and only if the mixture needs a network of a shorter training.

        Args:
            view: Columns that are read.
            tolerance: Nats that the mixture may lose in all.
            share: Part of its gain over seeing nothing that it may lose, where that is more than `tolerance`.
        """
        key = tuple(sorted(view))
        if key in self.chosen:
            self.predictors = self.chosen[key]
            return
        tried = [predictor for predictor in self.every if predictor.name in TRIED_FIRST]
        cheap = [one for one in self.every if one not in tried and one != LONGER]
        models, *firsts = self._asked(key, (cheap, None), *(([one], 1) for one in tried))
        carried = self[()].mean - _combined(self.parts, models).mean
        tolerance = max(tolerance, share * carried)
        models = self._with_worthwhile(key, models, dict(zip(tried, firsts, strict=True)), tolerance)
        left = self._missed(models, tolerance)
        short = len(self.laid.folds) <= STEPS_LONGER and any(name.startswith(Network.name) for name in left)
        if LONGER in self.every and short and len(key) <= MOST_LONGER:
            (first,) = self._asked(key, ([LONGER], 1))
            models = self._with_worthwhile(key, models, {LONGER: first}, tolerance)
            left = self._missed(models, tolerance)
        chosen = (predictor.only(left) for predictor in self.every)
        self.predictors = tuple(predictor for predictor in chosen if predictor is not None)
        self.chosen[key] = self.predictors
        evaluated = _combined(self.parts, models, left)
        # A bound that is known may only become lower: the view may have been rebuilt before.
        self.known[key] = min(self.known.get(key, evaluated), evaluated, key=lambda one: one.mean)

    def _with_worthwhile(
        self,
        view: Subset,
        models: list[Named],
        firsts: Mapping[Predictor, Sequence[Named]],
        tolerance: float,
    ) -> list[Named]:
        """The models, joined by those of predictors that the mixture gains by on one fold."""
        worth = [one for one, first in firsts.items() if self._gain_on_one_fold(models, first) > tolerance]
        if not worth:
            return models
        (more,) = self._asked(view, (worth, None))
        return [found | extra for found, extra in zip(models, more, strict=True)]

    def _missed(self, models: Sequence[Named], tolerance: float) -> list[str]:
        """The models without which the mixture loses, the most expensive tried for removal first; and counts.

        Counting costs next to nothing, and does not depend on the luck of a training.
        """
        left = list(dict.fromkeys(name for found in models for name in found))
        least = _combined(self.parts, models, left).mean
        for name in reversed(left):
            if name.startswith(Counts.name):
                continue
            fewer = [other for other in left if other != name]
            if _combined(self.parts, models, fewer).mean - least < tolerance:
                left = fewer
        return left

    def _asked(self, view: Subset, *groups: tuple[Sequence[Predictor], int | None]) -> list[list[Named]]:
        """For each group of predictors, asked about so many folds, the models of every part of the action."""
        tasks = [(one, part, folds) for some, folds in groups for part in self.parts for one in some]
        work = partial(_answer, self.laid, view)
        found = iter(map(work, tasks) if self.spread is None else self.spread(work, tasks))
        return [[_joined(next(found) for _ in some) for _ in self.parts] for some, _ in groups]

    def _gain_on_one_fold(self, models: Sequence[Named], more: Sequence[Named]) -> float:
        gain = 0.0
        for part, found, extra in zip(self.parts, models, more, strict=True):
            first = replace(part, rows=Problem(self.laid, part, ()).test_rows(0))
            if len(first.rows) == 0:
                continue
            without, beside = (
                _mixed(first, {name: made[0] for name, made in some.items()})
                for some in (found, found | extra)
            )
            gain += float((without.losses - beside.losses).sum() / (self.laid.folds == 0).sum())
        return gain

    def importance(self, view: Subset, sets: Sequence[Subset]) -> Array:
        """Per step `[len(sets), n]`: what the mixture loses when a set of the view's columns is shuffled."""
        learners = [predictor for predictor in self.predictors if predictor.name != Counts.name]
        models = [_models(learners, Problem(self.laid, part, view, shuffled=sets)) for part in self.parts]
        plain, *moved = (_combined(self.parts, models, which=which).losses for which in range(1 + len(sets)))
        return np.array([losses - plain for losses in moved]).reshape(len(sets), -1)


def evaluate(laid: Laid, parts: Sequence[Part], predictors: Sequence[Predictor], view: Subset) -> Evaluated:
    """One view by the mixture of `predictors`."""
    return _combined(parts, [_models(predictors, Problem(laid, part, view)) for part in parts])


def _answer(laid: Laid, view: Subset, asked: tuple[Predictor, Part, int | None]) -> Named:
    """The models of one predictor, for one part of the action."""
    predictor, part, folds = asked
    return _models([predictor], Problem(laid, part, view, folds=folds))


def _joined(named: Iterable[Forecasts]) -> Named:
    return {name: forecasts for some in named for name, forecasts in some.items()}


def _models(predictors: Iterable[Predictor], problem: Problem) -> Named:
    return _joined(predictor.forecasts(problem) for predictor in predictors)


def _combined(
    parts: Sequence[Part],
    models: Sequence[Named],
    names: Collection[str] | None = None,
    which: int = 0,
) -> Evaluated:
    """The mixtures of all parts together, of all models or of some: losses add up by the chain rule."""
    mixed = [
        _mixed(part, {k: made[which] for k, made in found.items() if names is None or k in names})
        for part, found in zip(parts, models, strict=True)
    ]
    losses = np.sum([one.losses for one in mixed], axis=0)
    residual = np.concatenate([one.residual for one in mixed], axis=1).astype(np.float32)
    return Evaluated(losses, residual, float(losses.mean()))


def _with_blind(laid: Laid, part: Part, predictors: Sequence[Predictor]) -> Part:
    """The part with the forecast of one who sees no variable, by the best mixture of every predictor.

    What a predictor knows of the shape of a density, or reads in the parts before, is no merit of a variable.
    """
    models = _models((Counts(), *predictors), Problem(laid, part, ()))
    return replace(part, blind=mix(part, {name: made[0] for name, made in models.items()}).forecast)


def _mixed(part: Part, models: Mapping[str, Forecast]) -> Mixture:
    """The best mixture of some models and of seeing nothing, so that a view of nothing is like any other."""
    return mix(part, models if part.blind is None else {"blind": part.blind, **models})
