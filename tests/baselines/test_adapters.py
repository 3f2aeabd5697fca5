"""Methods of other packages and of scikit-learn, each with its contract; heavy packages are stood in for."""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

import numpy as np
import pytest

from terc.baselines import methods
from terc.baselines.boruta import boruta
from terc.baselines.compare import compare
from terc.baselines.mrmr import mrmr, mutual_information
from terc.baselines.shap import shap_ranking
from terc.baselines.sklearn_selectors import rfecv, sequential_selection
from terc.baselines.tigramite import tigramite_tests
from terc.errors import BadTypeError, BadValueError, MissingExtraError, TercWarning, UnknownNameError
from terc.selection.result import Selection
from terc.synthetic import copies, four_redundant
from terc.trajectories.data import Trajectories


class FakeExplainer:
    """Stands in for shap: the forest's own importances, the same for every row."""

    def __init__(self, model):
        self.model = model

    def shap_values(self, columns):
        return np.tile(self.model.feature_importances_, (len(columns), 1))


class FakeParCorr:
    """Stands in for tigramite: partial correlation with its t-test."""

    def __init__(self, seed, verbosity):
        self.seed = seed

    def run_test_raw(self, x, y, z=None):
        from scipy import stats

        given = np.ones((len(x), 1)) if z is None else np.column_stack([z, np.ones(len(x))])
        left, right = (v - given @ np.linalg.lstsq(given, v, rcond=None)[0] for v in (x, y))
        return stats.pearsonr(left[:, 0], right[:, 0])


def stand_in(monkeypatch, name, **content):
    module = ModuleType(name)
    module.__spec__ = ModuleSpec(name, None)
    for key, value in content.items():
        setattr(module, key, value)
    monkeypatch.setitem(sys.modules, name, module)


@pytest.fixture
def packages(monkeypatch):
    """Light stand-ins for the packages that are too large for the tests."""
    stand_in(monkeypatch, "shap", TreeExplainer=FakeExplainer)
    stand_in(monkeypatch, "tigramite", __path__=[])
    stand_in(monkeypatch, "tigramite.independence_tests", __path__=[])
    stand_in(monkeypatch, "tigramite.independence_tests.parcorr", ParCorr=FakeParCorr)


