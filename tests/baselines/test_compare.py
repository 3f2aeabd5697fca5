"""Side by side: kept sets, agreement, exactness, and a comparison that survives being killed."""

import json
from functools import partial

import numpy as np
import pytest

import terc
from terc.baselines.compare import compare
from terc.baselines.methods import METHODS, described
from terc.baselines.permutation_importance import permutation_importance
from terc.baselines.retained import holdings
from terc.errors import BadTypeError, BadValueError, DataFileError, UnknownNameError
from terc.synthetic import four_redundant, secret_keys

QUICK = {"permutation": "permutation", "few": partial(permutation_importance, repeats=5)}


@pytest.fixture(scope="module")
def labelled():
    return four_redundant(600)


def keeps(*names):
    return lambda data: list(names)


def test_ours_beside_one_that_is_blind(labelled):
    sides = terc.compare(labelled.data, ["terc", "permutation"], truth=labelled)
    assert list(sides) == ["terc", "permutation"]
    assert sides.is_exact("terc")
    assert not sides.is_exact("permutation")
    assert sides["terc"].retained.value == pytest.approx(1.0, abs=0.02)
    assert sides["terc"].timings["cpu"] > 0
    assert "exact" in str(sides).splitlines()[0]
    assert max(map(len, str(sides).splitlines())) <= 110


def test_agreement_and_frame(labelled):
    sides = compare(
        labelled.data,
        {"a": keeps("x1", "x2"), "b": keeps("x2", "x3"), "none": keeps()},
        truth=[["x1", "x4"], ["x2"]],
    )
    assert sides.agreement("a", "b") == pytest.approx(1 / 3)
    assert sides.agreement("none", "none") == 1.0
    frame = sides.to_frame()
    assert frame.loc["a", "exact"]
    assert frame.loc["b", "missed"] == [["x1", "x4"]]
    assert frame.loc["b", "wrong"] == ["x3"]
    assert "nothing" in str(sides)
    json.dumps(sides.to_dict(), allow_nan=False)


def test_what_a_set_holds(seed):
    labelled = four_redundant(3000, seed=seed)
    held = holdings(labelled.data, [["x4", "x2", "x3"], ["x1", "x4"], labelled.data.names, []])
    assert [share.value for share in held.shares] == pytest.approx([1, 0, 1, 0], abs=0.02)
    assert held.information == pytest.approx(np.log(2), abs=0.01)


def test_killed_and_continued_equals_undisturbed(labelled, tmp_path):
    whole = compare(labelled.data, QUICK, out=tmp_path / "whole")

    def killed(data):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare(labelled.data, {**QUICK, "boom": killed}, out=tmp_path / "again")
    saved = json.loads((tmp_path / "again/methods/few.json").read_text())
    again = compare(labelled.data, QUICK, out=tmp_path / "again")
    assert {m: s.verdicts for m, s in again.items()} == {m: s.verdicts for m, s in whole.items()}
    assert [s.retained for s in again.values()] == [s.retained for s in whole.values()]
    assert json.loads((tmp_path / "again/methods/few.json").read_text()) == saved
    assert again["few"].timings["cpu"] == saved["timings"]["cpu"]
    assert (tmp_path / "again/comparison.txt").read_text() == f"{again}\n"


def test_methods_may_be_added_later(labelled, tmp_path):
    compare(labelled.data, ["permutation"], out=tmp_path)
    both = compare(labelled.data, ["permutation", "knockoffs"], out=tmp_path)
    assert list(both) == ["permutation", "knockoffs"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 1}, "seed: 0 there, 1 here"),
        ({"data": four_redundant(600, seed=9).data}, "data: .* there, .* here"),
        (
            {"methods": {"few": partial(permutation_importance, repeats=6)}},
            "few: .*repeats=5 there, .*=6 here",
        ),
    ],
)
def test_other_settings_are_refused(labelled, tmp_path, change, message):
    compare(labelled.data, QUICK, out=tmp_path)
    with pytest.raises(BadValueError, match=message):
        compare(**{"data": labelled.data, "methods": QUICK, "out": tmp_path} | change)


