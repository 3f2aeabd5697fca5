"""Counts in sentences: one variable is no "1 variables"."""

from dataclasses import replace

import example_data

import terc
from terc.pipeline.summary import _learned
from terc.plurals import some
from terc.return_comparison import StateReturns
from terc.selection.result import Interval, Selection


def test_one_is_not_many():
    assert [some(count, "step") for count in (0, 1, 1000)] == ["0 steps", "1 step", "1,000 steps"]


def test_a_retrained_agent_on_one_variable():
    final = Interval(1.0, 1.0, 1.0)
    said = _learned(StateReturns("reduced", 1, final, (1.0,), final, (None,)))
    assert said == "1 agent on 1 variable 1 [1, 1]"


def test_the_page_of_one_variable(tmp_path):
    row = example_data.cart_pole().verdicts[0]
    one = Selection((row,), n_steps=1000, n_episodes=1)
    page = terc.report(one, tmp_path / "r.html").read_text(encoding="utf8")
    assert "1 variables" not in page and "1 of 1</em> variable kept" in page
    sides = {"a": one, "b": replace(one, method="naive")}
    page = terc.report(sides, tmp_path / "s.html").read_text(encoding="utf8")
    assert "1 variables" not in page and "on 1 variable:" in page
