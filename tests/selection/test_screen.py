"""Growing candidates: one that tells most, then the rest, then pairs; copies are related but not grown."""

import numpy as np
import pytest

from terc.entropy.residuals import ResidualInstrument
from terc.entropy.splits import split
from terc.selection.screen import Screen
from terc.trajectories.data import Trajectories

N = 2000


def grown(states, actions, rng, units=None, fixed=(), alpha=0.01):
    data = Trajectories(states, actions, episodes=np.arange(N))
    look = ResidualInstrument.of(data, split(data.episodes, rng=rng), rng=rng)
    units = units or [(j,) for j in range(states.shape[1]) if (j,) not in fixed]
    # The residual of no prediction at all stands in for a network's: enough for these worlds.
    return Screen(look, units, fixed, alpha=alpha).grow(lambda given: look.action - look.action.mean(0))


@pytest.fixture
def normal(rng):
    return rng.standard_normal((N, 6))


def test_the_strongest_comes_first_and_noise_not_at_all(normal, rng):
    action = normal[:, 4] + 0.4 * normal[:, 1] + 0.5 * rng.standard_normal(N)
    found = grown(normal, action, rng)
    assert found.grown[:2] == ((4,), (1,))
    assert set(found.related) == {(1,), (4,)}


def test_a_copy_is_related_but_adds_nothing(normal, rng):
    normal[:, 2] = 3 * normal[:, 4] + 2
    found = grown(normal, (normal[:, 4] + rng.standard_normal(N) > 0).astype(int), rng)
    assert len(found.grown) == 1
    assert set(found.related) == {(2,), (4,)}


def test_a_pair_that_acts_only_together(normal, rng):
    found = grown(normal, (normal[:, 0] * normal[:, 5] > 0).astype(int), rng)
    assert set(found.grown) == set(found.related) == {(0,), (5,)}


def test_units_come_in_whole(normal, rng):
    action = normal[:, 4] + 0.5 * rng.standard_normal(N)
    found = grown(normal, action, rng, units=[(0, 4), (1,), (2, 3), (5,)])
    assert found.grown == ((0, 4),)


def test_what_is_fixed_is_known_from_the_start(normal, rng):
    normal[:, 2] = -normal[:, 4]
    action = (normal[:, 4] + normal[:, 0] + rng.standard_normal(N) > 0).astype(int)
    found = grown(normal, action, rng, fixed=((2,),))
    assert found.grown == ((0,),)


def test_noise_grows_nothing(rng):
    found = [grown(rng.standard_normal((N, 5)), rng.integers(0, 2, N), rng).grown for _ in range(8)]
    assert sum(map(bool, found)) <= 1
