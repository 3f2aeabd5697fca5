"""How dependence grew: the gain of each variable in each quarter of training, over several agents.

The variables are those that any agent needs in any quarter, chosen once, so that every quarter asks the same
question: what is lost without this one, beside the others? The agents are the sample: intervals and tests are
Student's, over agents.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from terc.arrays import Floats
from terc.entropy.evidence import ALPHA
from terc.errors import BadTypeError, BadValueError
from terc.progress import Report, reporting
from terc.selection.result import Selection
from terc.selection.select import select
from terc.task.trends import ThroughTraining, Trend
from terc.trajectories.data import Trajectories


def through_training(
    recordings: Trajectories | Iterable[Trajectories],
    names: Iterable[str] | None = None,
    *,
    alpha: float = ALPHA,
    seed: int = 0,
    progress: bool | Report = False,
    **options: Any,
) -> ThroughTraining:
    """The gains by quarter of training, with intervals over agents, and which of them grew or fell.

    Args:
        recordings: What each agent recorded through its training, one `Trajectories` per agent, best with
            `progress`. Of a single agent the intervals are those of its own gains.
        names: The variables to follow; None for those that any agent needs in any quarter.
        alpha: Chance that any variable is said to have grown or fallen that did not.
        **options: Further arguments of `terc.select`.
    """
    agents = _checked(recordings)
    quarters = [[part._with(source=None) for part in agent.quarters()] for agent in agents]
    total = 1 + 4 * len(agents)
    with reporting(progress) as report:
        report(0, total, "variables that any quarter needs")
        followed = _followed(quarters, names, {"alpha": alpha, "seed": seed, **options})
        found: list[Selection] = []
        for part in (part for agent in quarters for part in agent):
            report(1 + len(found), total, "gains by quarter")
            found.append(select(part.only(followed), keep=followed, alpha=alpha, seed=seed, **options))
    gains = np.array([[v.gain for v in one.verdicts] for one in found]).reshape(len(agents), 4, -1)
    errors = np.array([[(v.high - v.low) / 3.92 for v in one.verdicts] for one in found]).reshape(gains.shape)
    lines = [_trend(name, gains[:, :, j], errors[:, :, j]) for j, name in enumerate(followed)]
    return ThroughTraining(len(agents), alpha, _corrected(lines))


def _checked(recordings: object) -> list[Trajectories]:
    listed = [recordings] if isinstance(recordings, Trajectories) else recordings
    if not isinstance(listed, Iterable):
        raise BadTypeError(f"through_training: wanted a list of Trajectories, got {type(listed).__name__}.")
    agents = list(listed)
    if not agents:
        raise BadValueError("through_training: wanted at least one recording, got none.")
    if not all(isinstance(one, Trajectories) for one in agents):
        raise BadTypeError("through_training: wanted a list of Trajectories, one per agent.")
    return agents


def _followed(
    quarters: Sequence[Sequence[Trajectories]], names: Iterable[str] | None, options: dict[str, Any]
) -> tuple[str, ...]:
    if names is not None:
        return tuple(names)
    together = Trajectories.concat([part for agent in quarters for part in agent])
    kept = select(together, **options).kept
    if not kept:
        raise BadValueError("through_training: no agent depends on any variable in any quarter; give names=.")
    return kept


def _trend(name: str, gains: Floats, errors: Floats) -> Trend:
    """One variable, from its gains and their standard errors `[agents, 4]`."""
    from scipy.special import stdtr, stdtrit

    count = len(gains)
    change = gains[:, 3] - gains[:, 0]
    if count > 1:
        middle, freedom = gains.mean(0), float(count - 1)
        error = gains.std(0, ddof=1) / np.sqrt(count)
        spread = float(change.std(ddof=1) / np.sqrt(count))
    else:
        middle, freedom, error = gains[0], 1e6, errors[0]
        spread = float(np.hypot(errors[0, 0], errors[0, 3]))
    reach, grown = float(stdtrit(freedom, 0.975)), float(change.mean())
    chance = 2 * float(stdtr(freedom, -abs(grown) / spread)) if spread > 0 else float(grown == 0)
    ends = middle, middle - reach * error, middle + reach * error
    means, low, high = (tuple(each.tolist()) for each in ends)
    return Trend(name, means, low, high, grown, grown - reach * spread, grown + reach * spread, chance)


def _corrected(lines: Sequence[Trend]) -> tuple[Trend, ...]:
    """p-values corrected for the number of variables (Holm)."""
    ranked = sorted(lines, key=lambda line: line.p_value)
    times = np.array([line.p_value * (len(lines) - rank) for rank, line in enumerate(ranked)])
    corrected = dict(zip(ranked, np.minimum(1.0, np.maximum.accumulate(times)).tolist(), strict=True))
    return tuple(replace(line, p_value=corrected[line]) for line in lines)
