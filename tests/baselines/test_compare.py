"""Side by side: kept sets, agreement, exactness, and a comparison that continues."""

import json
from contextlib import nullcontext
from functools import partial

import numpy as np
import pytest

import terc
from terc import progress_display
from terc.baselines.compare import compare
from terc.baselines.comparison import Comparison, holdings
from terc.baselines.methods import METHODS, Method
from terc.baselines.permutation_importance import permutation_importance
from terc.errors import BadTypeError, BadValueError, UnknownNameError
from terc.selection.result import Note, Selection, Verdict
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


def test_methods_may_be_added_later(labelled, tmp_path):
    compare(labelled.data, ["permutation"], out=tmp_path)
    both = compare(labelled.data, ["permutation", "knockoffs"], out=tmp_path)
    assert list(both) == ["permutation", "knockoffs"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 1}, "seed: 0 there, 1 here"),
        ({"data": four_redundant(600, seed=9).data}, "data: .* there, .* here"),
    ],
)
def test_another_seed_or_other_data_are_refused(labelled, tmp_path, change, message):
    compare(labelled.data, QUICK, out=tmp_path)
    with pytest.raises(BadValueError, match=message):
        compare(**{"data": labelled.data, "methods": QUICK, "out": tmp_path} | change)


def test_a_method_whose_settings_changed_is_run_again_and_the_others_are_not(labelled, tmp_path):
    first = compare(labelled.data, QUICK, out=tmp_path)
    again = compare(labelled.data, QUICK, out=tmp_path)
    assert {m: s.timings for m, s in again.items()} == {m: s.timings for m, s in first.items()}
    other = QUICK | {"few": partial(permutation_importance, repeats=6)}
    changed = compare(labelled.data, other, out=tmp_path)
    assert changed["permutation"].timings == first["permutation"].timings
    assert changed["few"].timings != first["few"].timings
    assert (tmp_path / "comparison.txt").read_text() == f"{changed}\n"


def test_a_method_in_memory_says_so_and_is_run_again(labelled, tmp_path):
    for name in ("x1", "x2"):
        with pytest.warns(terc.TercWarning, match="mine exists in memory only and is run again each time"):
            sides = compare(labelled.data, {"mine": keeps(name)}, out=tmp_path / "r")
        assert sides["mine"].kept == (name,)


def test_a_folder_of_something_else_or_of_version_0_1_is_refused(labelled, tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(BadValueError, match="holds files but no config.json of terc compare"):
        compare(labelled.data, QUICK, out=tmp_path)
    (tmp_path / "compare.json").write_text('{"settings": {}, "methods": {}}')
    with pytest.raises(BadValueError, match="from another version of terc and cannot be continued"):
        compare(labelled.data, QUICK, out=tmp_path)


def test_progress_names_the_method(labelled):
    seen = []
    compare(labelled.data, ["permutation"], progress=lambda *said: seen.append(said))
    assert seen[0] == (0, 2, "permutation")
    assert seen[-1] == (2, 2, "information retained")
    within = [what for done, _, what in seen if done == 0 and what != "permutation"]
    assert within and all(what.startswith("permutation: ") and " of " in what for what in within)


def test_the_time_left_is_that_of_the_method(labelled, monkeypatch):
    events = []
    monkeypatch.setattr(progress_display, "listening", lambda: nullcontext(events.append))
    compare(labelled.data, ["permutation"], progress=True)
    assert [event.task for event in events if event.finished] == ["permutation", "information retained"]
    seconds = [0.0]
    watched = progress_display.Watched(lambda: seconds[0])
    watched.see(events[0])
    half = next(event for event in events if 2 * event.done >= event.total > 0)
    seconds[0] = float(half.done)  # a second for each
    watched.see(half)
    assert watched.times() == (half.done, half.total - half.done)
    assert watched.line().startswith(f"[1/2] permutation: {half.done:,} of {half.total:,}; ")


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
    assert len({Method.of(method).name for method in METHODS.values()}) == len(METHODS)
    assert Method.of(partial(permutation_importance, repeats=5)).name.endswith(
        "permutation_importance, repeats=5"
    )
    assert Method.of(partial(permutation_importance, np.zeros(3))).name is None
    assert Method.of(keeps("a")).name is None


def test_doubts_are_printed_with_the_method_they_are_about():
    doubt, fact = Note("doubt", "low-share", "they hold only 60 %."), Note("fact", "a", "counted.")
    row = Verdict("x", 0.7, 0.6, 0.8, 0.0, 0.0, True, "needed")
    text = str(Comparison({"terc": Selection((row,), notes=(doubt, fact)), "other": Selection((row,))}))
    assert text.splitlines()[-1] == "doubt: terc: they hold only 60 %."


def test_a_function_that_raises_is_named_and_its_cause_kept():
    with pytest.raises(BadValueError, match="the function 'mine' raised ZeroDivisionError .division") as told:
        compare(four_redundant(100).data, methods={"mine": lambda data: 1 / 0})
    assert isinstance(told.value.__cause__, ZeroDivisionError)
