import json

import pytest

import terc
from terc.cli.main import main
from terc.selection.result import Interval, Verdict


def ends(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        main([str(one) for one in arguments])
    output = capsys.readouterr()
    return caught.value.code, output.out, output.err


def test_a_saved_selection_becomes_a_page(tmp_path, capsys):
    rows = (
        Verdict("x", 0.69, 0.68, 0.70, 0.01, 0.0, True, "needed"),
        Verdict("noise", 0.0, -0.01, 0.01, 0.01, 1.0, False, "irrelevant"),
    )
    terc.Selection(rows, retained=Interval(1.0, 0.99, 1.0)).save(tmp_path / "selection.json")
    code, out, err = ends(
        ["report", tmp_path / "selection.json", "--out", tmp_path / "page.html", "--json"], capsys
    )
    assert (code, err) == (0, "")
    assert json.loads(out)["report"] == str(tmp_path / "page.html")
    assert "noise" in (tmp_path / "page.html").read_text(encoding="utf8")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing", "there is no folder"),
        ("missing.json", "there is no folder"),
        ("broken.json", "is not a saved Selection (it is not JSON: line 1, column 13)"),
        ("empty/selection.json", "is not a saved Selection (it lacks 'verdicts')"),
        ("empty", "does not hold what a run writes there (it lacks 'verdicts')"),
        ("list/selection.json", "it is a list, not the fields of a Selection"),
        ("list", "it is a list, not the fields of a Selection"),
        ("house.csv", "wanted the folder of a run or a saved selection (.json), got the file"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(name, words, tmp_path, capsys):
    for folder, text in (("empty", "{}"), ("list", "[1]")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "selection.json").write_text(text)
    (tmp_path / "broken.json").write_text('{"format": 1')
    (tmp_path / "house.csv").write_text("a,b\n1,2\n")
    code, out, err = ends(["report", tmp_path / name], capsys)
    assert (code, out) == (2, "")
    assert err.startswith("terc: ")
    assert err.count("\n") == 1 and words in err
