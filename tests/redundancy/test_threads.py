from dataclasses import dataclass

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import terc
from terc.entropy.base import Estimator

SEEN: list[int] = []


@dataclass(frozen=True)
class Listening(Estimator):
    """Writes down how many threads the arithmetic has."""

    def _losses(self, data, subsets, *, rng):
        SEEN.extend(library["num_threads"] for library in threadpool_info())
        return rng.random((len(subsets), 1, len(data)))


@pytest.mark.parametrize("asked", [terc.check_condition_1, terc.find_redundancy, terc.history_length])
def test_questions_of_redundancy_are_answered_in_one_thread(asked, rng):
    data = terc.Trajectories(rng.random((300, 2)), np.arange(300) % 2, episodes=np.arange(300) // 10)
    data = data.with_history(2) if asked is terc.history_length else data
    SEEN.clear()
    with threadpool_limits(limits=2):
        asked(data, **({"max_length": 2} if asked is terc.history_length else {}), estimator=Listening())
    assert set(SEEN) == {1}
