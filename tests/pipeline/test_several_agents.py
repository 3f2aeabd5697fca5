import importlib
import json
import sys
from html import unescape
from pathlib import Path

import pytest

import terc
from terc.errors import BadValueError
from terc.pipeline.config import RunConfig, default_folder
from terc.pipeline.export import export
from terc.pipeline.several_finished import SeveralAgents
from terc.reporting.material import read_run_folder
from terc.selection.result import Selection

sys.path.insert(0, str(Path(__file__).parent))
small_world = importlib.import_module("small_world")
OPTIONS = {**small_world.TINY, "agents": 2, "estimator": "plugin", "play_episodes": 20}
pytestmark = pytest.mark.filterwarnings("ignore::terc.errors.TercWarning")


class Stop(Exception):
    pass


@pytest.fixture(scope="module")
def events():
    return []


@pytest.fixture(scope="module")
def several(tmp_path_factory, events):
    """A run that was interrupted before the agents were looked at together, and continued."""
    folder = tmp_path_factory.mktemp("several") / "r"

    def stop(event):
        if event.task == "select for all of them" and not event.finished:
            raise Stop

    with pytest.raises(Stop):
        terc.run(small_world.make, out=folder, progress=stop, **OPTIONS)
    return terc.run(small_world.make, out=folder, progress=events.append, **OPTIONS)


def test_one_table_says_what_each_reads_and_what_they_need_together(several):
    assert [line.name for line in several.table.agents] == ["agent 1", "agent 2"]
    assert all({"left", "right"} <= set(line.kept) for line in several.table.agents)
    assert several.selection.kept == ("left", "right") and several.audit.sufficient
    assert several.stability.core == ("left", "right") and len(several.stability.sets) == 2
    assert [one.state for one in several.comparison.states] == ["full", "task"]
    text = str(several)
    for words in ("agent 2", "any of them", "the task", "All 2 read left, right.", str(several.report)):
        assert words in text


def test_what_was_done_before_the_interruption_is_not_done_again(several, events):
    found = {event.task: event.kept_from_before for event in events if event.finished}
    assert found["agent 2 of 2: select"] and found["how stable it is"]
    assert not found["select for all of them"] and not found["what the task needs"]


def test_each_agent_is_that_of_a_run_of_its_seed(several):
    seeds = [
        json.loads((several.folder / f"agent-{k}/agents/full-0.json").read_text())["seed"] for k in (1, 2)
    ]
    assert seeds == [RunConfig("x", seed=k).agent_seeds[0] for k in (0, 1)]
    own = Selection.load(several.folder / "agent-2/selection.json")
    assert (
        own.kept == several.table.agents[1].kept == read_run_folder(several.folder / "agent-2").selection.kept
    )


def test_each_agent_can_be_exported(several, tmp_path):
    path = export(several.folder / "agent-1", out=tmp_path / "small.py")
    kept = several.table.agents[0].kept
    assert [name in path.read_text() for name in several.selection.names] == [
        name in kept for name in several.selection.names
    ]


def test_summary_and_page_show_the_same_and_the_run_can_be_read_back(several):
    again = SeveralAgents.load(several.folder)
    assert again.to_dict() == several.to_dict() == json.loads((several.folder / "summary.json").read_text())
    page = unescape(several.report.read_text(encoding="utf8"))
    assert "The agents side by side" in page and "Kept variables by agent. agent 1: left, right" in page
    assert read_run_folder(several.folder).agents == several.table
    assert several.table.agents[0].brief in page


def reads_left(states):
    return states[:, 0].astype(int)


def reads_both(states):
    return states[:, :2].max(1).astype(int)


def test_several_models_of_ones_own(tmp_path):
    found = terc.run(
        small_world.make,
        model=[reads_left, reads_both],
        out=tmp_path,
        **{**OPTIONS, "lessons": 1, "min_effect": 0.01},
    )
    assert [set(line.kept) for line in found.table.agents] == [{"left"}, {"left", "right"}]
    assert found.comparison is None and found.selection.kept == ("left", "right")
    again = terc.run(out=tmp_path)
    assert again.to_dict() == found.to_dict()


def test_bad_input(several):
    with pytest.raises(BadValueError, match=r"holds a run of 2 agent\(s\), this one has 1"):
        terc.run("CartPole-v1", out=several.folder)
    with pytest.raises(BadValueError, match="agents must be"):
        RunConfig("CartPole-v1", agents=0)
    with pytest.raises(BadValueError, match=r"2 agent\(s\) were asked for and 1 model\(s\) given; give the"):
        RunConfig("CartPole-v1", agents=2, model="my.zip")
    with pytest.raises(BadValueError, match="with several models no agent is retrained"):
        RunConfig("CartPole-v1", agents=2, model="a | b", retrain=True)
    with pytest.raises(BadValueError, match=r"one for each of 2 model\(s\), in their order.* got 1"):
        terc.run(small_world.make, model=[reads_left, reads_both], vec_normalize=["scale.pkl"])
    assert default_folder(RunConfig("CartPole-v1", agents=5)).name == "CartPole-v1-agents5-seed0"
