import json

import numpy as np
import pytest

from terc.agents import NetworkPolicy, PolicySpec, load_policy
from terc.cli.main import main


@pytest.fixture
def model(tmp_path):
    """Cart Pole's well-known rule as a network: push to where the pole falls."""
    weights = np.array([[0, 0], [0, 0], [0, 9], [0, 9]], np.float32)
    spec = PolicySpec("CartPole-v1", 4, n_actions=2)
    NetworkPolicy(spec, ((weights, np.zeros(2, np.float32)),)).save(tmp_path / "model.npz")
    return tmp_path / "model.npz"


def ends(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        main([str(one) for one in arguments])
    output = capsys.readouterr()
    return caught.value.code, output.out, output.err


def test_ablate_prints_a_table_or_json(model, capsys):
    given = ["ablate", "CartPole-v1", "--model", model, "--episodes", 10, "--steps", 500]
    code, out, err = ends([*given, "--keep", "pole_angle,pole_velocity", "--json"], capsys)
    rows = {row["name"]: row["matters"] for row in json.loads(out)["rows"]}
    assert (code, err) == (0, "") and rows["pole_velocity"] and not rows["removed"]
    code, out, _ = ends(given, capsys)
    assert code == 0 and "pole_velocity" in out and "removed" not in out


def test_distill_writes_what_it_is_asked_for(model, tmp_path, capsys):
    given = ["distill", "CartPole-v1", "--model", model, "--keep", "pole_angle,pole_velocity", "--json"]
    small = ["--episodes", 10, "--steps", 500, "--hidden", "8", "--rounds", 1]
    files = ["--out", tmp_path / "small.npz", "--out", tmp_path / "small.py"]
    code, out, err = ends([*given, *small, *files], capsys)
    assert (code, err) == (0, "") and json.loads(out)["variables"] == ["pole_angle", "pole_velocity"]
    assert load_policy(tmp_path / "small.npz").n_full == 4 and (tmp_path / "small.py").exists()


def test_frontier_says_which_few_are_enough(model, tmp_path, capsys):
    given = ["frontier", "CartPole-v1", "--model", model, "--budget", 2, "--out", tmp_path / "front"]
    small = ["--episodes", 10, "--steps", 500, "--hidden", "8", "--rounds", 1, "--json"]
    code, out, err = ends([*given, *small], capsys)
    found = json.loads(out)
    assert (code, err) == (0, "") and found["smallest"] == ["pole_angle", "pole_velocity"]
    assert [len(point["variables"]) for point in found["points"]] == [2, 1]
    assert load_policy(tmp_path / "front" / "smallest.npz").variables == ("pole_angle", "pole_velocity")
    page = (tmp_path / "front" / "report.html").read_text(encoding="utf8")
    assert "How few variables give the return" in page


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ablate", "CartPole-v1", "--model", "missing.npz"], "there is no file"),
        (["ablate", "CartPoel-v1", "--model", "MODEL"], "Did you mean CartPole"),
        (["ablate", "CartPole-v1", "--model", "MODEL", "--noise", "2"], "made for states of 4 variables"),
        (["ablate", "CartPole-v1", "--model", "MODEL", "--replace", "zero"], "no replacement named 'zero'"),
        (["frontier", "CartPole-v1", "--model", "MODEL", "--cost", "pole=3"], "no variable named 'pole'"),
        (["distill", "CartPole-v1", "--model", "MODEL"], "--keep or --selection"),
        (["distill", "CartPole-v1", "--model", "MODEL", "--keep", "x"], "no variable named 'x'"),
        (["distill", "CartPole-v1", "--model", "MODEL", "--out", "a.txt"], "wanted a name that ends in"),
        (["distill", "CartPole-v1", "--model", "MODEL", "--keep", "pole_angle", "--hidden", "x"], "--hidden"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(arguments, said, model, capsys):
    code, out, err = ends([str(model) if one == "MODEL" else one for one in arguments], capsys)
    assert (code, out) == (2, "") and err.count("\n") == 1 and said in err
