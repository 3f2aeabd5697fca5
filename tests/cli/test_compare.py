"""`terc compare` on the command line."""

import json

import pytest

from terc.cli.main import main
from terc.synthetic import four_redundant


@pytest.fixture
def steps(tmp_path):
    path = tmp_path / "steps.parquet"
    four_redundant(500).data.save(path)
    return path


def run(*arguments):
    with pytest.raises(SystemExit) as end:
        main([str(one) for one in arguments])
    return end.value.code


def test_a_table(steps, capsys):
    assert run("compare", steps, "--methods", "terc,permutation", "--truth", "x1,x2,x3") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["method", "agree", "retained", "cpu", "s", "exact", "kept"]
    assert [line.split()[0] for line in lines[1:3]] == ["terc", "permutation"]


def test_json_and_a_folder_that_continues(steps, tmp_path, capsys):
    arguments = ("compare", steps, "--methods", "permutation", "--out", tmp_path / "sides", "--json")
    assert run(*arguments) == 0
    first = json.loads(capsys.readouterr().out)
    assert list(first["methods"]) == ["permutation"]
    assert run(*arguments) == 0
    assert json.loads(capsys.readouterr().out) == first


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--methods", "magic"), "compare: no method named 'magic'."),
        (("--truth", "y"), "--truth: no variable named 'y'."),
        (("--action", "b"), "'b'"),
        (("--jobs", "0"), "n_jobs: wanted at least 1 worker"),
    ],
)
def test_bad_input_is_one_line(steps, capsys, arguments, said):
    assert run("compare", steps, *arguments) == 2
    line = capsys.readouterr().err
    assert said in line
    assert line.count("\n") == 1
