"""UMFI against closed forms, and its contract."""

import numpy as np
import pytest
from backwards import Backwards

from terc.baselines.umfi import umfi
from terc.errors import BadTypeError, BadValueError, TercWarning, UnknownNameError
from terc.synthetic import four_redundant
from terc.trajectories.data import Trajectories

QUICK = {"trees": 15, "runs": 3, "tree_rows": 300}


@pytest.mark.parametrize("removal", ["transport", "linear"])
def test_additive_independent_effects_score_their_share_of_variance(removal, seed):
    rng = np.random.default_rng(seed)
    weights, noise = np.array([1.0, 0.7, 0.5, 0.0]), 0.3
    # Chance correlations would shift the shares by as much as the tolerance: take them out.
    x = np.linalg.qr(rng.uniform(-1, 1, (4000, 5)))[0] * np.sqrt(4000)
    data = Trajectories(x[:, :4], x[:, :4] @ weights + noise * x[:, 4], episodes=range(4000))
    selection = umfi(data, trees=50, removal=removal, runs=1, tree_rows=500)
    share = weights**2 / ((weights**2).sum() + noise**2)
    assert np.abs([v.gain for v in selection.verdicts] - share).max() < 0.03


def test_copies_do_not_take_each_others_credit():
    labelled = four_redundant(2000)
    selection = umfi(labelled.data, trees=15, runs=3)
    assert min(v.gain for v in selection.verdicts) > 0.05
    assert not labelled.is_exact(selection.kept)


def test_classes_are_scored_by_accuracy(seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 3, (800, 3))
    data = Trajectories(x, np.array(["left", "stay", "right"])[x[:, 1]], episodes=range(800))
    selection = umfi(data, **QUICK)
    assert selection["x_1"].gain == pytest.approx(2 / 3, abs=0.05)
    assert "x_1" in selection.kept
    assert "accuracy" in selection.notes[0].text


def test_same_seed_same_answer_in_whatever_order(monkeypatch):
    data = four_redundant(400).data
    one = umfi(data, trees=3, runs=2, seed=3)
    monkeypatch.setattr("terc.baselines.scored.choose_backend", lambda *_: Backwards())
    assert one.verdicts == umfi(data, trees=3, runs=2, seed=3).verdicts
    assert one.verdicts != umfi(data, trees=3, runs=2, seed=4).verdicts


def test_the_null_model_does_not_repeat_the_data(seed):
    x = np.random.default_rng(seed).integers(0, 2, (500, 2))
    assert umfi(Trajectories(x, x[:, 0]), trees=5, runs=2, null_draws=1, seed=seed).kept == ("x_0",)


def test_fewer_steps_are_said():
    data = four_redundant(1000).data
    selection = umfi(data, trees=5, runs=2, max_steps=500, tree_rows=100)
    said = [note.text for note in selection.notes]
    assert "500 of 1000 steps were used: whole episodes at even distances." in said
    assert "each tree was grown on 100 rows." in said


def test_linear_removal_warns_of_columns_with_few_levels():
    selection = umfi(four_redundant(200).data, "linear", trees=2, runs=2)
    said = [note.text for note in selection.notes]
    assert "linear removal hides nothing in columns of few levels (6 of 6)." in said


def test_progress_is_reported():
    seen = []
    umfi(four_redundant(200).data, trees=2, runs=2, progress=lambda *said: seen.append(said))
    assert seen[0] == (0, 14, "umfi")
    assert seen[-1] == (14, 14, "umfi")


def test_constant_columns_go_and_constant_actions_warn():
    x = np.column_stack([np.arange(60) % 2, np.ones(60)])
    assert umfi(Trajectories(x, x[:, 0]), trees=5, runs=2)["x_1"].reason == "constant"
    with pytest.warns(TercWarning, match="the action never changes"):
        assert umfi(Trajectories(x, np.ones(60))).kept == ()


def test_a_single_variable_needs_no_company():
    x = np.tile([0.0, 1.0], 100)
    assert umfi(Trajectories(x[:, None], x), trees=10, runs=2).kept == ("x_0",)


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"removal": "magic"}, UnknownNameError, "umfi: no removal named 'magic'"),
        ({"trees": 0}, BadValueError, "umfi: trees must be a whole number of at least 1, got 0"),
        ({"runs": 2.5}, BadTypeError, "umfi: runs must be a whole number of at least 1, got 2.5"),
        ({"max_steps": -1}, BadValueError, "umfi: max_steps must be a whole number of at least 1"),
        ({"alpha": 7}, BadValueError, "umfi: alpha must lie between 0 and 1, got 7"),
        ({"alpha": "small"}, BadTypeError, "umfi: alpha must be a number, got 'small'"),
        ({"n_jobs": 0}, BadValueError, "n_jobs: wanted at least 1"),
    ],
)
def test_bad_arguments_are_one_sentence(wrong, error, message):
    with pytest.raises(error, match=message):
        umfi(four_redundant(50).data, **wrong)


def test_data_must_be_trajectories():
    with pytest.raises(BadTypeError, match="umfi: data must be Trajectories, got list"):
        umfi([[1, 2]])
