import sys
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

import terc
from terc.agents import Policy, load_policy, train_agent
from terc.agents.network_policy import NetworkPolicy
from terc.agents.policy import PolicySpec
from terc.environments import Doped, SelectVariables
from terc.errors import BadTypeError, BadValueError, UnknownNameError
from terc.exporting.numpy_policy import load_source
from terc.returns.distilled import Distilled
from terc.returns.play import Returns
from terc.returns.student import Heads, Schooling, Student

sys.path.insert(0, str(Path(__file__).parent))
from signals import (
    Choices,
    Codes,
    Dial,
    Signals,
    follows_a,
    heeds_the_alarm,
    reads_the_code,
    three_choices,
    turns_the_dials,
)  # fmt: skip

QUICK = {"hidden": (32, 32), "steps": 3000, "episodes": 30}


@pytest.fixture(scope="module")
def choices():
    return terc.distill(Choices, three_choices, ["a", "b", "alarm"], **QUICK)


@pytest.fixture(scope="module")
def dials():
    return terc.distill(Dial, turns_the_dials, ["a", "b"], **QUICK)


def test_a_discrete_agent_on_one_variable():
    small = terc.distill(Signals, follows_a, ["a"], **QUICK)
    assert isinstance(small, Policy) and small.variables == ("a",) and small.as_good
    assert small.returns.mean == pytest.approx(20, abs=0.5) and small.agreement > 0.98
    assert small.returns.random.mean < 15 and "as good: within 5 % of the return" in str(small)


def test_without_the_variable_that_decides_it_is_not_as_good():
    small = terc.distill(Signals, heeds_the_alarm, ["a", "b", "noise"], rounds=2, **QUICK)
    assert not small.as_good and len(small.rounds) == 2
    assert small.difference.high < 0 and small.agreement > 0.9


def test_a_sharp_rule_is_not_taught_with_numbers_next_to_zero(monkeypatch):
    """They would make each multiplication many times as slow."""
    rng = np.random.default_rng(0)
    states = rng.integers(0, 14, (2000, 3)).astype(float)
    student = Student(3, Heads(levels=(40,)), Schooling((64, 64), updates=400), rng=rng)
    slopes, backward = [], student.network.backward
    monkeypatch.setattr(student.network, "backward", lambda slope: slopes.append(slope) or backward(slope))
    student.learn(states, np.eye(40)[states.sum(axis=1).astype(int)], rng=rng)
    found = np.abs(np.concatenate(slopes))
    assert (found == 0).any() and found[found > 0].min() > 1e-30


