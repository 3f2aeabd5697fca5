import numpy as np
import pytest

from terc.synthetic import FACTORED


@pytest.mark.parametrize("kind", FACTORED)
def test_a_world_is_what_it_says(kind):
    world = FACTORED[kind](500, seed=3)
    data = world.data
    assert len(data) == 500 and 12 <= len(data.names) <= 30 and data.n_episodes == 10
    assert {name for names in world.answers for name in names} <= set(data.names)
    assert np.ptp(data.rewards) > 0 and set(data.actions) == {0, 1, 2}
    assert FACTORED[kind](500, seed=3).data == data != FACTORED[kind](500, seed=4).data


def test_the_mass_moves_by_position_velocity_and_action_alone():
    data = FACTORED["gadgets"](2000).data
    rows = np.flatnonzero(np.diff(data.episodes) == 0)
    now = data.only(["position", "velocity"]).states
    columns = np.column_stack([now[rows], data.actions[rows] - 1, np.ones(len(rows))])
    weights, residual, *_ = np.linalg.lstsq(columns, now[rows + 1], rcond=None)
    assert np.allclose(weights[:3].T, [[0.95, 0.4, 0.0], [0.0, 0.8, 0.5]], atol=0.02)
    assert np.allclose(np.sqrt(residual / len(rows)), [0.05, 0.1], atol=0.01)
