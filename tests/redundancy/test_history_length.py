import numpy as np
import pytest

from terc.agents.learner import train_agent
from terc.agents.tabular_q import TabularQConfig
from terc.environments.prisoners_dilemma import TitForNTatsVector
from terc.errors import BadValueError, UnknownNameError
from terc.redundancy.history_length import history_length
from terc.redundancy.lags import read_lags
from terc.synthetic import ipd_cycle, ipd_play
from terc.trajectories.data import Trajectories

OPPONENTS = range(2, 11)


def history_for(tats):
    return 10 if tats == 10 else 9


@pytest.mark.parametrize("tats", OPPONENTS)
def test_n_minus_one_with_exploration(tats, seed):
    history = history_for(tats)
    data = ipd_play(tats=tats, history=history, explore=0.1, seed=seed).data
    assert history_length(data, history).length == tats - 1


@pytest.mark.parametrize("tats", OPPONENTS)
def test_n_minus_one_on_the_pure_cycle(tats):
    history = history_for(tats)
    found = history_length(ipd_cycle(tats=tats, history=history).data, history)
    assert found.length == tats - 1
    assert found.lost[tats - 1].value == 0 < found.lost[tats - 2].value


def played(policy, env, explore, rng, steps=400):
    """Moves of a policy in many games, some of them random; the first 50 of each game are left out."""
    states, _ = env.reset(seed=0)
    rows, moves = [], []
    for t in range(steps + 50):
        random = rng.random(env.num_envs) < explore
        actions = np.where(random, rng.integers(0, 2, env.num_envs), policy.act(states))
        if t >= 50:
            rows.append(states)
            moves.append(actions)
        states = env.step(actions)[0]
    return Trajectories(
        np.stack(rows, axis=1).reshape(-1, states.shape[1]),
        np.stack(moves, axis=1).ravel(),
        names=env.variable_names,
        nominal=env.variable_names,
        episodes=np.repeat(np.arange(env.num_envs), steps),
    )


@pytest.mark.parametrize("tats", [2, 4, 10])
def test_trained_q_learners_with_and_without_exploration(tats, rng):
    history = history_for(tats)
    env = TitForNTatsVector(25, n=tats, history=history, max_episode_steps=None)
    trained = train_agent(
        TitForNTatsVector(32, n=tats, history=history), agent=TabularQConfig(), seed=0, record=0
    )
    for explore in (0.0, 0.05, 0.1):
        assert int(history_length(played(trained.policy, env, explore, rng), history)) == tats - 1


