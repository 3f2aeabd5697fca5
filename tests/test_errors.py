import pickle
import warnings

import gymnasium as gym
import numpy as np
import pytest

import terc
from terc import errors


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (errors.BadValueError, ValueError),
        (errors.BadTypeError, TypeError),
        (errors.UnknownNameError, KeyError),
        (errors.DataFileError, ValueError),
        (errors.MissingExtraError, ImportError),
    ],
)
def test_each_error_is_also_the_builtin_a_caller_expects(error, builtin):
    with pytest.raises(builtin, match="a plain sentence") as caught:
        raise error("a plain sentence")
    assert isinstance(caught.value, errors.TercError)
    assert str(caught.value) == "a plain sentence"


def test_unknown_name_lists_what_there_is():
    error = errors.unknown_name("select", "variable", "b", ["a", "c"])
    assert str(error) == "select: no variable named 'b'. Available: a, c."


def test_unknown_name_shortens_a_long_list():
    text = str(errors.unknown_name("select", "variable", "b", [f"x_{i}" for i in range(300)]))
    assert "x_29 and 270 more." in text
    assert "x_30" not in text


DATA = terc.synthetic.four_redundant(200).data
FUNCTIONS = [name for name in terc.__all__ if not isinstance(getattr(terc, name), type(terc) | type)]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_call_that_does_not_fit_is_one_sentence(name):
    function = getattr(terc, name)
    wanted = "missing a required argument|no argument named 'zzz'|no setting named 'zzz'"
    with pytest.raises(errors.TercError, match=f"{name}: ({wanted})"):
        function(zzz=1)
    assert pickle.loads(pickle.dumps(function)) is function


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda: terc.select(DATA, alfa=1), "select: no argument named 'alfa'.* Did you mean 'alpha'"),
        (lambda: terc.load("a.csv", reward="pay"), "load: no argument named 'reward'.*'rewards'"),
        (
            lambda: terc.rollout("CartPole-v1"),
            "rollout: missing a required argument: 'policy'; it takes env,",
        ),
        (lambda: terc.play(1, 2, 3, 4, 5, 6), "play: too many positional arguments; it takes env, policy"),
        (lambda: terc.stability(DATA, resamples=2, alfa=1), "select: no argument named 'alfa'"),
        (lambda: terc.through_training([DATA], alfa=1), "select: no argument named 'alfa'"),
        (lambda: terc.Trajectories([[1.0]], [0], episode=[1]), "Trajectories: no argument .*'episodes'"),
        (
            lambda: terc.Trajectories.from_frame({}, actions="a"),
            "Trajectories.from_frame: no argument .*'action'",
        ),
        (lambda: terc.agents.load_policy("a.npz", allow_pickel=True), "no argument .*'allow_pickle'"),
        (lambda: terc.agents.train_agent("CartPole-v1", sed=1), "train_agent: no argument .*'seed'"),
        (lambda: terc.environments.Doped(None, noise=3), "Doped: no argument named 'noise'"),
        (
            lambda: terc.environments.Doped(gym.make_vec("CartPole-v1", 2), m=3),
            "DopedVector: no argument named 'm'",
        ),
        (lambda: terc.environments.SelectVariables(None), "SelectVariables: missing a required .*'chosen'"),
        (lambda: terc.TercSelector(alfa=1), "TercSelector: no argument named 'alfa'.*'alpha'"),
    ],
)
def test_misspelt_arguments_are_answered_with_the_closest(call, line):
    with pytest.raises(errors.BadTypeError, match=line):
        call()


def test_a_warning_points_at_the_line_of_the_caller():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        terc.Trajectories([[f"a{i}"] for i in range(30)], [0, 1] * 15)
        env = gym.wrappers.NormalizeObservation(gym.make("CartPole-v1"))
        terc.rollout(env, lambda s: np.zeros(len(s), int), steps=30)
    assert {one.category for one in seen} == {terc.TercWarning}
    assert [one.filename for one in seen] == [__file__, __file__]


def test_code_without_a_module_is_warned_too():
    with pytest.warns(terc.TercWarning, match="never changes"):
        exec(
            "terc.select(data)",
            {"terc": terc, "data": terc.Trajectories(np.arange(200.0)[:, None], [0] * 200)},
        )
