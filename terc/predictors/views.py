"""`Views`: the held-out loss of the best mixture for any set of variables, each evaluated once."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from terc.arrays import Array
from terc.predictors.as_levels import AsLevels
from terc.predictors.base import Laid, Predictor, Problem, Spread, Subset
from terc.predictors.counts import Counts
from terc.predictors.encoding import Encoding
from terc.predictors.linear import Linear
from terc.predictors.mixture import (
    Evaluated,
    Inquiry,
    Named,
    Panel,
    answer,
    combined,
    in_workers,
    joined,
    mixed_answer,
    models_of,
    with_blind,
)
from terc.predictors.network import LONGER, TABLED, Network
from terc.predictors.panel import missed, panel_of, worthwhile
from terc.predictors.reconstruction import REBUILT, rebuilt
from terc.predictors.splits import Splits
from terc.predictors.target import Part, learnable, parts_of
from terc.predictors.trees import Trees
from terc.progress import silent

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories

PREDICTORS: tuple[Predictor, ...] = (
    Counts(), Linear(), Network(), AsLevels(Counts()), AsLevels(Network()), TABLED, LONGER, Trees(),
)  # fmt: skip
"""From the cheapest to the most expensive."""
TRIED_FIRST = ("network of levels", TABLED.name, "trees")
"""Expensive, and often no better than the others: tried on one fold. So is `LONGER`, after these."""
MOST_LONGER = 30
"""Columns up to which a longer training is tried: beyond, it overfits."""
STEPS_LONGER = 15_000
"""Steps up to which it is: with more, the short one is long enough."""

Wanted = tuple[Subset, Panel, bool]
"""Who is asked about a view, and whether for a first impression: on the fold `FIRST`."""
FIRST = (0,)
MANY = 6
"""Views from which each is one task of a worker; with fewer, each predictor that is asked is one."""


@dataclass(eq=False)
class Views:
    """Evaluated views of one data set on one split.

    Attributes:
        laid: The data.
        parts: The action.
        every: All predictors, from the cheapest to the most expensive.
        panel: Who is asked now; `choose` leaves out what the mixture of a part does not miss, but counts.
        needed: Names of those that the mixture of the view chosen last does miss.
        splits: Folds and clusters.
        spread: Where several predictors are asked at once.
        tick: Called with the number of views known so far.
        begun: First answers about a view on which workers are at work.
        rebuilt: For columns tried to rebuild from a view, the share that could not be; 0 where they were.
        plain: Each view by a panel alone, where `known` has the lowest bound that was found.
        halved: The same by models that learnt from half of the clusters.
    """

    laid: Laid
    parts: tuple[Part, ...]
    every: tuple[Predictor, ...]
    panel: Panel
    splits: Splits
    spread: Spread | None = None
    tick: Callable[[int], None] = silent
    needed: tuple[str, ...] = ()
    known: dict[Subset, Evaluated] = field(default_factory=dict, repr=False)
    chosen: dict[Subset, tuple[Panel, tuple[str, ...]]] = field(default_factory=dict, repr=False)
    begun: dict[Subset, Iterator[Named]] = field(default_factory=dict, repr=False)
    rebuilt: dict[tuple[Subset, Subset], float] = field(default_factory=dict, repr=False)
    plain: dict[tuple[Subset, Panel], Evaluated] = field(default_factory=dict, repr=False)
    halved: dict[tuple[Subset, Panel], Evaluated] = field(default_factory=dict, repr=False)
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
        parts = tuple(
            with_blind(laid, part, (Counts(), *predictors)) for part in parts_of(data, splits.folds)
        )
        return cls(laid, parts, predictors, (predictors,) * len(parts), splits, spread)

    def __getitem__(self, view: Iterable[int]) -> Evaluated:
        """The view, evaluated now if it was not before."""
        key = tuple(sorted(view))
        self.prepare([key])
        return self.known[key]

    def prepare(self, views: Iterable[Subset]) -> None:
        """Evaluate what has not been evaluated yet, in workers if there are any."""
        missing = [view for view in dict.fromkeys(views) if view not in self.known]
        if self.spread is not None and len(missing) >= MANY:
            work = partial(mixed_answer, self.laid, self.parts, self.panel)
            every: Iterable[Evaluated] = self.spread(work, missing)
        else:
            asked = self._asked((view, self.panel, False) for view in missing)
            every = (combined(self.parts, models) for models in asked)
        for view, found in zip(missing, every, strict=True):
            self.plain[view, self.panel] = found
            self._learn(view, found, self.panel)

    def evaluated(self, view: Subset, asked: Panel, laid: Laid | None = None) -> Evaluated:
        """One view by some panel; `laid` for other data of the same steps."""
        (models,) = self._asked([(view, asked, False)], laid)
        return combined(self.parts, models)

    def _learn(self, view: Subset, found: Evaluated, asked: Panel) -> bool:
        """Keep the lower of what was known of a view and what was found; whether the latter is."""
        old = self.known.get(view, found)
        lower = old is found or found.mean < old.mean
        both = zip(old.asked or asked, asked, strict=True)
        every = tuple(tuple(dict.fromkeys((*before, *now))) for before, now in both)
        self.known[view] = replace(found if lower else old, view=view, asked=every)
        self.tick(len(self.known))
        return lower

    def pair(self, left: Subset, gone: Subset) -> bool:
        """Bound `left` as `left` and `gone` together are bounded, without `gone`; whether that is lower.

        The best bound of the whole may be that of some of its variables, or of predictors that were not
        asked about what is left: neither is information that `gone` carries.
        """
        bound, before = self.best((*left, *gone)), self.best(left).mean
        fewer = tuple(j for j in bound.view if j not in gone)
        if fewer == bound.view:
            return False
        known = self.known[fewer].asked if fewer in self.known else ((),) * len(self.parts)
        if not all(set(some) <= set(before) for some, before in zip(bound.asked, known, strict=True)):
            self._learn(fewer, self.evaluated(fewer, bound.asked), bound.asked)
        for columns in sorted(c for (v, c), lacked in self.rebuilt.items() if v == bound.view and not lacked):
            self.rebuild(fewer, columns)
        return self.best(left).mean < before

    def best(self, view: Iterable[int]) -> Evaluated:
        """The smallest loss known of any subset of `view`: each bounds H(A given view) from above."""
        inside = set(view)
        known = [one for view, one in self.known.items() if inside.issuperset(view)]
        return min(known, key=lambda one: one.mean)

    def again(self, run: int) -> Views:
        """The same data in other folds and with another seed, by the same panel."""
        if run not in self.trained_again:
            seed = self.laid.seed + run
            splits = self.splits.anew(np.random.default_rng([seed, run]))
            laid = replace(self.laid, folds=splits.folds, partner=splits.partners(seed), seed=seed)
            bare = learnable([replace(part, blind=None) for part in self.parts], splits.folds)
            parts = tuple(with_blind(laid, part, (Counts(), *self.every)) for part in bare)
            self.trained_again[run] = Views(laid, parts, self.every, (), splits, self.spread)
        found = self.trained_again[run]
        # A part that cannot be learnt in these folds is not there.
        there = {id(part.target) for part in found.parts}
        both = zip(self.parts, self.panel, strict=True)
        found.panel = tuple(some for part, some in both if id(part.target) in there)
        return found

    def rebuild(self, view: Subset, columns: Subset, share: float = REBUILT) -> bool:
        """Evaluate `view` again with that share of `columns` rebuilt from it; whether its bound is lower."""
        if self.rebuilt.get((view, columns), 1.0) <= share:
            return False
        laid = rebuilt(self.laid, columns, view, share)
        self.rebuilt[view, columns] = 0.0 if laid else share
        if laid is None:
            return False
        self.prepare([view])
        whole = tuple(sorted((*view, *columns)))
        return self._learn(view, self.evaluated(whole, self.panel, laid), self.panel)

    def while_learning(self, view: Subset) -> tuple[Evaluated, Evaluated]:
        """A view by models that learn from half of the clusters, and from all, of the same panel."""
        key = view, self.panel
        if key not in self.halved:
            order = np.random.default_rng(self.laid.seed).permutation(self.splits.n_clusters)
            laid = replace(self.laid, taught=(order % 2 == 0)[self.splits.clusters])
            self.halved[key] = self.evaluated(view, self.panel, laid)
        if key not in self.plain:
            self.plain[key] = self.evaluated(view, self.panel)
        return self.halved[key], self.plain[key]

    def begin(self, view: Iterable[int]) -> None:
        """Workers that are idle begin with what `choose` will ask first about a view."""
        if self.spread is not None:
            key = tuple(sorted(view))
            inquiries = self._inquiries(self._first_questions(key)[1])
            self.begun[key] = in_workers(self.spread, self.laid, inquiries, begin=True)

    def choose(self, view: Iterable[int], *, tolerance: float, share: float = 0.0) -> None:
        """Ask every predictor about `view`, and from now on each part's counts and what it loses without.

        The most expensive ones are tried on one fold first, and asked about the others only in parts that
        gain by them. `LONGER` comes last, and only if the mixture needs a network of a shorter training.

        Args:
            view: Columns that are read.
            tolerance: Nats that the mixture may lose in all.
            share: Part of its gain over seeing nothing that it may lose, where that is more than `tolerance`.
        """
        key = tuple(sorted(view))
        if key in self.chosen:
            self.panel, self.needed = self.chosen[key]
            return
        tried, wanted = self._first_questions(key)
        models, *firsts = self._asked(wanted, found=self.begun.pop(key, None))
        carried = self[()].mean - combined(self.parts, models).mean
        tolerance = max(tolerance, share * carried)
        models = self._joined(key, models, dict(zip(tried, firsts, strict=True)), tolerance)
        left = missed(self.parts, models, tolerance)
        nets = any(name.startswith(Network.name) for found in left for name in found)
        if LONGER in self.every and nets and len(self.laid.folds) <= STEPS_LONGER and len(key) <= MOST_LONGER:
            (first,) = self._asked(self._impressions(key, [LONGER]))
            models = self._joined(key, models, {LONGER: first}, tolerance)
            left = missed(self.parts, models, tolerance)
        self.panel = panel_of(self.every, left)
        some = {name for found in left for name in found}
        self.needed = tuple(one.name for one in self.every if one.only(some) is not None)
        self.chosen[key] = self.panel, self.needed
        self._learn(key, combined(self.parts, left), self.panel)

    def _joined(
        self, view: Subset, models: list[Named], firsts: Mapping[Predictor, list[Named]], tolerance: float
    ) -> list[Named]:
        """The models, joined by those of predictors that a part gains by on one fold."""
        worth = worthwhile(self.laid, self.parts, models, firsts, tolerance)
        (more,) = self._asked([(view, worth, False)])
        return [found | extra for found, extra in zip(models, more, strict=True)]

    def _first_questions(self, view: Subset) -> tuple[list[Predictor], list[Wanted]]:
        """Predictors of which an impression is enough, and all that is asked first."""
        tried = [predictor for predictor in self.every if predictor.name in TRIED_FIRST]
        cheap = [one for one in self.every if one not in tried and one != LONGER]
        return tried, [(view, self._all(cheap), False), *self._impressions(view, tried)]

    def _all(self, predictors: Iterable[Predictor]) -> Panel:
        """Some predictors for every part."""
        return (tuple(predictors),) * len(self.parts)

    def _impressions(self, view: Subset, predictors: Iterable[Predictor]) -> list[Wanted]:
        return [(view, self._all([one]), True) for one in predictors]

    def _asked(
        self, wanted: Iterable[Wanted], laid: Laid | None = None, found: Iterator[Named] | None = None
    ) -> Iterator[list[Named]]:
        """For each view the models of every part of the action, by its panel; `found` if known already."""
        # What one forecasts who sees nothing is in every mixture (`Part.blind`): nobody is asked for it.
        wanted = [(view, panel if view else self._all(()), impression) for view, panel, impression in wanted]
        laid, inquiries = laid or self.laid, self._inquiries(wanted)
        # Other states would have to be sent first: to ask here takes less.
        if self.spread is None or laid.encoding is not self.laid.encoding:
            found = map(partial(answer, laid), inquiries)
        elif found is None:
            found = in_workers(self.spread, laid, inquiries)
        for _, panel, _ in wanted:
            yield [joined(itertools.islice(found, len(some))) for some in panel]

    def _inquiries(self, wanted: Iterable[Wanted]) -> list[Inquiry]:
        return [
            Inquiry(view, one, part, FIRST if impression else None, impression)
            for view, panel, impression in wanted
            for part, some in zip(self.parts, panel, strict=True)
            for one in some
        ]

    def importance(self, view: Subset, sets: Sequence[Subset]) -> Array:
        """Per step `[len(sets), n]`: what the mixture loses when a set of the view's columns is shuffled."""
        models = []
        for part, some in zip(self.parts, self.panel, strict=True):
            learners = [predictor for predictor in some if predictor.name != Counts.name]
            models.append(models_of(learners, Problem(self.laid, part, view, shuffled=sets)))
        plain, *moved = (combined(self.parts, models, which).losses for which in range(1 + len(sets)))
        return np.array([losses - plain for losses in moved]).reshape(len(sets), -1)