def test_a_changed_method_of_ones_own_is_not_taken_for_the_former(labelled, tmp_path):
    first = compare(labelled.data, {"mine": keeps("x1")}, out=tmp_path)
    again = compare(labelled.data, {"mine": keeps("x1")}, out=tmp_path)
    assert again["mine"].timings == first["mine"].timings
    with pytest.raises(BadValueError, match="mine: .*#.* there, .*#.* here.*another name for a method"):
        compare(labelled.data, {"mine": keeps("x2")}, out=tmp_path)
    assert compare(labelled.data, {"mine 2": keeps("x2")}, out=tmp_path)["mine 2"].kept == ("x2",)


def test_a_method_that_cannot_be_known_again_is_run_anew(labelled, tmp_path):
    with open(tmp_path / "log", "w") as log:

        def logged(*names):
            return lambda data: list(names) if log else []

        for name in ("x1", "x2"):
            sides = compare(labelled.data, {"mine": logged(name)}, out=tmp_path / "r")
            assert sides["mine"].kept == (name,)


def test_a_folder_of_something_else_is_refused(labelled, tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(BadValueError, match="holds files but no compare.json"):
        compare(labelled.data, QUICK, out=tmp_path)
    (tmp_path / "compare.json").write_text("[]")
    with pytest.raises(DataFileError, match="compare.json cannot be read"):
        compare(labelled.data, QUICK, out=tmp_path)


def test_progress_names_the_method(labelled):
    seen = []
    compare(labelled.data, ["permutation"], progress=lambda *said: seen.append(said))
    assert seen[0] == (0, 1, "permutation")
    assert seen[-1] == (1, 1, "information retained")


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"data": [[1]]}, BadTypeError, "compare: data must be Trajectories, got list"),
        ({"methods": ["magic"]}, UnknownNameError, "compare: no method named 'magic'"),
        (
            {"methods": "terc"},
            BadTypeError,
            "compare: methods must be a list of names and functions, got 'terc'",
        ),
        ({"methods": []}, BadValueError, "compare: wanted at least one method"),
        ({"methods": ["terc", "terc"]}, BadValueError, "compare: method 'terc' comes twice"),
        ({"methods": [3]}, BadTypeError, "compare: a method must be a name or a function, got 3"),
        ({"methods": {"m": keeps("y")}}, UnknownNameError, "compare: kept by 'm': no variable named 'y'"),
        (
            {"methods": {"m": lambda data: 7}},
            BadTypeError,
            "compare: method 'm' must return a Selection or names",
        ),
        ({"truth": ["y"]}, UnknownNameError, "compare: truth: no variable named 'y'"),
        ({"truth": "x1"}, BadTypeError, "compare: truth must be a list of names, got 'x1'"),
        ({"seed": -1}, BadValueError, "seed: wanted a whole number of at least 0"),
        ({"n_jobs": 0}, BadValueError, "n_jobs: wanted at least 1"),
    ],
)
def test_bad_arguments_are_one_sentence(labelled, wrong, error, message):
    with pytest.raises(error, match=message):
        compare(**{"data": labelled.data, "methods": ["permutation"]} | wrong)


def test_a_selection_of_other_data_is_refused(labelled):
    other = permutation_importance(secret_keys(100, keys=3).data, repeats=2)
    with pytest.raises(BadValueError, match="method 'm' answered for other variables"):
        compare(labelled.data, {"m": lambda data: other})


def test_a_constant_action_is_no_accident():
    data = terc.Trajectories(np.arange(200)[:, None], np.ones(200))
    with pytest.warns(terc.TercWarning):
        sides = compare(data, ["terc", "permutation", "umfi"])
    assert not any(selection.kept for selection in sides.values())


def test_every_method_says_what_it_runs():
    assert len({described(method) for method in METHODS.values()}) == len(METHODS)
    assert described(partial(keeps("a"), 1)) != described(partial(keeps("b"), 1))
    assert described(partial(keeps, np.zeros(3))) != described(partial(keeps, np.ones(3)))
