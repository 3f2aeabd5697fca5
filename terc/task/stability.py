"""`stability`: would other agents, or another recording of this one, have given the same set?

Over several recordings: one selection of each. Over one recording: selections of random halves of its
episodes. A half drawn without replacement is a recording of half the length like any other, so the share of
halves that keep a variable estimates how often *a recording of half the length* keeps it. (Drawing as many
episodes as there are, with replacement, would put copies of an episode into the training data and into the
held-out data of one model, and count each copy as new evidence.) Halves share nothing but the recording: a
screening or a predictor that had seen other episodes would carry their luck into this half, and that luck is
what is asked about. So twenty halves cost about as much as ten selections of the whole.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from terc.checks import called_rightly, whole_number
from terc.errors import BadTypeError, BadValueError
from terc.parallel.backend import Backend
from terc.parallel.choose import choose_backend
from terc.progress import Report, reporting
from terc.seeding import generator
from terc.selection.result import Selection
from terc.selection.select import select
from terc.task.stable import HALVES, RECORDINGS, Stability
from terc.trajectories.data import Trajectories

RESAMPLES = 20
"""The luck of the draw of twenty halves is less than that of the recording itself."""
FEWEST_EPISODES = 16
"""A half of fewer cannot be held out in turn."""


@called_rightly
def stability(
    data: Trajectories | Iterable[Trajectories],
    resamples: int = RESAMPLES,
    *,
    n_jobs: int = 1,
    backend: str | Backend | None = None,
    seed: int = 0,
    progress: bool | Report = False,
    **options: Any,
) -> Stability:
    """How often each variable is kept, which sets occur, and which variables stand in for each other.

    Args:
        data: Several recordings, one per agent (a list, or one that `Trajectories.concat` made), or one
            recording, of which halves of the episodes are drawn.
        resamples: How many halves of one recording.
        n_jobs: Worker processes, over which the selections are spread; -1 for one per core.
        **options: Further arguments of `terc.select`, such as `alpha` or `estimator`.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> x = rng.integers(0, 2, (2000, 3))
        >>> data = Trajectories(x, x[:, 0] ^ x[:, 1], names=list("abc"), episodes=np.arange(2000) // 10)
        >>> found = stability(data, 4, estimator="plugin")
        >>> found.core, found["c"].frequency
        (('a', 'b'), 0.0)
    """
    parts, kind = _parts(data, resamples, seed)
    tasks = [(part, seed + number) for number, part in enumerate(parts)]
    work = partial(_selected, options=options)
    with reporting(progress) as report:
        report(0, len(tasks), "selections")
        spread = choose_backend(backend, n_jobs)
        found = spread.map(work, tasks, progress=lambda done, total: report(done, total, "selections"))
    return Stability.of(found, kind)


def _selected(task: tuple[Trajectories, int], options: dict[str, Any]) -> Selection:
    part, seed = task
    return called_rightly(select)(part, seed=seed, **options)


def _parts(data: object, resamples: int, seed: int) -> tuple[list[Trajectories], str]:
    """What is selected from, and what it is: recordings, or halves of one."""
    if isinstance(data, Trajectories):
        if (source := data.source) is None:
            return _halves(data, resamples, generator(seed)), HALVES
        recordings = [data.rows(source == k)._with(source=None) for k in np.unique(source)]
    elif isinstance(data, Iterable):
        recordings = list(data)
    else:
        recordings = [data]  # type: ignore[list-item]  # refused below
    if not all(isinstance(one, Trajectories) for one in recordings):
        raise BadTypeError(f"stability: wanted Trajectories or a list of them, got {type(data).__name__}.")
    if len(recordings) < 2:
        raise BadValueError(
            "stability: wanted at least two recordings, or one that is not in a list, to draw halves of."
        )
    _same_variables(recordings)
    return recordings, RECORDINGS


def _same_variables(recordings: Sequence[Trajectories]) -> None:
    for number, one in enumerate(recordings):
        if set(one.names) != set(recordings[0].names):
            strange = sorted(set(one.names) ^ set(recordings[0].names))[:10]
            raise BadValueError(
                f"stability: recordings must have the same variables; number {number} differs in {strange}."
            )


def _halves(data: Trajectories, resamples: int, rng: np.random.Generator) -> list[Trajectories]:
    """Random halves of the episodes, two by two: what one of a pair has, the other has not."""
    whole_number("stability", "resamples", resamples, least=2)
    count = data.n_episodes
    if count < FEWEST_EPISODES:
        raise BadValueError(
            f"stability: halves of a recording need at least {FEWEST_EPISODES} episodes, got {count}. Label "
            "the episodes (episodes=...), or record more."
        )
    halves: list[Trajectories] = []
    while len(halves) < resamples:
        first = np.zeros(count, dtype=bool)
        first[rng.permutation(count)[: count // 2]] = True
        halves += [data.rows(first[data.episodes]), data.rows(~first[data.episodes])]
    return halves[:resamples]
