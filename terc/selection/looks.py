"""Steps only as needed: a long recording is looked at in growing samples, until nothing is close to a floor.

With a floor on the effect some tens of thousands of steps decide almost everything. Each look has its share
of alpha, and the shares add up to alpha, so that looking again does not raise the error rate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories

FIRST_LOOK = 20_000
"""Steps of the first look; up to twice as many are looked at in one."""
GROWTH = 4
"""Each look has so many times the steps of the one before."""
FEWEST_EPISODES = 100
"""Where a sample would have fewer whole episodes, all of them are thinned instead."""


@dataclass(frozen=True, eq=False)
class Look:
    """A sample of the steps, and what it may spend.

    Attributes:
        data: The sample: whole episodes, or one step of each so many where episodes are few.
        share: Of alpha.
    """

    data: Trajectories
    share: float


def looks(data: Trajectories, *, steps: int | str | None, rng: np.random.Generator) -> Iterator[Look]:
    """Ever larger samples of `data`, the last at most `steps` long; whole episodes that were drawn stay in.

    Args:
        data: The recording.
        steps: Most steps to look at: a number, or None for all; "all" looks at all of them at once.
        rng: Draws the order of the episodes, and steps.

    Example:
        >>> from terc.trajectories.data import Trajectories
        >>> x = np.zeros((200_000, 1))
        >>> data = Trajectories(x, x[:, 0], episodes=np.arange(200_000) // 100)
        >>> [(len(look.data), look.share) for look in looks(data, steps=None, rng=np.random.default_rng(0))]
        [(20000, 0.5), (80000, 0.25), (200000, 0.25)]
    """
    most = len(data) if steps is None or isinstance(steps, str) else min(int(steps), len(data))
    sizes = [most]
    if steps != "all" and most > 2 * FIRST_LOOK:
        sizes = [FIRST_LOOK]
        while sizes[-1] * GROWTH < most:
            sizes.append(sizes[-1] * GROWTH)
        sizes.append(most)
    order = rng.permutation(data.n_episodes)
    for k, size in enumerate(sizes):
        # Half of what is left of alpha; the last look has all of it.
        yield Look(_sample(data, size, order, rng), 0.5 ** min(k + 1, len(sizes) - 1))


def _sample(data: Trajectories, size: int, order: np.ndarray, rng: np.random.Generator) -> Trajectories:
    """About `size` steps: the first episodes of `order`, or all episodes thinned."""
    if size >= len(data):
        return data
    count = max(1, round(size / len(data) * data.n_episodes))
    if count < FEWEST_EPISODES:
        return data.thinned(-(-len(data) // size), rng=rng)
    drawn = np.zeros(data.n_episodes, dtype=bool)
    drawn[order[:count]] = True
    return data.rows(drawn[data.episodes])
