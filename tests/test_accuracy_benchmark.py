"""The benchmark's own judgement: what is silent, what is counted."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from terc.trajectories.data import Trajectories

ROOT = Path(__file__).parents[1]


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("accuracy")


def selection(notes: tuple[object, ...], undecided: str = "", retained: float = 1.0) -> SimpleNamespace:
    verdicts = [SimpleNamespace(name=name, undecided=name == undecided) for name in "xyz"]
    return SimpleNamespace(verdicts=verdicts, notes=notes, retained=SimpleNamespace(value=retained))


@pytest.mark.parametrize(
    ("found", "doubt"),
    [
        (selection((SimpleNamespace(kind="doubt"),)), True),
        (selection((SimpleNamespace(kind="info"),)), False),
        (selection((SimpleNamespace(kind="info"),), undecided="x"), True),
        (selection((SimpleNamespace(kind="info"),), undecided="y"), False),
        (selection((SimpleNamespace(kind="info"),), retained=0.5), False),
        (selection(("a sentence",)), False),
        (selection(("a sentence",), undecided="y"), True),
        (selection(("a sentence",), retained=0.5), True),
    ],
)
def test_doubt_is_a_note_of_doubt_or_an_undecided_culprit(benchmark: Any, found: Any, doubt: bool) -> None:
    selecting = importlib.import_module("selecting")
    assert selecting.has_doubt(found, ["x"]) is doubt


def test_the_suites_hold_what_they_are_named_for(benchmark: Any) -> None:
    sizes = {name: len(suite.cases) for name, suite in benchmark.SUITES.items()}
    assert sizes["table"] == 21
    assert sizes["power"] == 3
    assert sizes["nulls"] * benchmark.SUITES["nulls"].seeds >= 400
    assert benchmark.SUITES["networks"].min_effect == 0
    tasks = benchmark.tasks_of(benchmark.SUITES["kinds"], ["comb", "many_lags"], range(7, 9), None)
    assert [(t.case, t.steps, t.seed) for t in tasks] == [
        (case, 10_000, seed) for case in ("comb", "many_lags") for seed in (7, 8)
    ]


def test_outcomes_are_counted_and_written(benchmark: Any, tmp_path: Path) -> None:
    good = benchmark.Outcome(
        "comb", 100, 1, False, True, cpu_seconds=2.0, beside={"exact": False, "cpu_seconds": 4.0}
    )
    bad = benchmark.Outcome("comb", 100, 2, False, silent=True, missed=(("position",),), cpu_seconds=2.0)
    raised = benchmark.Outcome("comb", 100, 3, False, error="ValueError: no")
    lines = benchmark.table([good, bad, raised]).splitlines()
    assert lines[1].split()[:7] == ["comb", "100", "1/3", "1", "0", "1", "1"]
    assert "ratio  0.50" in lines[1]
    benchmark.record(tmp_path / "found.json", {"suite": "kinds", "commit": "abc"}, [good, bad, raised])
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["commit"] == "abc"
    assert found["data_sets"][2] == {
        "case": "comb", "steps": 100, "seed": 3, "probabilities": False, "exact": False, "silent": False,
        "f1": 0.0, "error": "ValueError: no",
    }  # fmt: skip


def test_iamb_finds_the_two_bits_of_an_inclusive_or(benchmark: Any) -> None:
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2, (4_000, 5))
    actions = np.where(rng.random(4_000) < 0.9, bits[:, 1] | bits[:, 3], rng.integers(0, 2, 4_000))
    names = [f"bit_{k}" for k in range(5)]
    data = Trajectories(bits, actions, names=names, nominal=names, episodes=np.arange(4_000))
    assert importlib.import_module("iamb").iamb(data, alpha=0.001) == ("bit_1", "bit_3")
