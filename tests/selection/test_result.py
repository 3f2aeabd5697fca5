"""`Selection`: what it says, and that a saved one comes back the same."""

import json

import pytest

import terc
from terc.errors import DataFileError, UnknownNameError
from terc.selection.result import Interval, Note, Selection, Step, Verdict


@pytest.fixture
def selection():
    nan = float("nan")
    return Selection(
        (
            Verdict("speed", 0.5, 0.4, 0.6, 0.01, 0.001, True, "needed", instrument="networks", acts="alone"),
            Verdict("copy", 0.0, -0.1, 0.1, nan, 1.0, False, "redundant", given=("speed",), shared=0.4),
            Verdict("noise", 0, -0.1, 0.1, 0.01, 1, False, "irrelevant", undecided=True, steps_needed=9000),
            Verdict("still", 0.0, 0.0, 0.0, 0.0, 1.0, False, "constant"),
            Verdict("wanted", 0.0, 0.0, 0.1, 0.01, 1.0, True, "asked for"),
        ),
        steps=(Step(("copy", "noise"), 2, -0.01, 1.0, True, "networks"),),
        retained=Interval(nan, nan, nan),
        information=0.6,
        action_entropy=0.69,
        n_steps=1000,
        n_episodes=10,
        config={"alpha": 0.05, "groups": [["a", "b"]], "order": None},
        timings={"select": 1.5},
        notes=(Note("fact", "a", "auto: counted."), Note("doubt", "b", "größer")),
    )


def same(one, other):
    """Equality through JSON, so that NaN equals itself."""
    return json.dumps(one.to_dict(), sort_keys=True) == json.dumps(other.to_dict(), sort_keys=True)


def test_kept_and_removed_in_column_order(selection):
    assert selection.kept == ("speed", "wanted")
    assert selection.kept_indices == (0, 4)
    assert selection.names == ("speed", "copy", "noise", "still", "wanted")
    assert [(r.name, r.reason, r.given, r.shared) for r in selection.removed] == [
        ("copy", "redundant", ("speed",), 0.4),
        ("noise", "irrelevant", (), None),
        ("still", "constant", (), None),
    ]


def test_one_variable_by_name(selection):
    assert selection["noise"].steps_needed == 9000
    with pytest.raises(UnknownNameError, match=r"'spead'. Did you mean 'speed'\? Available: speed, copy"):
        selection["spead"]


def test_a_frame_has_a_row_per_variable(selection):
    frame = selection.to_frame()
    assert frame.index.tolist() == list(selection.names)
    assert {"gain", "low", "high", "null_high", "p_value", "kept", "reason"} <= set(frame.columns)
    assert frame.loc["speed", "gain"] == 0.5
    assert frame["kept"].tolist() == [True, False, False, False, True]


def test_saved_and_loaded_is_the_same(selection, tmp_path):
    path = tmp_path / "selection.json"
    selection.save(path)
    loaded = terc.Selection.load(path)
    assert same(loaded, selection)
    assert loaded.kept == selection.kept
    assert loaded.verdicts[2:] == selection.verdicts[2:]
    assert str(loaded) == str(selection)


def test_the_file_is_json_for_everyone(selection, tmp_path):
    path = tmp_path / "selection.json"
    selection.save(str(path))

    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    record = json.loads(path.read_text(encoding="utf8"), parse_constant=refuse)
    assert record["kept"] == ["speed", "wanted"]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "text", ["", "not json", "[]", "3", "{}", '{"verdicts": 3}', '{"verdicts": [{"name": 1}]}']
)
def test_what_is_not_a_selection_is_refused_by_name(text, tmp_path):
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(DataFileError, match=r"Selection\.load: .*other\.json is not a saved Selection"):
        Selection.load(path)


def test_a_missing_file_is_refused_by_name(tmp_path):
    with pytest.raises(DataFileError, match=r"nowhere\.json"):
        Selection.load(tmp_path / "nowhere.json")


def test_an_interval_is_its_value():
    assert float(Interval(0.9, 0.8, 1.0)) == 0.9
    assert str(Interval(0.98765, 0.9, 1.0)) == "0.988 [0.900, 1.000]"


def test_it_prints_every_name(selection):
    shown = str(selection)
    assert all(name in shown for name in selection.names)
    assert "2 of 5 variables kept" in shown
