"""Permutation importance against scikit-learn's, and its contract."""

import numpy as np
import pytest
from backwards import Backwards

from terc.baselines.permutation_importance import permutation_importance, ridge
from terc.errors import BadValueError, UnknownNameError
from terc.synthetic import four_redundant, secret_keys, two_triplets
from terc.trajectories.data import Trajectories


def test_closed_form_equals_scikit_learn(seed):
    from sklearn.inspection import permutation_importance as theirs
    from sklearn.linear_model import Ridge

    rng = np.random.default_rng(seed)
    x = rng.standard_normal((400, 3)) * [1, 10, 0.1] + 5
    y = x @ [1, -0.2, 3] + rng.standard_normal(400)
    selection = permutation_importance(Trajectories(x, y), repeats=500)
    wanted = theirs(Ridge(alpha=0.01).fit(x, y), x, y, n_repeats=200, random_state=0)
    assert [v.gain for v in selection.verdicts] == pytest.approx(wanted.importances_mean, abs=0.03)


def test_one_permutation_costs_what_prediction_says(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.standard_normal((50, 3)), rng.standard_normal((50, 2))
    fitted, order = ridge([x[:, :2], x[:, 2:]], y), rng.permutation(50)
    weights = np.linalg.lstsq(x - x.mean(0), y - y.mean(0), rcond=None)[0]
    shuffled = x.copy()
    shuffled[:, :2] = x[order, :2]
    errors = [((y - y.mean(0) - (one - x.mean(0)) @ weights) ** 2).sum() for one in (x, shuffled)]
    expected = (errors[1] - errors[0]) / ((y - y.mean(0)) ** 2).sum()
    assert fitted.falls(order)[0] == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("family", [four_redundant, two_triplets])
def test_ridge_is_blind_to_xor(family, seed):
    labelled = family(5000, seed=seed)
    assert not labelled.is_exact(permutation_importance(labelled.data, repeats=100).kept)


def test_ridge_finds_expert_keys(seed):
    labelled = secret_keys(3000, seed=seed)
    assert labelled.is_exact(permutation_importance(labelled.data, repeats=100).kept)


def test_labels_are_permuted_whole(seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 4, (1000, 2))
    shown = np.array([2.0, -1.0, 0.0, 1.0])[codes[:, 0]]
    data = Trajectories(codes, shown + 0.1 * rng.standard_normal(1000), nominal=["x_0", "x_1"])
    selection = permutation_importance(data, repeats=50)
    assert selection.kept == ("x_0",)
    assert selection["x_0"].gain == pytest.approx(2.0, abs=0.1)


def test_forest_sees_xor_and_keeps_every_copy():
    labelled = four_redundant(3000)
    selection = permutation_importance(labelled.data, "forest", runs=3, repeats=1, trees=30)
    assert {"x2", "x3"} <= set(selection.kept)
    assert not labelled.is_exact(selection.kept)


def test_forest_classifies_labels(seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 3, (900, 2))
    data = Trajectories(x, np.array(["left", "stay", "right"])[x[:, 1]], episodes=range(900))
    selection = permutation_importance(data, "forest", runs=3, trees=10)
    assert selection.kept == ("x_1",)
    assert selection["x_1"].gain == pytest.approx(2 / 3, abs=0.1)


@pytest.mark.parametrize("model", ["ridge", "forest"])
def test_same_seed_same_answer_in_whatever_order(model, monkeypatch):
    data = secret_keys(300, keys=4).data
    settings = {"repeats": 3, "runs": 2, "trees": 5}
    one = permutation_importance(data, model, **settings, seed=3)
    monkeypatch.setattr("terc.baselines.scored.choose_backend", lambda *_: Backwards())
    assert one.verdicts == permutation_importance(data, model, **settings, seed=3).verdicts
    assert one.verdicts != permutation_importance(data, model, **settings, seed=4).verdicts


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"model": "boost"}, UnknownNameError, "permutation_importance: no model named 'boost'"),
        (
            {"repeats": 0},
            BadValueError,
            "permutation_importance: repeats must be a whole number of at least 1",
        ),
        (
            {"tree_rows": 0},
            BadValueError,
            "permutation_importance: tree_rows must be a whole number of at least 1",
        ),
    ],
)
def test_bad_arguments_are_one_sentence(wrong, error, message):
    with pytest.raises(error, match=message):
        permutation_importance(four_redundant(50).data, **wrong)


def test_two_steps_cannot_be_held_out():
    with pytest.raises(BadValueError, match="wanted at least 3 steps, got 2"):
        permutation_importance(Trajectories([[0], [1]], [0, 1]), "forest")
