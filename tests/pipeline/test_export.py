import importlib
import json
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

from terc.agents import NetworkPolicy
from terc.agents.policy import PolicySpec
from terc.errors import DataFileError
from terc.pipeline.export import export
from terc.pipeline.run import run

sys.path.insert(0, str(Path(__file__).parent))
small_world = importlib.import_module("small_world")
NAMES = small_world.Bits.variable_names


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(DataFileError, match="holds no run"):
        export(tmp_path)
    with pytest.raises(KeyError, match="no form named 'torch'"):
        export(tmp_path, "torch")


def test_where_every_variable_was_kept_the_full_agent_is_exported_or_a_sentence_says_why_not(tmp_path):
    weights = np.array([[0, 2], [0, 2], [0, 0], [0, 0]], np.float32)
    layers = ((weights, np.array([1, 0], np.float32)),)
    model = NetworkPolicy(PolicySpec(None, 4, n_actions=2), layers)
    folder, settings = tmp_path / "r", {**small_world.TINY, "keep": list(NAMES)}
    run(small_world.make, model=model, out=folder, **settings)
    why = "holds no smaller agent: every variable was kept; repeat its `terc run` with --frontier"
    with pytest.raises(DataFileError, match=why):
        export(folder)
    with pytest.raises(DataFileError, match=why):
        export(folder, state="reduced")
    written = runpy.run_path(str(export(folder, state="full")))
    states = np.random.default_rng(0).integers(0, 2, (50, 4)).astype(float)
    np.testing.assert_array_equal(written["act"](states), states[:, :2].any(axis=1))
    assert written["VARIABLES"] == NAMES
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"frontier": True}))
    with pytest.raises(DataFileError, match="was kept, and its frontier confirmed no smaller set; raise"):
        export(folder)
    (folder / "agents" / "model.npz").unlink()
    with pytest.raises(DataFileError, match="holds no form of its model without pickle"):
        export(folder, state="full")
