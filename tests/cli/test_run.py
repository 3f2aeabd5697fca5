import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from terc.cli.main import main

REPOSITORY = Path(__file__).parent.parent.parent
WORLD = REPOSITORY / "tests" / "pipeline" / "small_world.py"
OPTIONS = {
    "agent": "actor_critic",
    "steps": 4000,
    "seeds": 1,
    "rollout-steps": 2000,
    "episodes": 10,
    "calls": 20,
    "play-episodes": 100,
    "lessons": 1,
}
TINY = [text for name, value in OPTIONS.items() for text in (f"--{name}", str(value))]


def ends(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    output = capsys.readouterr()
    return caught.value.code, output.out, output.err


@pytest.fixture
def world(tmp_path, monkeypatch):
    """A folder with an environment in a file of the user's own."""
    (tmp_path / "my_world.py").write_text(WORLD.read_text(encoding="utf8"), encoding="utf8")
    monkeypatch.chdir(tmp_path)
    sys.modules.pop("my_world", None)
    yield "my_world:make"
    sys.modules.pop("my_world", None)


def test_a_users_own_environment_from_run_to_export(world, capsys):
    code, out, err = ends(["run", world, *TINY, "--out", "r", "--json"], capsys)
    assert code == 0
    assert json.loads(out)["kept"] == ["left", "right"]
    assert [line.split("]")[0] for line in err.splitlines()] == [f"[{n}/10" for n in range(1, 11)]
    code, out, err = ends(["run", "--out", "r"], capsys)
    assert code == 0
    assert "2 of 4 variables: left, right" in out
    assert out.splitlines()[-1] == "report: r/report.html"
    assert "[1/10] train on all variables: was done before" in err
    assert ends(["export", "r"], capsys) == (0, "r/policy_reduced.py\n", "")
    assert ends(["export", "r", "--to", "onnx", "--state", "full"], capsys) == (0, "r/policy_full.onnx\n", "")
    code, out, err = ends(["run", "--out", "r", "--noise", "2"], capsys)
    assert (code, out) == (2, "")
    assert "noise: 0 there, 2 here" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run"], "name an environment"),
        (["run", "--out", "nowhere"], "nowhere holds no run to continue"),
        (["run", "CartPole-v11"], "Did you mean CartPole-v1"),
        (["run", "CartPole-v1", "--option", "keys"], "--option: wanted name=value, got 'keys'"),
        (["run", "CartPole-v1", "--option", "wheels=3"], "cannot make CartPole-v1 with {'wheels': 3}"),
        (["run", "CartPole-v1", "--goal", "inf"], "goal must be a finite number, got inf"),
        (["run", "CartPole-v1", "--agent", "magic"], "no agent named 'magic'"),
        (["run", "CartPole-v1", "--out", "/proc/none/r"], "cannot write in /proc/none/r"),
        (
            ["run", "./broken.py:make"],
            "cannot import 'broken' (SyntaxError: invalid syntax (broken.py, line 1))",
        ),
        (["run", "brokn.py:make"], "there is no file brokn.py. Did you mean 'broken.py'?"),
        (["export", "selected"], "selected holds a selection and no agent; give the folder of a `terc run`"),
        (["export", "nowhere"], "nowhere holds no run"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(arguments, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "selected").mkdir()
    (tmp_path / "selected" / "selection.json").write_text("{}")
    (tmp_path / "broken.py").write_text("def make(: pass")
    code, out, err = ends(arguments, capsys)
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("terc: ")
    assert err.count("\n") == 1


def test_a_pickled_model_is_not_opened_unasked(world, capsys, tmp_path):
    with zipfile.ZipFile(tmp_path / "model.zip", "w") as model:
        model.writestr("data", "{}")
        model.writestr("policy.pth", "")
    code, _, err = ends(["run", world, *TINY, "--model", "model.zip", "--out", "r"], capsys)
    assert code == 2
    assert "allow_pickle" in err


def test_ctrl_c_ends_cleanly_and_says_how_to_continue(world, tmp_path):
    command = [sys.executable, "-m", "terc.cli.main", "run", world, *TINY, "--steps", "400000", "--out", "r"]
    paths = {"PYTHONPATH": f"{REPOSITORY}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=os.environ | paths
    )
    waited = time.monotonic()
    while not list(tmp_path.glob("r/unfinished/*")) and time.monotonic() - waited < 100:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=600)
    assert process.returncode == 130
    assert "continue with: terc run --out r" in err
    assert "Traceback" not in err
