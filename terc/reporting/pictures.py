"""The pictures of a report, each with a heading and a sentence in plain words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup
from matplotlib.figure import Figure

from terc import figures
from terc.figures.lag_heat_map import has_lags
from terc.reporting import captions
from terc.reporting.material import Material
from terc.returns.agents_table import AgentsTable
from terc.selection.result import Selection


@dataclass(frozen=True)
class Picture:
    """One picture of the page.

    Attributes:
        key: Its anchor, and the name of its file.
    """

    key: str
    title: str
    words: str
    draw: Callable[[], Figure]

    @property
    def svg(self) -> Markup:
        """The figure, drawn."""
        return Markup(figures.to_svg(self.draw(), self.key))


def of_selection(selection: Selection) -> Iterator[Picture]:
    """Why these variables."""
    yield Picture(
        "gains",
        "What each variable is worth",
        captions.gains(selection),
        lambda: figures.gain_bars(selection),
    )
    if selection.steps:
        yield Picture(
            "path",
            "How the others were removed",
            captions.path(selection),
            lambda: figures.elimination_path(selection),
        )
    if any(v.reason == "redundant" and not v.kept for v in selection.verdicts):
        words = captions.groups(selection)
        yield Picture("groups", "Who stands in for whom", words, lambda: figures.redundancy_groups(selection))
    words = captions.network(selection)
    yield Picture("network", "What the action depends on", words, lambda: figures.bayesian_network(selection))
    if has_lags(selection):
        words = captions.lags(selection)
        yield Picture("lags", "How far back the agent looks", words, lambda: figures.lag_heat_map(selection))


def of_agents(material: Material) -> Iterator[Picture]:
    """What the smaller agent is worth."""
    if material.frontier is not None:
        front, words = material.frontier, captions.frontier(material.frontier)
        yield Picture("frontier", "How few variables give the return", words, lambda: figures.frontier(front))
    if material.curves:
        words, goal = captions.curves(), _goal(material)
        title = "Trained anew on all and on the kept variables"
        yield Picture("curves", title, words, lambda: figures.learning_curves(material.curves, goal=goal))
    if material.learning is not None:
        lengths = {one.state: (one.variables, np.array(one.finals)) for one in material.learning.states}
        words, title = captions.state_lengths(), "Return and length of the state"
        yield Picture(
            "lengths",
            "Return and length of the state",
            words,
            lambda: figures.return_by_state_length(lengths),
        )
    if material.inference:
        words = captions.inference(material.inference)
        yield Picture(
            "inference", "Is it faster?", words, lambda: figures.inference_times(material.inference)
        )


def of_several(table: AgentsTable) -> Iterator[Picture]:
    """What each of several agents reads, and what they need together."""
    names = [line.name for line in table.stability.variables]
    words, title = captions.several(table), "Which agent needs which variable"
    yield Picture("several-grid", title, words, lambda: figures.agent_agreement(table.columns, names))


def of_comparison(sides: Mapping[str, Selection]) -> Iterator[Picture]:
    """How the methods differ."""
    agreement = captions.agreement(sides)
    yield Picture("agreement", "Where the methods agree", agreement, lambda: figures.method_agreement(sides))
    yield Picture(
        "sides", "The scores side by side", captions.side_by_side(sides), lambda: figures.gain_bars(sides)
    )


def of_checks(material: Material) -> Iterator[Picture]:
    """How steady the estimates are: gains of each fold or run, where the selection has them."""
    rows = () if material.selection is None else material.selection.verdicts
    found = {row.name: row.repeats for row in rows if row.kept and row.repeats}
    if found:
        words = captions.health()
        yield Picture("health", "Health of the estimates", words, lambda: figures.estimator_health(found))


def _goal(material: Material) -> float | None:
    goal = material.config.get("goal")
    return float(goal) if isinstance(goal, int | float) and not isinstance(goal, bool) else None
