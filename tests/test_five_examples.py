"""Short scripts for what people have: each runs, small, and finds what it should."""

import runpy
import sys
import warnings
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.mark.parametrize(
    ("name", "size", "packages", "wanted"),
    [
        ("sb3_vecnormalize", 1024, ["stable_baselines3"], "noise_1"),
        ("dict_observation", 1024, ["stable_baselines3"], "camera.x"),
        ("recorded_parquet", 2000, ["pandas"], "redundant given float"),
        ("minari_set", 1000, ["minari", "h5py"], "pole_angle"),
        ("training_quarters", 2048, ["stable_baselines3"], "quarter 4:"),
    ],
)
def test_the_example_runs(name, size, packages, wanted, monkeypatch, capsys):
    for package in packages:
        pytest.importorskip(package)
    monkeypatch.setattr(sys, "argv", [name, str(size)])
    monkeypatch.setenv("MINARI_DATASETS_PATH", "")  # is put back as it was
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    assert wanted in capsys.readouterr().out
