"""The core in an interpreter where torch cannot be imported, and what `select` loads at all."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import terc

AGENT = "agents/full-0.npz"
BLOCKED = """
import sys

class NotInstalled:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch", "stable_baselines3"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, NotInstalled())
"""


def run(code, *arguments):
    command = [sys.executable, "-c", code, *map(str, arguments)]
    places = [str(Path(__file__).parent / "pipeline"), *filter(None, [os.environ.get("PYTHONPATH")])]
    there = os.environ | {"PYTHONPATH": os.pathsep.join(places)}
    done = subprocess.run(command, capture_output=True, text=True, env=there)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def steps(tmp_path_factory):
    """A file of steps in which the first of three bits is the action."""
    x = np.random.default_rng(0).integers(0, 2, (400, 3))
    path = tmp_path_factory.mktemp("steps") / "steps.parquet"
    terc.Trajectories(x, x[:, 0], names=["a", "b", "c"], episodes=np.arange(400) // 10).save(path)
    return path


def test_every_estimator_selects(steps):
    code = BLOCKED + (
        "import terc\n"
        "from terc.entropy.mine import MineEstimator\n"
        "mine = MineEstimator(runs=2, iterations=200, plateau=None)\n"
        "data = terc.load(sys.argv[1])\n"
        "print({terc.select(data, estimator=e).kept for e in ('auto', 'plugin', 'predictive', mine, 'knn')})"
    )
    assert run(code, steps).strip() == "{('a',)}"


def test_selecting_loads_neither_torch_nor_matplotlib(steps):
    code = (
        "import sys, terc\n"
        "from terc.cli.main import main\n"
        "terc.select(terc.load(sys.argv[1]))\n"
        "try: main(['select', sys.argv[1], '--json'])\n"
        "except SystemExit as end: assert not end.code\n"
        "found = {'torch', 'matplotlib', 'gymnasium', 'networkx', 'jinja2'} & set(sys.modules)\n"
        "print('\\n' + repr(found))"
    )
    assert run(code, steps).splitlines()[-1] == "set()"


def test_a_run_with_an_agent_of_ours_and_what_follows_it(tmp_path):
    world, out = "small_world:make", tmp_path / "run"
    trained = ["--agent", "actor_critic", "--steps", "4000", "--rollout-steps", "2000", "--seeds", "1"]
    trained += ["--episodes", "10", "--calls", "20", "--out", str(out), "--json"]
    played = ["--model", str(out / AGENT), "--keep", "left,right", "--episodes", "20", "--steps", "1000"]
    commands = [
        ["run", world, *trained],
        ["report", str(out)],
        ["ablate", world, *played],
        ["distill", world, *played, "--rounds", "1"],
    ]
    code = BLOCKED + (
        "from terc.cli.main import main\n"
        f"for arguments in {commands!r}:\n"
        "    try: main(arguments)\n"
        "    except SystemExit as end: assert not end.code, arguments"
    )
    said, _ = json.JSONDecoder().raw_decode(run(code))
    assert said["kept"] == ["left", "right"]
    assert said["inference"]["missing"][0] == "torch"
    assert any("Not timed in torch" in line for line in said["lines"])
    assert said["speed_up_at_batch_1"] > 0
    assert (out / "report.html").stat().st_size > 10_000


def test_timing_names_what_is_installed():
    code = BLOCKED + (
        "import numpy as np\n"
        "from terc.agents import NetworkPolicy, PolicySpec\n"
        "from terc.pipeline.inference import runtimes\n"
        "layers = ((np.ones((3, 2), np.float32), np.zeros(2, np.float32)),)\n"
        "found = runtimes(NetworkPolicy(PolicySpec(None, 3, n_actions=2), layers))\n"
        "print('torch' in found, 'numpy' in found)"
    )
    assert run(code).strip() == "False True"
