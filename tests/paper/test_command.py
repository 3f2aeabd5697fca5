"""`terc paper` on the command line."""

import json

import pytest

from terc.cli.main import main


def call(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main(["paper", *arguments])
    said = capsys.readouterr()
    return ended.value.code, said.out, said.err


def test_one_experiment_ends_with_its_claims_and_the_page(capsys, tmp_path):
    out = str(tmp_path / "run")
    code, said, told = call(capsys, "inference", "--scale", "toy", "--out", out, "--n-jobs", "1")
    assert code == 0
    assert said.splitlines()[0] == "Table 1: inference, Secret Key Game"
    assert said.splitlines()[-1] == f"page: {tmp_path / 'run' / 'paper.html'}"
    assert "[1/10] inference: Secret Key, 25 to 3, networks 1" in told
    code, said, told = call(capsys, "inference", "--scale", "toy", "--out", out, "--json")
    assert code == 0
    assert len(json.loads(said)["claims"]) == 12
    assert {claim["place"] for claim in json.loads(said)["claims"]} == {"Table 1", "Table 2"}
    assert told.count("was done before") == 10


def test_an_unknown_experiment_is_one_line_and_exit_2(capsys, tmp_path):
    code, said, told = call(capsys, "atari", "--out", str(tmp_path / "run"))
    assert (code, said) == (2, "")
    assert told.startswith("terc: paper: no experiment named 'atari'. Available: theory, synthetic")
    assert not (tmp_path / "run").exists()


def test_a_plan_says_what_it_costs_and_does_nothing(capsys, tmp_path):
    out = tmp_path / "run"
    code, said, _ = call(capsys, "all", "--scale", "full", "--plan", "--out", str(out))
    assert code == 0
    assert said.startswith("scale full")
    assert "free cores" in said.splitlines()[-1]
    assert " 0 " not in said, "every experiment takes some time"
    assert not out.exists()


def test_without_a_word_nothing_is_run_and_the_experiments_are_listed(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, said, _ = call(capsys)
    assert code == 0
    assert "prisoners" in said and said.splitlines()[-1].startswith("Nothing was run. Name what you want:")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("words", [(), ("all", "--plan")])
def test_a_plan_for_machines(capsys, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    code, said, _ = call(capsys, *words, "--json")
    assert code == 0
    made = json.loads(said)
    assert made["scale"] == "quick" and made["plan"]["theory"]["tasks"] == 1
    assert all(row["cpu_seconds"] > 0 for row in made["plan"].values())
