"""Same seed, same answer; any number of workers, any unit, any order of the episodes: the same kept set."""

import json
from dataclasses import replace

import numpy as np
import pytest

import terc
from terc import synthetic
from terc.entropy.predictive import PredictiveEstimator
from terc.networks.stack import Training
from terc.predictors.counts import Counts
from terc.predictors.linear import Linear
from terc.predictors.network import Network

QUICK = PredictiveEstimator(
    (Counts(), Linear(), Network(training=Training(hidden=16, batch=200, epochs=1, fewest_updates=60)))
)


def everything_but_time(selection):
    return json.dumps({**selection.to_dict(), "timings": None}, sort_keys=True)


@pytest.fixture(scope="module")
def world():
    """Two needed numbers and a copy, in 100 episodes of 5 steps, and noise."""
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, 500))
    action = (x - y + 0.4 * rng.standard_normal(500) > 0).astype(int)
    states = np.stack([x, y, 1 - 2 * x, rng.integers(0, 4, 500)], 1)
    names = ["x", "y", "copy", "level"]
    return terc.Trajectories(states, action, names=names, episodes=np.repeat(np.arange(100), 5))


@pytest.fixture(scope="module")
def selected(world):
    return terc.select(world, order=["copy"], seed=7)


def test_the_fixture_is_right(selected):
    assert selected.kept == ("x", "y")


def test_same_seed_same_everything(world, selected):
    assert everything_but_time(terc.select(world, order=["copy"], seed=7)) == everything_but_time(selected)


def test_random_order_is_part_of_the_seed(world):
    first, again = (terc.select(world, QUICK, order="random", seed=3) for _ in range(2))
    assert everything_but_time(first) == everything_but_time(again)


def test_the_caller_s_random_state_is_neither_read_nor_written(world):
    np.random.seed(0)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first = terc.select(world, QUICK, order=["copy"])
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002
    np.random.seed(1)  # noqa: NPY002
    assert everything_but_time(terc.select(world, QUICK, order=["copy"])) == everything_but_time(first)


def test_two_workers_give_the_same_numbers(world):
    one, two = (terc.select(world, QUICK, order=["copy"], n_jobs=n_jobs) for n_jobs in (1, 2))
    assert everything_but_time(one) == everything_but_time(two)


def test_any_back_end_gives_the_same_numbers(world):
    class Backwards:
        """Does the tasks in the wrong order and answers in the right one."""

        def map(self, function, tasks):
            done = [function(task) for task in reversed(list(tasks))]
            return done[::-1]

    plain, backwards = (terc.select(world, QUICK, order=["copy"], backend=b) for b in ("serial", Backwards()))
    assert everything_but_time(plain) == everything_but_time(backwards)


def test_the_unit_of_a_column_does_not_matter(world, selected):
    scales, shift = np.array([1e-6, 1e6, 1e3, 1e-6]), np.array([1e6, 0, -1e6, 1e6])
    data = terc.Trajectories(
        world.states * scales + shift, world.actions, names=world.names, episodes=world.episodes
    )
    other = terc.select(data, order=["copy"], seed=7)
    assert other.kept == selected.kept
    for row, reference in zip(other.verdicts, selected.verdicts, strict=True):
        assert row.gain == pytest.approx(reference.gain, abs=0.02)
        assert row.reason == reference.reason


def test_the_order_of_whole_episodes_does_not_matter(world, selected):
    order = np.random.default_rng(5).permutation(100)
    rows = np.concatenate([np.flatnonzero(world.episodes == episode) for episode in order])
    data = terc.Trajectories(
        world.states[rows], world.actions[rows], names=world.names, episodes=world.episodes[rows]
    )
    assert terc.select(data, order=["copy"], seed=7).kept == selected.kept


def test_the_order_of_the_columns_does_not_matter_to_the_last_digit(world):
    plain = terc.select(world, QUICK)
    moved = terc.select(world.only(["copy", "x", "level", "y"]), QUICK)
    assert moved.names == ("copy", "x", "level", "y")
    for name in world.names:
        assert moved[name] == replace(plain[name], given=moved[name].given)
        assert set(moved[name].given) == set(plain[name].given)


def test_numbers_and_names_of_actions_are_the_same(world):
    texts = np.where(world.actions == 1, "right", "left")
    renamed = terc.Trajectories(world.states, texts, names=world.names, episodes=world.episodes)
    by_number, by_name = (terc.select(data, QUICK, order=["copy"]) for data in (world, renamed))
    assert everything_but_time(by_number) == everything_but_time(by_name)


def test_the_unit_of_an_action_does_not_matter():
    rng = np.random.default_rng(8)
    x = rng.standard_normal((500, 3))
    action = x[:, 0] + 0.3 * rng.standard_normal(500)
    units = [action, 1e6 + 1e-4 * action]
    both = [terc.Trajectories(x, actions, episodes=np.arange(500)) for actions in units]
    plain, scaled = (terc.select(data, QUICK) for data in both)
    assert plain.kept == scaled.kept == ("x_0",)
    assert plain["x_0"].gain == pytest.approx(scaled["x_0"].gain, abs=0.02)


@pytest.mark.parametrize("make", [synthetic.two_triplets, synthetic.pure_noise])
def test_saved_and_loaded_is_the_same(make, tmp_path):
    selection = terc.select(make(600, seed=1).data)
    selection.save(tmp_path / "selection.json")
    loaded = terc.Selection.load(tmp_path / "selection.json")
    assert json.dumps(loaded.to_dict(), sort_keys=True) == json.dumps(selection.to_dict(), sort_keys=True)
    assert str(loaded) == str(selection)


def test_numpy_numbers_in_the_settings_can_be_saved(tmp_path):
    data = synthetic.two_triplets(400).data
    settings = {"seed": np.int64(3), "alpha": np.float32(0.05), "costs": {"x1": np.int32(2)}}
    selection = terc.select(data, **settings)
    selection.save(tmp_path / "selection.json")
    assert terc.Selection.load(tmp_path / "selection.json").config["seed"] == 3
