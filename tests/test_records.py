"""Every result comes back from its file the same, and files of earlier versions are still read."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import terc
from terc.baselines.comparison import Comparison
from terc.errors import DataFileError
from terc.figures.inference_times import InferenceTime
from terc.pipeline.inference import Inference, SpeedUp
from terc.pipeline.training import TrainedAgent
from terc.records import FORMAT, Record
from terc.redundancy.condition_1 import Condition1
from terc.redundancy.history_length import HistoryLength, LagGain
from terc.redundancy.perfect_redundancy import Redundancy, RedundantPair
from terc.redundancy.redundancy_index import MostRedundant, PairIndex
from terc.return_comparison import ReturnComparison, StateReturns
from terc.returns.ablation import Ablation, Unplugging
from terc.returns.front import Frontier, Point
from terc.returns.play import Range, Returns
from terc.returns.verdict import AgentLine, AgentsTable, RunVerdict
from terc.selection.result import Interval, Note, Selection, Step, Verdict
from terc.task.audit import Audit, Finding
from terc.task.stable import Kept, Stability
from terc.task.through_training import ThroughTraining, Trend

OLD = Path(__file__).parent / "files_of_0.1"
NAN = math.nan
ONE = Interval(0.5, 0.4, NAN)
PAIR = RedundantPair(("a",), ("b", "c"), (), ONE, ONE, ONE, ONE)
BARS = MostRedundant((PairIndex(("a",), ("b",), ONE),), 1.0, True, "")
RETURNS = Returns(1.5, Range(-math.inf, math.inf), np.array([1.0, 2.0]))
SELECTION = Selection(
    (Verdict("a", 0.5, NAN, 0.6, 0.1, 0.0, True, "needed", given=("b",), repeats=(0.1, NAN)),),
    steps=(Step(("a", "b"), 2, 0.1, 1.0, True),),
    config={"order": ["a"], "alpha": 0.05, "costs": {"a": 1.0}},
    notes=(Note("doubt", "few", "größer"),),
)
RESULTS = [
    SELECTION,
    Redundancy((PAIR,), True, ("counted",), (("a",), ("b", "c"))),
    Condition1("violated", PAIR, "holds", "holds", BARS, (1, 2), ("x",)),
    HistoryLength(1, 2, (ONE, ONE), 0.6, {"a": None, "b": 2}, (LagGain("a", 1, 0.3, True),), ("x",)),
    ReturnComparison((StateReturns("full", 3, ONE, (1.0, 2.0), ONE, (None, 400)),), None, "", ("few",)),
    Inference((InferenceTime("full", "torch", 1, 16.0),), (SpeedUp("torch", 1, 2.0, 1.5, 2.5),)),
    Ablation((Unplugging("a", ("a",), 20.0, -480.0, -485.0, -470.0, 0.4),), RETURNS, "moments", ("a",)),
    Returns(1.5, Range(1.0, 2.0), np.array([1.0, 2.0]), RETURNS),
    Frontier((Point(("a",), 1.0, RETURNS, 0.9),), RETURNS, ("b", "a"), {"a": 1.0}),
    RunVerdict(True, "as good", ("it returns 500",), (), (), SELECTION.notes),
    Comparison({"terc": SELECTION}),
    Audit(("x", "y"), ("x",), (Finding("next", "x", ("y",), (0.2,), 0.5, SELECTION.notes),), False),
    AgentsTable(
        (AgentLine("agent 1", ("a",), 9.0, Range(8.0, 10.0), True, 9.1, Range(8.2, 10.0), True),),
        Stability("recordings", (), (("a",),)), ("a",), Audit(("a", "b"), ("a",), ()), {"the task": ONE},
    ),
    TrainedAgent(np.array([[64.0, 9.5]]), np.array([10.0, 9.0]), 64, None, 1),
    Stability("halves", (Kept("a", 2, 1.0, 0.5, 1.0, ("b",)),), (("a",), ("a", "b"))),
    TrainedAgent(np.array([[100.0, 5.0]]), np.array([4.0, 6.0]), 200, None, 7),
    ThroughTraining(5, 0.05, (Trend("x", (0.0, 0.1), (0.0, NAN), (0.4, 0.5), 0.3, 0.2, 0.4, 0.001),)),
]  # fmt: skip


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: type(result).__name__)
def test_saved_and_loaded_is_the_same(result, tmp_path):
    result.save(tmp_path / "result.json")
    record = json.loads((tmp_path / "result.json").read_text(encoding="utf8"), parse_constant=pytest.fail)
    assert record["format"] == FORMAT
    loaded = type(result).load(tmp_path / "result.json")
    # as text: NaN is not equal to itself, nor an array to an array
    assert repr(loaded) == repr(result)
    assert loaded.to_dict() == record


def test_every_record_of_the_package_is_among_them():
    known = {kind for kind in Record.__subclasses__() if kind.__module__.startswith("terc.")}
    assert known == {type(result) for result in RESULTS}


def test_what_is_left_out_and_what_is_shown_beside_the_fields():
    record = Comparison({"terc": SELECTION}, truth=None).to_dict()
    assert "truth" not in record
    assert record["methods"]["terc"]["kept"] == record["selections"]["terc"]["kept"] == ["a"]


def test_a_selection_of_version_0_1():
    selection = terc.Selection.load(OLD / "selection.json")
    assert selection.kept == ("x1", "x2")
    assert selection["x3"].reason == "redundant" and selection["x3"].given == ("x1",)
    assert math.isnan(selection["x3"].null_high)
    assert [note.kind for note in selection.notes] == ["fact"]


def test_results_of_a_run_of_version_0_1():
    inference = Inference.load(OLD / "inference.json")
    assert inference.rows[0].median == 16.3 and inference.speed_up[0].ratio == 1.4
    learning = ReturnComparison.load(OLD / "learning.json")
    assert learning["reduced"].steps_to_goal == (3000, 4000) and learning.difference == Interval(0, -20, 20)


def test_a_newer_file_is_refused(tmp_path):
    (tmp_path / "selection.json").write_text(json.dumps(SELECTION.to_dict() | {"format": 99}))
    with pytest.raises(
        DataFileError, match="is not a saved Selection .*a newer version of terc wrote it, format 99"
    ):
        Selection.load(tmp_path / "selection.json")


def test_a_file_that_does_not_exist_is_said_to():
    with pytest.raises(DataFileError, match=r"^Selection.load: there is no file 'nowhere.json'.$"):
        Selection.load("nowhere.json")