def additive(n=600, seed=0, kind="number"):
    rng = np.random.default_rng(seed + 100)
    x = rng.standard_normal((n, 4))
    action = 2 * x[:, 0] + x[:, 1]
    if kind == "class":
        action = np.array(["left", "stay", "right"])[np.digitize(action, [-1, 1])]
    return Trajectories(x, action, names=["a", "b", "c", "d"], episodes=np.arange(n) // 2)


QUICK = {
    "boruta": lambda data, **more: boruta(data, iterations=15, trees=20, **more),
    "mrmr": mrmr,
    "shap": lambda data, **more: shap_ranking(data, runs=3, trees=20, **more),
    "rfecv": lambda data, **more: rfecv(data, trees=10, **more),
    "sequential": lambda data, **more: sequential_selection(data, trees=5, **more),
    "tigramite": tigramite_tests,
}


@pytest.mark.parametrize("name", QUICK)
@pytest.mark.parametrize("kind", ["number", "class"])
def test_what_is_plain_is_found(packages, name, kind, seed):
    selection = QUICK[name](additive(seed=seed, kind=kind))
    assert isinstance(selection, Selection)
    assert selection.method == name
    assert "a" in selection.kept
    assert selection["a"].gain >= selection["d"].gain


@pytest.mark.parametrize("name", QUICK)
def test_an_action_of_several_numbers_is_explained_by_all_its_parts(packages, name):
    x = np.random.default_rng(5).standard_normal((600, 3))
    data = Trajectories(x, x[:, [0, 2]], names=["a", "noise", "b"], episodes=np.arange(600) // 2)
    assert {"a", "b"} <= set(QUICK[name](data).kept)


@pytest.mark.parametrize("name", QUICK)
def test_same_seed_same_answer(packages, name):
    data = additive(200)
    one, again = (QUICK[name](data, seed=3).to_dict()["verdicts"] for _ in range(2))
    assert one == again


@pytest.mark.parametrize("name", QUICK)
def test_constants_go_and_a_constant_action_warns(packages, name):
    x = np.column_stack([np.random.default_rng(1).standard_normal(200), np.ones(200)])
    selection = QUICK[name](Trajectories(x, x[:, 0], names=["x", "still"]))
    assert selection["still"].reason == "constant"
    assert selection["x"].kept
    with pytest.warns(TercWarning, match="the action never changes"):
        assert QUICK[name](Trajectories(x, np.ones(200))).kept == ()


@pytest.mark.parametrize("name", ["boruta", "shap", "tigramite"])
def test_a_missing_package_is_named_with_its_command(monkeypatch, name):
    monkeypatch.setattr(methods, "find_spec", lambda package: None)
    command = rf"pip install 'terc\[{name}\]'"
    with pytest.raises(MissingExtraError, match=command):
        QUICK[name](additive(50))
    with pytest.raises(MissingExtraError, match=command):
        compare(additive(50), [name])


def test_mutual_information_of_independent_codes_is_nothing(seed):
    one, other = np.random.default_rng(seed).integers(0, 5, (2, 20_000))
    assert abs(mutual_information(one, other)) < 1e-3


def test_mrmr_takes_one_of_two_copies_and_as_many_as_told(seed):
    labelled = copies(4000, seed=seed)
    assert mrmr(labelled.data, count=3).kept_indices
    assert len(mrmr(labelled.data, count=3).kept) == 3
    assert labelled.is_exact(mrmr(labelled.data, count=3).kept)


@pytest.mark.parametrize("name", ["mrmr", "sequential", "tigramite"])
def test_synergy_is_not_seen(packages, name):
    labelled = four_redundant(1500)
    assert not labelled.is_exact(QUICK[name](labelled.data).kept)


def test_several_action_dimensions_count_together():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((800, 3))
    data = Trajectories(x, x[:, :2], names=["a", "b", "noise"])
    assert mrmr(data).kept == ("a", "b")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda data: mrmr(data, count=0), BadValueError, "mrmr: count must be a whole number of at least 1"),
        (
            lambda data: boruta(data, iterations=0),
            BadValueError,
            "boruta: iterations must be a whole number of at least 1",
        ),
        (lambda data: rfecv(data, trees=1.5), BadTypeError, "rfecv: trees must be a whole number"),
        (lambda data: sequential_selection(data, n_jobs=0), BadValueError, "n_jobs: wanted at least 1"),
        (lambda data: tigramite_tests(data, "psychic"), UnknownNameError, "no test named 'psychic'"),
        (
            lambda data: tigramite_tests(data, alpha=2),
            BadValueError,
            "tigramite: alpha must lie between 0 and 1, got 2",
        ),
        (
            lambda data: shap_ranking(data, runs=0),
            BadValueError,
            "shap: runs must be a whole number of at least 1",
        ),
        (lambda data: rfecv(data.rows([0, 1])), BadValueError, "rfecv: wanted at least 3 steps for 3 folds"),
    ],
)
def test_bad_arguments_are_one_sentence(packages, call, error, message):
    with pytest.raises(error, match=message):
        call(additive(60))


def test_real_shap_and_tigramite_where_they_are_installed():
    pytest.importorskip("shap")
    pytest.importorskip("tigramite")
    assert {"a", "b"} <= set(shap_ranking(additive(), runs=2, trees=10, explained=20).kept)
    assert {"a", "b"} <= set(shap_ranking(additive(kind="class"), runs=2, trees=10, explained=20).kept)
    assert tigramite_tests(additive()).kept == ("a", "b")
    assert "a" in tigramite_tests(additive(), "robust_parcorr").kept
