import json
import re
from importlib import metadata
from pathlib import Path

import pandas as pd
import pytest

import terc
from terc.cli import doctor
from terc.cli.main import main

ROOT = Path(__file__).parent.parent.parent


def ends(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    output = capsys.readouterr()
    return caught.value.code, output.out, output.err


def test_the_doctor_knows_what_every_extra_is_for():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf8")
    extras = re.findall(r"^(\w+) = \[", text.split("[project.optional-dependencies]")[1], re.MULTILINE)
    assert set(extras[: extras.index("dev") + 1]) - {"dev", "docs"} == set(doctor.NEEDED_FOR)


def test_the_doctor_finds_what_is_missing(monkeypatch, capsys):
    named = ["numpy>=2.0", "pandas>=99.1", 'nothing-like-it>=1.2; extra == "ray"', 'joblib; extra == "gym"']
    monkeypatch.setattr(doctor, "requires", lambda name: named)
    code, out, err = ends(["doctor"], capsys)
    assert code == 1
    assert "pandas" in out and "(too old, wanted 99.1)" in out
    assert "ready    Lunar Lander" in out
    assert "pip install 'terc[ray]' (nothing-like-it missing)" in out
    assert "not complete" in err
    code, out, err = ends(["doctor", "--json"], capsys)
    assert [one["good"] for one in json.loads(out)["packages"]] == [True, False, False, True]


def test_the_core_is_complete_here(capsys):
    code, out, _ = ends(["doctor"], capsys)
    assert code == 0
    assert f"numpy {metadata.version('numpy')}" in out
    assert ends(["--version"], capsys)[1] == f"terc {terc.__version__}\n"


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_example_is_a_plain_table_with_a_known_answer(suffix, tmp_path, capsys):
    path = tmp_path / f"steps.{suffix}"
    code, out, _ = ends(["example", str(path), "--steps", "400"], capsys)
    assert code == 0
    assert f"terc select {path} --action push --episode trial" in out
    table = pd.read_csv(path) if suffix == "csv" else pd.read_parquet(path)
    assert list(table.columns[:5]) == [
        "trial",
        "cart_position",
        "cart_velocity",
        "pole_angle",
        "pole_degrees",
    ]
    assert set(table["push"]) == {"left", "right"}
    assert len(terc.load(path, action="push", episode="trial")) == 400


def test_the_example_replaces_a_file_only_if_told_to(tmp_path, capsys):
    path = tmp_path / "steps.csv"
    path.write_text("mine")
    code, out, err = ends(["example", str(path)], capsys)
    assert (code, out, path.read_text()) == (2, "", "mine")
    assert err == f"terc: example: {path} exists; choose another name, or replace it with --force.\n"
    assert ends(["example", str(path), "--steps", "400", "--force"], capsys)[0] == 0
    assert path.read_text().startswith("trial,")


@pytest.mark.parametrize(
    "words", [["steps.xlsx"], ["steps.csv", "--steps", "3"], ["no/such/folder/steps.csv"]]
)
def test_a_bad_request_for_an_example_is_one_line(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code, out, err = ends(["example", *words], capsys)
    assert (code, out) == (2, "")
    assert err.startswith("terc: ") and err.count("\n") == 1