def lagged_world(rng, kind, n=6000, names=("v", "w", "u")):
    """The action depends on v one step ago and on w now; u does not matter."""
    v, w, u = rng.integers(0, 2, (3, n)) if kind == "discrete" else rng.normal(size=(3, n))
    action = (np.roll(v, 1) > 0.3) ^ (w > 0.3) ^ (rng.random(n) < 0.05)
    data = Trajectories(
        np.stack([v, w, u], axis=1),
        action.astype(int),
        names=["v", "w", "u"],
        episodes=np.repeat(np.arange(n // 60), 60),
    )
    return data.only(names)


def test_plain_steps_get_their_past_and_each_variable_its_own_length(rng):
    found = history_length(lagged_world(rng, "discrete"), 2, per_variable=True)
    assert found.length == 1
    assert found.per_variable == {"v": 1, "w": 0, "u": None}
    gains = {(g.variable, g.lag): g for g in found.gains}
    assert len(gains) == 9
    assert gains["v", 1].needed
    assert gains["v", 1].gain > 0.4
    assert gains["w", 0].gain > 0.4
    assert not gains["u", 0].needed
    assert gains["u", 0].gain < 0.01
    assert "w: 0 steps back" in str(found)
    assert "u: not needed" in str(found)


def test_a_history_made_before_gives_the_same(rng):
    data = lagged_world(rng, "discrete")
    assert history_length(data.with_history(2), 2).length == history_length(data, 2).length == 1


def test_with_an_estimator_of_networks(rng):
    found = history_length(lagged_world(rng, "continuous", 3000, ("v", "w")), 2)
    assert found.length == 1
    assert found.lost[0].value > 0.2
    assert "By estimator 'predictive' on" in " ".join(found.notes)
    assert all(lost.value >= 0 for lost in found.lost)


def test_a_history_that_may_be_too_short_is_said():
    found = history_length(ipd_play(tats=4).data, 2)
    assert found.length == 2
    assert found.at_limit
    assert "Raise max_length" in str(found)


def test_no_past_needed(rng):
    data = Trajectories(
        rng.integers(0, 2, (3000, 1)), rng.integers(0, 2, 3000), episodes=np.repeat(range(30), 100)
    )
    assert history_length(data, 3).length == 0


@pytest.mark.parametrize("kind", ["discrete", "continuous"])
def test_where_nothing_can_be_learnt_no_past_is_needed_and_that_is_doubted(kind, rng):
    data = Trajectories(rng.normal(size=(600, 2)), np.zeros(600), action_kind=kind)
    found = history_length(data, 2)
    assert int(found) == 0 and "next to no information" in found.notes[0]


def test_names_and_given_lags(rng):
    states = rng.integers(0, 2, (100, 2))
    plain = Trajectories(states, rng.integers(0, 2, 100), names=["now", "then"])
    assert read_lags(plain, 4, {"now": 0, "then": 3}).lag == (0, 3)
    assert read_lags(plain, 4, None).longest == 4
    assert read_lags(plain.with_history(2), 9, None).variable == ("now",) * 3 + ("then",) * 3
    assert read_lags(plain.with_history(2), 1, None).lag == (0, 1, 0, 1)


def test_bad_arguments(rng):
    data = Trajectories(rng.integers(0, 2, (100, 2)), rng.integers(0, 2, 100), names=["now", "then"])
    with pytest.raises(BadValueError, match="max_length must be a whole number of at least 1, got 0"):
        history_length(data, 0)
    with pytest.raises(BadValueError, match=r"missing: \['then'\]"):
        history_length(data, lags={"now": 0})
    with pytest.raises(UnknownNameError, match="no column named 'never'"):
        history_length(data, lags={"never": 0})
    for age in ("3", (1, 2), None, 0.5, -1, float("nan")):
        with pytest.raises(BadValueError, match="lags must give every column its age in whole steps"):
            history_length(data, lags={"now": 0, "then": age})
    with pytest.raises(BadValueError, match="no column is at most max_length=1"):
        history_length(data, 1, lags={"now": 2, "then": 3})


@pytest.mark.parametrize(
    "lags, variables",
    [
        ({"x1": 0, "x2": 0, "x1_1": 1, "x2_1": 1}, ("x1", "x2", "x1", "x2")),
        ({"x": 0, "x[-1]": 1, "x_2": 2}, ("x", "x", "x")),
        ({"x_0": 0, "x_1": 1}, ("x", "x")),
        ({"joint_0": 0, "joint_1": 0}, ("joint_0", "joint_1")),
        ({"x_0": 0, "x_0_1": 1}, ("x_0", "x_0")),
        ({"now": 0, "then": 3}, ("now", "then")),
    ],
)
def test_only_an_ending_that_says_the_lag_is_taken_off(lags, variables, rng):
    data = Trajectories(rng.normal(size=(50, len(lags))), rng.integers(0, 2, 50), names=list(lags))
    assert read_lags(data, 4, lags).variable == variables


@pytest.mark.parametrize("lags", [{"x_1": 1, "x[-1]": 1, "x": 0}, None])
def test_two_columns_for_one_variable_at_one_lag_are_refused(lags, rng):
    names = list(lags) if lags else ["x", "x[-1]", "x[-01]"]
    data = Trajectories(rng.normal(size=(50, 3)), rng.integers(0, 2, 50), names=names)
    with pytest.raises(BadValueError, match="one column for each lag, got '.*' and '.*' for 'x' 1 steps ago"):
        history_length(data, lags=lags, per_variable=True)


def test_each_variable_has_its_own_history_where_names_end_in_digits(rng):
    bits = rng.integers(0, 2, (1500, 4))
    data = Trajectories(
        bits, bits[:, 0] ^ bits[:, 3], names=["x1", "x2", "x1_1", "x2_1"], episodes=np.arange(1500)
    )
    found = history_length(data, lags={"x1": 0, "x2": 0, "x1_1": 1, "x2_1": 1}, per_variable=True)
    assert found.per_variable == {"x1": 0, "x2": 1}
