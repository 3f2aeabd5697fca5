"""The default test: the best mixture of predictors on held-out episodes, helped by covariance of residuals.

H(A given S) is at most the held-out loss of any predictor of A from S. So a loss of information shows as a
loss of the best mixture (`predictors.views`), and that decides whether it is material. Whether it is sure,
two instruments say, each with half of alpha: the difference of the two losses, summed by episode, and the
covariance of residuals (`entropy.residuals`), which sees links half as strong. Residuals also propose where
to look: which variables come first, and which are missing in the end.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from terc.arrays import Array
from terc.entropy.base import Held, RemovalTest, Repeating, Subset
from terc.entropy.echoes import Echoes
from terc.entropy.evidence import (
    Evidence,
    Level,
    Question,
    Terms,
    Unit,
    clustered_error,
    columns_of,
    only_luck_speaks_against,
    paired_evidence,
)
from terc.entropy.proposals import Numbers, followed, grown, missed, ranked
from terc.entropy.relations import by_residuals, looks_at, weighed
from terc.entropy.residuals import ResidualInstrument
from terc.predictors.base import Predictor
from terc.predictors.mixture import Evaluated, Panel
from terc.predictors.reconstruction import ALL_BUT, REBUILT
from terc.predictors.splits import Splits, split
from terc.predictors.target import parts_of
from terc.predictors.twins import twin_of
from terc.predictors.views import PREDICTORS, Views

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories


@dataclass(eq=False)
class MixtureTest(RemovalTest):
    """Questions of one selection, on one split, with every view evaluated once.

    Attributes:
        views: Held-out losses of the mixture.
        residuals: Covariance of residuals on the same split.
        splits: Folds and clusters.
        terms: What was asked for.
        level: What counts as sure and material.
        numbers: What steers decisions.
        repeats: What was found of echoes.
    """

    learns: ClassVar[bool] = True
    views: Views
    residuals: ResidualInstrument
    splits: Splits
    terms: Terms
    level: Level
    numbers: Numbers = field(default_factory=Numbers)
    twins: dict[tuple[Question, Panel], Evaluated | None] = field(default_factory=dict, repr=False)
    repeats: Echoes = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """No echo is known yet."""
        self.repeats = Echoes(self.views, self.residuals)

    @classmethod
    def of(
        cls,
        data: Trajectories,
        terms: Terms,
        *,
        rng: np.random.Generator,
        predictors: tuple[Predictor, ...] = PREDICTORS,
    ) -> MixtureTest:
        """The test for `data`; every predictor is asked about all variables before the first answer."""
        action = np.concatenate([part.columns for part in parts_of(data)], axis=1)
        splits = split(data.episodes, rng=rng, action=action)
        seed = int(rng.integers(2**62))
        views = Views.of(data, splits, seed=seed, predictors=predictors, spread=terms.spread)
        views.tick = terms.tick
        residuals = ResidualInstrument.of(
            data, splits, rng=rng, encoding=views.laid.encoding, spread=terms.spread
        )
        return cls(views, residuals, splits, terms, Level.of(terms, 0.0))

    @property
    def information(self) -> float:
        """I(A; X) by the best view so far, nats."""
        return max(0.0, self.views[()].mean - min(view.mean for view in self.views.known.values()))

    def ask(self, questions: Sequence[Question]) -> list[Evidence]:
        """One piece of evidence per question; all views of one call are evaluated together."""
        self._look_at_all()
        self.views.prepare(view for question in questions for view in self._views_of(question))
        return [self._evidence(question) for question in questions]

    def _views_of(self, question: Question) -> list[Subset]:
        """What is left, and the whole of it where that is not known to be much larger."""
        left, gone = question.other_columns, question.removed_columns
        only_left = len(question.removed) > 1 and len(gone) > len(left)
        return [left] if only_left else [left, columns_of([left, gone])]

    def _evidence(self, question: Question) -> Evidence:
        """What is lost; where something is, once more with what the others say of the removed."""
        found, left, gone = self._first_evidence(question), question.other_columns, question.removed_columns
        if len(question.removed) > 1:
            return found
        while self._may_be_of_others(found, left, gone) and self.views.pair(left, gone):
            found = self._first_evidence(question)
        share = ALL_BUT if 0 < self.numbers.far * self.level.floor <= found.gain else REBUILT
        if found.needed and self.views.rebuild(left, gone, share):
            found = self._first_evidence(question)
        return self._beside_twin(question, found) if found.needed else found

    def _may_be_of_others(self, found: Evidence, left: Subset, gone: Subset) -> bool:
        """Whether a gain is no larger than what a part of the variables may do better than all of them."""
        whole = (*left, *gone)
        better = self.views[whole].mean - self.views.best(whole).mean
        return found.needed and found.gain < self.numbers.near * max(self.level.floor, better)

    def _first_evidence(self, question: Question) -> Evidence:
        if (echo := self.repeats.known(question)) is not None:
            return echo
        left, gone = question.other_columns, question.removed_columns
        self.views.prepare([left])
        difference = self.views.best(left).losses - self.views.best((*left, *gone)).losses
        held = self.splits.hold(self.views.laid.encoding.numbers.only(gone).values)
        loss = paired_evidence(difference, self.splits, self.level, "mixture", held=held)
        if only_luck_speaks_against(loss, difference, self.splits, self.level, self.numbers.instruments):
            again = [self._trained_again(run, left, gone) for run in range(1, self.numbers.trainings)]
            loss = paired_evidence(difference, self.splits, self.level, "mixture", again, held=held)
        loss = replace(loss, p_value=min(1.0, self.numbers.instruments * loss.p_value))
        if self.level.passes(loss.gain, loss.p_value):
            return replace(loss, needed=True)
        scores = self.residuals.scores(left, self.views[left].residual, among=gone)
        bound = by_residuals(scores, gone, len(self.splits.folds), self.level, self.numbers.looks)
        # What covariance accounts for is a lower bound: above the floor it proves, below it says nothing.
        if bound.gain > loss.gain and self.level.passes(bound.gain, min(loss.p_value, bound.p_value)):
            return replace(bound.or_surer(loss), needed=True)
        larger = itertools.product(range(2, self.numbers.orders + 1), (False, True))
        for order, waves in larger if loss.gain >= self.level.floor else ():
            products = self.residuals.products(
                left, self.views[left].residual, alpha=self.level.alpha, order=order, among=gone, waves=waves
            )
            # Corrected for all products, each of which may keep as many units as it has columns; the level
            # corrects for all units once more.
            share = 2 * self.numbers.looks * order / self.level.tests
            if products:
                bound = replace(bound, p_value=min(bound.p_value, share * products[0].p_value))
        loss = loss.or_surer(bound)
        return replace(loss, needed=self.level.passes(loss.gain, loss.p_value))

    def _trained_again(self, run: int, left: Subset, gone: Subset) -> tuple[Array, Array]:
        """What is lost by models of another training, and its folds."""
        views, whole = self.views.again(run), tuple(sorted((*left, *gone)))
        views.prepare([left, whole])
        while views.pair(left, gone):
            pass
        if self.views.rebuilt.get((left, gone)) == 0:
            views.rebuild(left, gone)
        return views.best(left).losses - views.best(whole).losses, views.splits.folds

    def _beside_twin(self, question: Question, found: Evidence) -> Evidence:
        """The same evidence, unless values from other episodes would have gained as much."""
        if found.instrument != "mixture" or found.gain >= self.numbers.near * self.level.floor:
            return found
        whole = columns_of((*question.others, *question.removed))
        asked = self.views.best(whole).asked
        if (question, asked) not in self.twins:
            laid = twin_of(self.views.laid, question.removed_columns, self.splits.clusters)
            self.twins[question, asked] = self.views.evaluated(whole, asked, laid) if laid else None
        if (twin := self.twins[question, asked]) is None:
            return found
        by_chance = float((self.views[question.other_columns].losses - twin.losses).mean())
        if found.gain - max(0.0, by_chance) >= self.level.floor:
            return found
        return replace(found, needed=False, null_high=max(found.null_high, by_chance))

    def candidates(
        self, offered: Sequence[Unit], fixed: Sequence[Unit], *, related: bool
    ) -> tuple[Unit, ...]:
        """What screening proposes, and what else the mixture of all variables cannot do without.

        Without `related` in the order in which they came in, the last first: it carries least.
        """
        if not self.views.chosen:
            self.views.begin(range(self.residuals.n_variables))
        found, seen = grown(self.residuals, offered, fixed, self.numbers)
        self._look_at_all()
        chosen = [unit for unit in offered if unit in seen] if related else found[::-1]
        self._look_at(columns_of((*fixed, *chosen)))
        left_out = [unit for unit in offered if unit not in chosen]
        more = followed(self.views, (*fixed, *chosen), left_out, self.level, self.numbers)
        if more:
            chosen = [*more, *chosen]
            self._look_at(columns_of((*fixed, *chosen)))
        if related:
            chosen = [unit for unit in offered if unit in chosen]
        return tuple(chosen)

    def weakest_first(self, units: Sequence[Unit], fixed: Sequence[Unit]) -> list[Unit]:
        """In the order of what the mixture of all of them loses when one is shuffled."""
        return ranked(self.views, units, fixed, self.level, self.numbers)

    def missing(self, kept: Sequence[Unit], offered: Sequence[Unit]) -> tuple[Unit, ...]:
        """Units that the kept ones' residuals covary with, alone or in pairs, and that the mixture misses."""
        given = columns_of(kept)
        self._look_at(given)
        lost = self._lost(given)
        loss = lost.gain >= self.level.floor and lost.p_value < self.numbers.screen_alpha
        outside = [unit for unit in offered if unit not in kept]
        found = missed(self.residuals, given, self.views[given].residual, outside, self.numbers, loss=loss)
        questions = [Question(units, tuple(kept)) for units in found if units]
        answers = zip(questions, self.ask(questions), strict=True)
        return tuple(dict.fromkeys(unit for one, said in answers if said.needed for unit in one.removed))

    def beside(self, kept: Sequence[Unit], units: Sequence[Unit]) -> dict[Unit, Evidence]:
        """By covariance of residuals, one regression for all; by the mixture where that saw more."""
        scores, found = self.residuals.scores(columns_of(kept), self.views[columns_of(kept)].residual), {}
        for unit in units:
            question = Question((unit,), tuple(kept))
            found[unit] = by_residuals(scores, unit, len(self.splits.folds), self.level, self.numbers.looks)
            if (echo := self.repeats.known(question)) is not None:
                found[unit] = echo
            elif columns_of((*kept, unit)) in self.views.known:
                seen = replace(self._first_evidence(question), needed=False)
                # A gain within its own error is no sight of anything.
                found[unit] = max(found[unit], seen, key=lambda one: one.gain * (one.gain > one.error))
        return found

    def carried(self, givens: Sequence[Sequence[Unit]], units: Sequence[Unit]) -> list[dict[Unit, Evidence]]:
        """By covariance of residuals, alone and times what is given; no view is evaluated for it.

        Beside parts of a whole only units are looked at that are related to the whole.
        """
        columns, among = [columns_of(given) for given in givens], columns_of(units)
        if len(givens) > 1:
            whole = tuple(sorted({j for given in columns for j in given}))
            residual, alpha = self.views[whole].residual, self.numbers.screen_alpha
            among = self.residuals.related(whole, residual, alpha, among=among)
        known = [self.views.known.get(given) for given in columns]
        # No more can be left to say than all variables carry, less what the given ones do.
        most = [self.information - (0.0 if one is None else self.views[()].mean - one.mean) for one in known]
        looks = looks_at(self.residuals, among, columns, known)
        both = zip(looks, most, strict=True)
        return [weighed(self.level, units, look, max(0.0, nats)) for look, nats in both]

    def entropies(self, subsets: Sequence[Subset]) -> list[tuple[float, float]]:
        """The smallest loss known of each subset or of a part of it."""
        self._look_at_all()
        self.views.prepare(subsets)
        best = [self.views.best(subset) for subset in subsets]
        return [(one.mean, clustered_error(one.losses - one.mean, self.splits)) for one in best]

    def held(self, kept: Sequence[Unit]) -> Held:
        """The kept variables' own mixture against the best known of any view."""
        self._look_at_all()
        self.views.prepare([columns_of(kept)])
        return Held(self.information, self.views[()].mean, self._lost(columns_of(kept)), self.level.floor)

    def echoes(self, units: Sequence[Unit], fixed: Sequence[Unit]) -> Repeating:
        """By models that learn from half of the clusters."""
        may = self.repeats.search(self.ask, self.level, units, fixed)
        return Repeating(self.repeats.units, may)

    def _lost(self, view: Subset) -> Evidence:
        """What is lost without all that are not in the view, but for echoes."""
        gone = columns_of(self.repeats.units)
        others = [j for j in range(self.residuals.n_variables) if j not in gone]
        difference = self.views.best(view).losses - self.views.best(others).losses
        return paired_evidence(difference, self.splits, self.level, "mixture")

    def notes(self) -> list[tuple[str, str, str]]:
        """Which predictors the last view needed, and what the split costs."""
        names = ", ".join(self.views.needed) or "frequencies alone"
        text = f"held-out losses are of the best mixture of predictors: {names}."
        return [("fact", "predictors", text), *self.splits.doubts()]

    def _look_at_all(self) -> None:
        """Once, before anything else is evaluated."""
        if not self.views.chosen:
            self._look_at(range(self.residuals.n_variables))

    def _look_at(self, view: Sequence[int]) -> None:
        """Ask all predictors about a view; the floor follows what the best view carries."""
        least = self.numbers.least_nats / len(self.splits.folds)
        share = self.numbers.tolerance * Level.of(self.terms, 1.0).floor
        self.views.choose(view, tolerance=self.numbers.tolerance * max(self.level.floor, least), share=share)
        floor = Level.of(self.terms, self.information).floor
        self.level = replace(self.level, floor=floor if self.terms.min_effect == 0 else max(floor, least))
