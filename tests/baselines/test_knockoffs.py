"""Knockoffs: their moments, their threshold, their two aims."""

import numpy as np
import pytest
from backwards import Backwards

from terc.baselines.knockoffs import knockoffs, second_order_knockoffs
from terc.errors import BadTypeError, BadValueError, UnknownNameError
from terc.synthetic import four_redundant, secret_keys
from terc.trajectories.data import Trajectories


def correlated(n, *, rng):
    mix = np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 0.3], [0.0, 0.0, 1.0]])
    return rng.standard_normal((n, 3)) @ mix * [1.0, 10.0, 0.1] + [0.0, 5.0, -1.0]


def test_second_moments_survive_a_swap(seed):
    rng = np.random.default_rng(seed)
    x = correlated(20_000, rng=rng)
    fake = second_order_knockoffs(x, rng=rng)
    scale = np.outer(x.std(0), x.std(0))
    assert np.abs(fake.mean(0) - x.mean(0)).max() < 0.05 * x.std(0).max()
    assert np.abs((np.cov(fake.T) - np.cov(x.T)) / scale).max() < 0.04
    cross = np.cov(np.hstack([x, fake]).T)[:3, 3:]
    off_diagonal = ~np.eye(3, dtype=bool)
    assert np.abs(((cross - np.cov(x.T)) / scale)[off_diagonal]).max() < 0.04
    # Room to tell a variable from its knockoff: the equi-correlated share of its variance.
    share = min(1.0, 2 * np.linalg.eigvalsh(np.corrcoef(x.T))[0])
    assert np.diag((np.cov(x.T) - cross) / scale) == pytest.approx(share, abs=0.04)


def test_copies_leave_no_room():
    x = np.random.default_rng(0).standard_normal((500, 1))
    fake = second_order_knockoffs(np.hstack([x, x]), rng=np.random.default_rng(1))
    assert np.abs(fake - x).max() < 1e-3


@pytest.mark.parametrize("statistic", ["lasso", "forest"])
def test_linear_actions_are_found(statistic, seed):
    labelled = secret_keys(4000, keys=8, seed=seed)
    kept = knockoffs(labelled.data, statistic=statistic, splits=3).kept
    assert {name for (name,) in labelled.answers} <= set(kept)


def test_xor_is_missed(seed):
    labelled = four_redundant(2000, seed=seed)
    assert not labelled.is_exact(knockoffs(labelled.data).kept)


def chain(*, rng):
    """The reward is a, the next a follows b, the next b is its own; c goes along for nothing."""
    n = 1500
    a, b, c, shocks = np.zeros((3, n)).tolist() + [rng.standard_normal((3, n))]
    actions = rng.integers(0, 2, n)
    a, b, c = (np.array(one) for one in (a, b, c))
    for t in range(1, n):
        a[t] = b[t - 1] + 0.3 * shocks[0, t]
        b[t] = 0.7 * b[t - 1] + shocks[1, t]
        c[t] = 0.7 * c[t - 1] + shocks[2, t]
    return Trajectories(
        np.column_stack([a, b, c]), actions, rewards=a + 0.1 * rng.standard_normal(n), names=["a", "b", "c"]
    )


def test_reward_first_then_what_drives_it(seed):
    data = chain(rng=np.random.default_rng(seed))
    selection = knockoffs(data, aim="reward", splits=3)
    assert {"a", "b"} <= set(selection.kept)
    assert "the reward: a" in selection.notes[1].text
    assert any(note.text.startswith("the next a") for note in selection.notes)


def test_reward_of_one_step_games_has_no_second_round(seed):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((600, 3))
    data = Trajectories(
        x, rng.integers(0, 2, 600), rewards=x[:, 1], episodes=range(600), names=["a", "b", "c"]
    )
    selection = knockoffs(data, aim="reward", splits=3)
    assert "b" in selection.kept
    assert len(selection.notes) == 2


def test_labels_stand_or_fall_as_a_whole(seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 4, (1500, 2))
    data = Trajectories(codes, np.array([2.0, -1.0, 0.0, 1.0])[codes[:, 0]], nominal=["x_0", "x_1"])
    assert "x_0" in knockoffs(data, splits=3).kept


def test_same_seed_same_answer_in_whatever_order(monkeypatch):
    data = secret_keys(300, keys=4, noise=10).data
    one = knockoffs(data, seed=3, splits=3)
    monkeypatch.setattr("terc.baselines.scored.choose_backend", lambda *_: Backwards())
    assert one.to_dict()["verdicts"] == knockoffs(data, seed=3, splits=3).to_dict()["verdicts"]


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"aim": "fame"}, UnknownNameError, "knockoffs: no aim named 'fame'"),
        ({"statistic": "luck"}, UnknownNameError, "knockoffs: no statistic named 'luck'"),
        ({"rate": 2}, BadValueError, "knockoffs: rate must lie between 0 and 1, got 2"),
        ({"rate": "low"}, BadTypeError, "knockoffs: rate must be a number, got 'low'"),
        ({"splits": 0}, BadValueError, "knockoffs: splits must be a whole number of at least 1"),
        ({"splits": 50}, BadValueError, "wanted at least 20 steps in each of 50 splits, got 100 in all"),
        ({"aim": "reward"}, BadValueError, "knockoffs: aim 'reward' needs data with rewards"),
    ],
)
def test_bad_arguments_are_one_sentence(wrong, error, message):
    with pytest.raises(error, match=message):
        knockoffs(four_redundant(100).data, **wrong)
