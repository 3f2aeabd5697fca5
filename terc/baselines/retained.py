"""One yardstick for kept sets, whoever chose them: the share of the action information that they hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from terc.entropy.choose import choose_estimator
from terc.entropy.plugin import PluginEstimator
from terc.entropy.predictive import PredictiveEstimator
from terc.seeding import generator
from terc.selection.bench import Bench, lay_out
from terc.selection.evidence import Question, Unit
from terc.selection.request import read_request
from terc.selection.result import Interval
from terc.selection.settings import Settings
from terc.trajectories.data import Trajectories

UNKNOWN = Interval(nan, nan, nan)


@dataclass(frozen=True)
class Holdings:
    """What each kept set holds.

    Attributes:
        shares: Per set the share of I(A; X), with its interval.
        information: I(A; X) in nats.
        action_entropy: H(A) in nats.
    """

    shares: tuple[Interval, ...]
    information: float
    action_entropy: float


def holdings(data: Trajectories, kept: Sequence[Iterable[str]], *, seed: int = 0) -> Holdings:
    """Share of I(A; X) that each of the sets in `kept` holds, by our own estimator on held-out steps.

    What a set loses is how much worse the action is predicted when all other columns are shuffled. All sets
    meet the same folds, so that their shares can be compared.

    Example:
        >>> from terc.synthetic import four_redundant
        >>> found = holdings(four_redundant(2000).data, [["x1", "x2", "x3"], ["x1", "x2"]])
        >>> [round(share.value, 1) for share in found.shares]
        [1.0, 0.0]
    """
    if len(np.unique(data.actions, axis=0)) == 1:
        return Holdings((UNKNOWN,) * len(kept), 0.0, 0.0)
    rng, wanted = generator(seed), Settings.of("auto", seed=seed)
    request, estimator = read_request(data, wanted, rng=rng), choose_estimator(data, "auto").estimator
    if not request.units or not isinstance(estimator, PluginEstimator | PredictiveEstimator):
        return Holdings((UNKNOWN,) * len(kept), 0.0, 0.0)
    bench = lay_out(data, request, estimator, wanted, rng=rng)
    sets = [tuple(unit for unit in request.units if data.names[unit[0]] in set(names)) for names in kept]
    total = bench.information(*(_columns(units) for units in sets), bench.columns)
    return Holdings(tuple(_shares(bench, sets, total)), total, bench.action_entropy)


def _shares(bench: Bench, sets: Sequence[tuple[Unit, ...]], total: float) -> list[Interval]:
    if total <= 0:
        return [UNKNOWN for _ in sets]
    units = bench.request.units
    questions = [Question(tuple(unit for unit in units if unit not in held), held) for held in sets]
    partial = [question for question in questions if question.removed]
    test = bench.loss_test(bench.level(bench.columns))
    lost = iter(test.ask(partial) if partial else ())
    shares = []
    for question in questions:
        if not question.removed:
            shares.append(Interval(1.0, 1.0, 1.0))
            continue
        evidence = next(lost)
        low, high = evidence.interval
        shares.append(
            Interval(*(float(np.clip(1 - nats / total, 0, 1)) for nats in (evidence.gain, high, low)))
        )
    return shares


def _columns(units: tuple[Unit, ...]) -> tuple[int, ...]:
    return tuple(column for unit in units for column in unit)
