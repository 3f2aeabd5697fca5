"""Every wrong argument of `select` is answered in one clear sentence, before any work is done."""

import numpy as np
import pytest

import terc
from terc.errors import BadTypeError, BadValueError, TercError, UnknownNameError

N = 300
NAN = float("nan")


@pytest.fixture(scope="module")
def data():
    x = np.random.default_rng(0).integers(0, 2, (N, 4))
    return terc.Trajectories(x, x[:, 0], names=["a", "b", "c", "d"], episodes=np.arange(N))


WRONG = [
    ({"estimator": "forest"}, UnknownNameError, r"no estimator named 'forest'\. Available: auto"),
    ({"estimator": 3}, BadTypeError, r"estimator must be a name or an Estimator, got int"),
    ({"method": "best"}, UnknownNameError, r"no method named 'best'\. Available: naive, sequential"),
    ({"method": None}, UnknownNameError, r"no method named None\. Available: "),
    ({"error_rate": "none"}, UnknownNameError, r"no error_rate named 'none'\. Available: family"),
    ({"alpha": 0}, BadValueError, r"alpha must lie between 0 and 1, got 0"),
    ({"alpha": 1}, BadValueError, r"alpha must lie between 0 and 1, got 1"),
    ({"alpha": 5}, BadValueError, r"alpha must lie between 0 and 1, got 5"),
    ({"alpha": NAN}, BadValueError, r"alpha must lie between 0 and 1, got nan"),
    ({"min_effect": -0.1}, BadValueError, r"min_effect must be a share from 0 to below 1, got -0.1"),
    ({"min_effect": 1}, BadValueError, r"min_effect must be a share .* got 1"),
    ({"min_effect": NAN}, BadValueError, r"min_effect must be a share .* got nan"),
    ({"seed": -1}, BadValueError, r"seed must be a whole number of at least 0, got -1"),
    ({"seed": 1.5}, BadTypeError, r"seed must be a whole number of at least 0, got 1.5"),
    ({"seed": None}, BadTypeError, r"seed must be a whole number of at least 0, got None"),
    ({"n_jobs": 0}, BadValueError, r"n_jobs: wanted at least 1 worker, or -1 for one per core, got 0"),
    ({"n_jobs": 1.5}, BadTypeError, r"n_jobs: wanted a whole number of workers, got 1.5"),
    ({"backend": "dask"}, UnknownNameError, r"no back-end named 'dask'\. Available: serial, processes"),
    ({"backend": 7}, BadTypeError, r"backend: wanted one of"),
    ({"costs": {"zz": 1}}, UnknownNameError, r"select: costs: no variable named 'zz'\. Available: a, b, c"),
    ({"costs": {"a": -1}}, BadValueError, r"costs must be finite and not negative, 'a' costs -1"),
    ({"costs": {"a": NAN}}, BadValueError, r"costs must be finite and not negative, 'a' costs nan"),
    ({"groups": [["a", "zz"]]}, UnknownNameError, r"select: groups: no variable named 'zz'\. Available: "),
    ({"groups": [["a", "b"], ["b", "c"]]}, BadValueError, r"groups must not overlap, \['b'\] is in more"),
    ({"groups": ["a", "b"]}, BadTypeError, r"groups must be lists of names such as \[\['a', 'b'\]\]"),
    ({"groups": "ab"}, BadTypeError, r"groups must be lists of names"),
    ({"order": ["a", "zz"]}, UnknownNameError, r"select: order: no variable named 'zz'\. Available: "),
    ({"order": ["a", "a"]}, BadValueError, r"order names a variable more than once"),
    ({"order": "best"}, UnknownNameError, r"no order named 'best'\. Available: random, a list"),
    ({"keep": "a"}, BadTypeError, r"keep must be a list of names, got the text 'a'\. Write keep=\['a'\]"),
    ({"estimator": "knn", "method": "minimal"}, BadValueError, r"method 'minimal' needs estimator 'auto'"),
    ({"estimator": "mine", "error_rate": "discovery"}, BadValueError, r"error_rate 'discovery' needs est"),
    ({"estimator": "mine", "alpha": 0.01}, BadValueError, r"has no error rate, got alpha 0.01; leave alpha"),
    ({"keep": ["zz"]}, UnknownNameError, r"select: keep: no variable named 'zz'\. Available: "),
]

WRONG_TYPES = [
    ({"alpha": "5 %"}, BadTypeError, r"alpha.*'5 %'"),
    ({"alpha": None}, BadTypeError, r"alpha.*None"),
    ({"min_effect": "small"}, BadTypeError, r"min_effect.*'small'"),
    ({"costs": {"a": "dear"}}, BadTypeError, r"costs.*'a'.*'dear'"),
    ({"costs": [1, 2, 3, 4]}, BadTypeError, r"costs.*list"),
    ({"groups": 5}, BadTypeError, r"groups must be lists of names"),
    ({"groups": [5]}, BadTypeError, r"groups must be lists of names"),
    ({"order": 5}, BadTypeError, r"order.*5"),
    ({"keep": 5}, BadTypeError, r"keep must be a list of names"),
    ({"keep": None}, BadTypeError, r"keep must be a list of names"),
]


@pytest.mark.parametrize(("wrong", "kind", "sentence"), WRONG, ids=lambda value: str(value))
def test_wrong_settings(data, wrong, kind, sentence):
    with pytest.raises(kind, match=sentence) as caught:
        terc.select(data, **wrong)
    assert isinstance(caught.value, TercError)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("wrong", "kind", "sentence"), WRONG_TYPES, ids=lambda value: str(value))
def test_settings_of_a_wrong_type(data, wrong, kind, sentence):
    with pytest.raises(kind, match=sentence):
        terc.select(data, **wrong)


def test_data_must_be_trajectories():
    with pytest.raises(BadTypeError, match=r"data must be Trajectories, got ndarray\. Use terc"):
        terc.select(np.zeros((300, 2)))


def test_too_few_steps_say_how_many_are_needed(data):
    few = terc.Trajectories(data.states[:60], data.actions[:60])
    with pytest.raises(BadValueError, match="60 steps cannot support a test of 4 variables; at least 100"):
        terc.select(few)
    wide = terc.Trajectories(np.random.default_rng(0).random((150, 200)), data.actions[:150])
    with pytest.raises(BadValueError, match="150 steps cannot support a test of 200 variables; .* 400 are"):
        terc.select(wide)


def test_counting_refuses_what_it_cannot_count(data):
    rng = np.random.default_rng(0)
    continuous = terc.Trajectories(data.states, rng.standard_normal(N), names=data.names)
    with pytest.raises(BadValueError, match="plugin: counting needs discrete .*'predictive' or 'auto'"):
        terc.select(continuous, estimator="plugin")
    numbers = terc.Trajectories(rng.standard_normal((N, 2)), data.actions, names=["x", "y"])
    with pytest.raises(BadValueError, match=r"plugin: counting needs at most 64 .*\['x', 'y'\] have more"):
        terc.select(numbers, estimator="plugin")


@pytest.mark.parametrize(
    "setting",
    [
        {"alpha": 2},
        {"estimator": "forest"},
        {"keep": ["zz"]},
        {"n_jobs": 0},
    ],
)
@pytest.mark.filterwarnings("ignore::terc.TercWarning")
def test_wrong_settings_are_wrong_for_a_constant_action_too(data, setting):
    still = terc.Trajectories(data.states, np.zeros(N, dtype=int), names=data.names)
    with pytest.raises(TercError):
        terc.select(still, **setting)
