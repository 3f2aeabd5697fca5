import pickle
import warnings

import gymnasium as gym
import numpy as np
import pytest

import terc
from terc import errors
from terc.agents.checkpoints import load_checkpoint
from terc.agents.sb3_files import load_sb3


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


def lean(states):
    return (states[:, 2] > 0).astype(int)


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda: terc.agents.load_policy("ppo.zip", allow_pickle="no"), "allow_pickle must be True or False"),
        (lambda: terc.run("CartPole-v1", allow_pickle=1), "run: allow_pickle must be True or False, got 1"),
        (lambda: load_sb3("ppo.zip", allow_pickle="no"), "allow_pickle must be True or False, got 'no'"),
        (lambda: load_checkpoint("a.pt", allow_pickle=1), "allow_pickle must be True or False, got 1"),
        (lambda: terc.play("CartPole-v1", lean, greedy="no"), "play: greedy must be True or False"),
        (lambda: terc.rollout("CartPole-v1", lean, greedy="yes"), "rollout: greedy must be True or False"),
        (lambda: terc.rollout("CartPole-v1", lean, expert=np.nan), "expert must be a number, got NaN"),
        (lambda: terc.rollout("CartPole-v1", lean, expert="475"), "expert must be a number, got '475'"),
        (lambda: terc.ablate("CartPole-v1", lean, "angle"), r"got the text 'angle'. Write \['angle'\]"),
        (lambda: terc.select(DATA, progress=5), "progress: wanted True, False or a function, got 5"),
        (lambda: terc.compare(DATA, progress="x"), "progress: wanted True, False or a function, got 'x'"),
        (lambda: terc.ablate("CartPole-v1", lean, progress=5), "progress: wanted True, False or a function"),
        (lambda: terc.frontier("CartPole-v1", lean, budget="x"), "frontier: budget must be a number"),
        (lambda: terc.distill("CartPole-v1", lean, ["x"], hidden=64), r"such as \(64, 64\); got 64"),
        (lambda: terc.Selection.load(5), "Selection.load: path must be a path, got int"),
        (lambda: terc.agents.load_policy(5), "load_policy: path must be a path, got int"),
        (lambda: terc.run("CartPole-v1", out=5), "run: out must be a path, got int"),
        (lambda: terc.run("CartPole-v1", progress=5), "progress: wanted True, False or a function, got 5"),
        (lambda: terc.synthetic.cart_pole_like("x"), "cart_pole_like: n must be a whole number .* got 'x'"),
        (
            lambda: terc.synthetic.secret_keys(-1),
            "secret_keys: n must be a whole number of at least 1, got -1",
        ),
        (lambda: terc.synthetic.copies(0), "copies: n must be a whole number of at least 1, got 0"),
        (lambda: terc.synthetic.factored("z"), "factored: no kind named 'z'"),
        (lambda: terc.find_redundancy(DATA, time_limit="x"), "time_limit must be a number, got 'x'"),
    ],
)
def test_an_option_of_the_wrong_type_is_one_sentence(call, line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a run that is refused late would leave a folder
    with pytest.raises(errors.TercError, match=line):
        call()


def test_what_numpy_and_pathlib_give_is_of_the_right_type(tmp_path):
    assert len(terc.play("CartPole-v1", lean, episodes=2, greedy=np.True_)) == 2
    with pytest.raises(errors.DataFileError, match="there is no file"):
        terc.agents.load_policy(tmp_path / "none.npz")


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
