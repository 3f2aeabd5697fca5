"""One yardstick for kept sets, whoever chose them: the share of the action information that they hold."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from terc.entropy.evidence import Terms
from terc.entropy.predictive import PredictiveEstimator
from terc.seeding import generator
from terc.selection.request import read_request
from terc.selection.result import Interval
from terc.selection.settings import Settings
from terc.selection.verdicts import retained
from terc.threads import one_thread
from terc.trajectories.data import Trajectories

UNKNOWN = Interval(np.nan, np.nan, np.nan)


@dataclass(frozen=True)
class Holdings:
    """What each kept set holds.

    Attributes:
        shares: Per set the share of I(A; X), with its interval.
    """

    shares: tuple[Interval, ...]
    information: float
    action_entropy: float


def holdings(data: Trajectories, kept: Sequence[Iterable[str]], *, seed: int = 0) -> Holdings:
    """Share of I(A; X) that each of the sets in `kept` holds, by our own estimator on held-out steps.

    What a set loses is how much worse the action is predicted from it than from the best set known. All sets
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
    request = read_request(data, wanted, rng=rng)
    if not request.units:
        return Holdings((UNKNOWN,) * len(kept), 0.0, 0.0)
    sets = [tuple(unit for unit in request.units if data.names[unit[0]] in set(names)) for names in kept]
    with one_thread():
        test = PredictiveEstimator().removal_test(data, Terms(units=len(request.units)), rng=rng)
        for units in sets:
            test.held(units)
        # Asked again: the best view of all is the yardstick of each.
        held = [test.held(units) for units in sets]
    shares = [
        retained(one, everything=len(s) == len(request.units)) for one, s in zip(held, sets, strict=True)
    ]
    first = held[0] if held else test.held(())
    if first is None:
        return Holdings((UNKNOWN,) * len(kept), 0.0, 0.0)
    return Holdings(tuple(shares), first.information, first.action_entropy)
