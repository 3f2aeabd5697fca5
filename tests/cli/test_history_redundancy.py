"""`terc history` and `terc redundancy`: the answers of Python, on the command line."""

import json

import numpy as np
import pytest

from terc import Trajectories
from terc.cli.main import main


@pytest.fixture
def steps(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, 3000)
    states = np.column_stack([x, x, rng.integers(0, 2, 3000)])
    actions = np.r_[0, x[:-1]]
    Trajectories(states, actions, names=["x", "twin", "noise"]).save(tmp_path / "past.npz")
    Trajectories(states, x, names=["x", "twin", "noise"]).save(tmp_path / "now.npz")
    return tmp_path


def called(capsys, *arguments):
    with pytest.raises(SystemExit) as end:
        main([str(argument) for argument in arguments])
    return end.value.code, capsys.readouterr()


def test_history(steps, capsys):
    code, said = called(
        capsys, "history", steps / "past.npz", "--max-length", 3, "--drop", "twin", "--json", "--quiet"
    )
    assert code == 0 and json.loads(said.out)["length"] == 1
    code, said = called(capsys, "history", steps / "past.npz", "--max-length", 0)
    assert code == 2 and said.err.count("\n") == 1 and "max_length" in said.err


def test_redundancy(steps, capsys):
    code, said = called(capsys, "redundancy", steps / "now.npz", "--json", "--quiet")
    pairs = json.loads(said.out)["pairs"]
    assert code == 0 and [(pair["first"], pair["second"]) for pair in pairs] == [(["x"], ["twin"])]
    code, said = called(capsys, "redundancy", steps / "now.npz", "--time-limit", -1)
    assert code == 2 and "--time-limit: wanted seconds" in said.err
    code, said = called(capsys, "redundancy", steps / "now.npz", "--context", "some")
    assert code == 2 and said.err.count("\n") == 1


def test_shell_completion_is_offered(capsys):
    code, said = called(capsys, "--help")
    assert code == 0 and "--install-completion" in said.out