class Stuck(gym.Env):
    """A point per step once it is free, which takes one strong push; noise beside it."""

    variable_names = ("free", "noise")
    observation_space = gym.spaces.Box(-1, 1, (2,), np.float64)
    action_space = gym.spaces.Box(-1, 1, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left, self.free = 20, 0.0
        return np.array([self.free, self.np_random.uniform(-1, 1)]), {}

    def step(self, action):
        self.left, self.free = self.left - 1, max(self.free, float(abs(action[0]) > 0.5))
        return np.array([self.free, self.np_random.uniform(-1, 1)]), self.free, False, self.left == 0, {}


LIVES_ON_NOISE = {**QUICK, "rounds": 1, "tolerance": 0.1}


def follows_noise(states):
    return states[:, 1:]


def test_a_teacher_that_lives_on_its_noise_is_held_by_drawn_actions(tmp_path):
    small = terc.distill(Stuck, follows_noise, ["free"], **LIVES_ON_NOISE)
    assert small.draws and small.to_dict()["draws"] and small.as_good and small.teacher.mean > 17
    assert "with drawn actions" in str(small)
    played = terc.play(Stuck, small, 30)
    assert played.mean > 16 and played.values.tolist() == terc.play(Stuck, small, 30).values.tolist()
    small.save(tmp_path / "small.npz")
    again = load_policy(tmp_path / "small.npz")
    assert again.draws and terc.play(Stuck, again, 30).values.tolist() == played.values.tolist()
    states = np.zeros((500, 1))
    assert 0.3 < np.std(again.act(states)) < 0.8, "without rng it draws from one of its own"


def test_numbers_are_drawn_as_widely_as_the_teacher_draws_them():
    layers = ((np.float32([[1, 0], [0, 0], [-0.5, 1], [0, 0], [0, 0]]), np.zeros(2, np.float32)),)
    bounds, spread = np.float32([[-2, -2], [2, 2]]), np.float32([0.3, 0.1])
    spec = terc.agents.PolicySpec(None, 5, action_size=2)
    teacher = terc.agents.NetworkPolicy(spec, layers, log_std=np.log(spread), bounds=bounds)
    small = terc.distill(Dial, teacher, ["a", "b"], greedy=False, rounds=1, **QUICK)
    states = np.zeros((4000, 2))
    drawn = small.act(states, rng=np.random.default_rng(0)).std(axis=0)
    assert drawn == pytest.approx(spread, rel=0.15)


def test_who_asks_for_likeliest_actions_gets_them():
    small = terc.distill(Stuck, follows_noise, ["free"], greedy=True, **LIVES_ON_NOISE)
    assert not small.draws and not small.as_good and small.returns.mean == 0


def test_the_likeliest_actions_are_taken_where_they_are_good_enough():
    assert not terc.distill(Signals, follows_a, ["a"], **QUICK).draws
    assert terc.distill(Signals, follows_a, ["a"], greedy=False, **QUICK).draws


def test_an_agent_of_several_choices(choices):
    assert choices.as_good and choices.agreement > 0.95
    states = np.random.default_rng(0).uniform(-1, 1, (50, 5))
    assert choices.act(states).shape == (50, 3)
    assert choices.probabilities(states) is None
    assert choices.choice_probabilities(states).shape == (50, 7)
    sampled = choices.act(states, greedy=False, rng=np.random.default_rng(0))
    assert sampled.max(axis=0).tolist() == [1, 2, 1]
    taught = terc.distill(Choices, choices, ["a", "alarm"], rounds=1, **QUICK)  # soft targets of each choice
    assert taught.as_good


def test_an_agent_of_numbers(dials):
    assert dials.as_good and dials.agreement > 0.95 and dials.returns.mean > 18
    assert dials.act(np.full((1, 5), 9.0)).max() <= 2


def test_numbers_that_are_choices_are_read_as_labels(tmp_path):
    small = terc.distill(Codes, reads_the_code, ["state"], rounds=1, **QUICK)
    assert small.returns.mean == 20 and small.network.labels.shape == (2, 60)
    codes = np.arange(60)[:, None]
    small.save(tmp_path / "small.npz")
    loaded = load_policy(tmp_path / "small.npz")
    assert np.array_equal(loaded.act(codes), Codes.letters)
    assert loaded.probabilities([[7]]).argmax() == Codes.letters[7]
    assert loaded.act(7) == loaded.act(np.int64(7)) == Codes.letters[7]  # as the environment shows it


def test_it_plays_and_rolls_out_on_the_full_state_and_on_its_own(dials):
    full = terc.play(Dial, dials, episodes=10)
    part = terc.play(lambda: SelectVariables(Dial(), list(dials.variables)), dials, episodes=10)
    assert np.array_equal(full.values, part.values)
    assert len(terc.rollout(Dial, dials, steps=100)) == 100
    assert set(terc.ablate(Dial, dials, episodes=20, steps=500).matter) == {"a", "b"}
    with pytest.raises(BadValueError, match=r"wanted states \[n, 2\] of \['a', 'b'\] or full ones \[n, 5\]"):
        dials.act(np.zeros((4, 3)))


def test_it_acts_on_lists_and_refuses_what_is_no_number(dials):
    assert np.array_equal(dials.act([[0.5, 0.1], [0.2, 0.3]]), dials.act(np.array([[0.5, 0.1], [0.2, 0.3]])))
    for wrong in ({"a": 1.0}, [[1.0, 2.0], [1.0]], "ab", None):
        with pytest.raises(BadTypeError, match=r"wanted states of numbers.*environments.Flattened\(env\)"):
            dials.act(wrong)
    with pytest.raises(BadValueError, match=r"policy: a state holds NaN, in column 0 of 2"):
        dials.act([np.nan, 0.0])


@pytest.mark.parametrize("which", ["choices", "dials"])
def test_saved_loaded_and_exported_it_acts_the_same(which, request, tmp_path):
    small = request.getfixturevalue(which)
    states = np.random.default_rng(1).uniform(-1, 1, (200, 5))
    own, actions = states[:, list(small.columns)], small.act(states)
    small.save(tmp_path / "small.npz")
    again = load_policy(tmp_path / "small.npz")
    assert np.array_equal(again.act(states), actions) and again.spec == small.spec
    assert again.returns.mean == small.returns.mean and again.rounds == small.rounds
    assert Distilled.load(tmp_path / "small.npz").as_good == small.as_good
    act = load_source(small.export(tmp_path / "small.py").read_text())
    assert np.allclose(act(own), actions, atol=1e-6)
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(str(small.export(tmp_path / "small.onnx")))
    assert np.allclose(session.run(None, {"states": own.astype(np.float32)})[0], actions, atol=1e-5)
    with pytest.raises(BadValueError, match=r"ends in .py or .onnx, got 'small.txt'"):
        small.export(tmp_path / "small.txt")


def test_same_seed_same_student():
    first, again = (
        terc.distill(Signals, follows_a, ["a"], hidden=(8,), steps=200, episodes=5, seed=4) for _ in range(2)
    )
    states = np.random.default_rng(0).uniform(-1, 1, (50, 5))
    assert np.array_equal(first.probabilities(states), again.probabilities(states))
    assert np.array_equal(first.returns.values, again.returns.values)


def test_cart_pole_on_four_of_seven_variables_gives_the_whole_return_back():
    make = lambda num_envs: Doped(gym.make_vec("CartPole-v1", num_envs), n=3)  # noqa: E731
    teacher = train_agent(make, seed=0, record=0).policy
    names = ["cart_position", "cart_velocity", "pole_angle", "pole_velocity"]
    small = terc.distill(make, teacher, names, episodes=30)
    assert small.teacher.mean > 490 and small.returns.mean > 490


def test_bad_input(tmp_path):
    with pytest.raises(UnknownNameError, match=r"distill: wanted \['z'\], available"):
        terc.distill(Signals, follows_a, ["z"])
    with pytest.raises(BadValueError, match="distill: no variable is kept"):
        terc.distill(Signals, follows_a, [])
    with pytest.raises(BadValueError, match="tolerance must be a share"):
        terc.distill(Signals, follows_a, ["a"], tolerance=5)
    with pytest.raises(BadValueError, match="hidden: wanted the widths"):
        terc.distill(Signals, follows_a, ["a"], hidden=(0,))
    with pytest.raises(BadValueError, match="rounds must be a whole number of at least 1"):
        terc.distill(Signals, follows_a, ["a"], rounds=0)
    spec = terc.agents.PolicySpec(None, 1, n_actions=2)
    plain = terc.agents.NetworkPolicy(spec, ((np.ones((1, 2), np.float32), np.zeros(2, np.float32)),))
    plain.save(tmp_path / "plain.npz")
    with pytest.raises(BadTypeError, match="holds a NetworkPolicy, not a Distilled"):
        Distilled.load(tmp_path / "plain.npz")


class Stop(Exception):
    pass


@pytest.mark.parametrize("moment", [1, 2, 3])
def test_interrupted_after_any_lesson_it_continues_to_the_same_student(moment, tmp_path):
    """The alarm is missing, so that all lessons are used."""
    settings = {"hidden": (8,), "steps": 300, "episodes": 6, "rounds": 3}
    whole = terc.distill(Signals, heeds_the_alarm, ["a"], **settings)

    def stop(done, total, what):
        if done == moment:
            raise Stop

    with pytest.raises(Stop):
        terc.distill(Signals, heeds_the_alarm, ["a"], folder=tmp_path, progress=stop, **settings)
    again = terc.distill(Signals, heeds_the_alarm, ["a"], folder=tmp_path, **settings)
    states = np.random.default_rng(0).uniform(-1, 1, (50, 5))
    assert np.array_equal(whole.probabilities(states), again.probabilities(states))
    assert np.array_equal(whole.returns.values, again.returns.values) and whole.rounds == again.rounds
    with pytest.raises(BadValueError, match="holds the lessons of another distillation"):
        terc.distill(Signals, heeds_the_alarm, ["a", "b"], folder=tmp_path, **settings)


def returns_of(values, random):
    return Returns.of(np.array(values), np.array(random))


def small_one(mine, theirs, random):
    layers = ((np.zeros((1, 2), np.float32), np.zeros(2, np.float32)),)
    network = NetworkPolicy(PolicySpec(None, 1, n_actions=2), layers)
    return Distilled(
        network, ("a",), (0,), 3, returns_of(mine, random), returns_of(theirs, random), agreement=1.0
    )


def test_a_loss_that_is_certain_episode_by_episode_is_not_hidden_by_episodes_that_differ():
    theirs = np.linspace(0.0, 100.0, 30)  # their mean is known to within 11 only
    small = small_one(theirs - 8.0, theirs, theirs - 60.0)
    assert small.returns.mean > small.teacher.interval.low and not small.as_good
    assert small.reason.startswith("not within 5 % of the return of its teacher, and for certain so")


def test_a_loss_that_may_be_luck_counts_as_as_good_and_says_why():
    theirs = np.linspace(0.0, 100.0, 30)
    small = small_one(theirs[::-1] - 8.0, theirs, theirs - 60.0)
    assert small.as_good and small.reason.endswith("but inside the 95 % interval of 30 episodes")


def test_to_be_as_good_as_a_teacher_that_has_not_learned_says_little():
    values = np.linspace(0.0, 100.0, 30)
    text = str(small_one(values, values, values + 5.0))
    assert "its teacher is worse than random actions: to be as good as that says little" in text
    assert "says little" not in str(small_one(values, values, values - 5.0))


def test_what_random_actions_earn_too_is_no_merit():
    theirs, random = np.full(30, 1000.0), np.full(30, 990.0)
    assert not small_one(random, theirs, random).as_good
    small = small_one(theirs - 0.4, theirs, random)
    assert small.as_good and small.reason == "within 5 % of the gain over random actions of its teacher"
