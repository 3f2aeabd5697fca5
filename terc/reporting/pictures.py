"""The pictures of a report, each with a heading and a sentence in plain words."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from markupsafe import Markup
from matplotlib.figure import Figure

from terc import figures
from terc.figures.lag_heat_map import has_lags
from terc.reporting import captions
from terc.reporting.material import Material
from terc.returns.verdict import AgentsTable
from terc.selection.printing import subject_of
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
    words, draw = captions.gains(selection), partial(figures.gain_bars, selection)
    yield Picture("gains", "What each variable carries", words, draw)
    if selection.steps:
        words, draw = captions.path(selection), partial(figures.elimination_path, selection)
        yield Picture("path", "How the others were removed", words, draw)
    if any(v.reason == "redundant" and not v.kept for v in selection.verdicts):
        draw = partial(figures.redundancy_groups, selection)
        yield Picture("groups", "Which variables stand in for which", captions.GROUPS, draw)
    words, draw = captions.network(selection), partial(figures.bayesian_network, selection)
    yield Picture("network", f"What says something about {subject_of(selection)}", words, draw)
    if has_lags(selection):
        words, draw = captions.lags(selection), partial(figures.lag_heat_map, selection)
        yield Picture("lags", "How far back the agent looks", words, draw)


def of_agents(material: Material) -> Iterator[Picture]:
    """What the smaller agent is worth."""
    if material.frontier is not None:
        words, draw = captions.frontier(material.frontier), partial(figures.frontier, material.frontier)
        yield Picture("frontier", "How few variables give the return", words, draw)
    if material.curves:
        said: Any = material.config.get("goal")
        goal = float(said) if isinstance(said, int | float) and not isinstance(said, bool) else None
        draw = partial(figures.learning_curves, material.curves, goal=goal)
        title = "Retrained on all and on the kept variables"
        yield Picture("curves", title, captions.CURVES, draw)
    if material.learning is not None:
        lengths = {one.state: (one.variables, np.array(one.finals)) for one in material.learning.states}
        draw = partial(figures.return_by_state_length, lengths)
        yield Picture("lengths", "Return and length of the state", captions.LENGTHS, draw)
    if material.inference:
        words = captions.inference(material.inference)
        draw = partial(figures.inference_times, material.inference)
        yield Picture("inference", "Is it faster?", words, draw)


def of_several(table: AgentsTable) -> Iterator[Picture]:
    """What each of several agents reads, and what they need together."""
    names = [line.name for line in table.stability.variables]
    words, title = captions.several(table), "Which agent needs which variable"
    yield Picture("several-grid", title, words, lambda: figures.agent_agreement(table.columns, names))


def of_comparison(sides: Mapping[str, Selection]) -> Iterator[Picture]:
    """How the methods differ."""
    words, draw = captions.agreement(sides), partial(figures.method_agreement, sides)
    yield Picture("agreement", "Where the methods agree", words, draw)
    yield Picture("sides", "The scores side by side", captions.SIDES, partial(figures.gain_bars, sides))


def of_checks(material: Material) -> Iterator[Picture]:
    """How steady the estimates are: gains of each fold or run, where the selection has them."""
    rows = () if material.selection is None else material.selection.verdicts
    found = {row.name: row.repeats for row in rows if row.kept and row.repeats}
    if found:
        draw = partial(figures.estimator_health, found)
        yield Picture("health", "Health of the estimates", captions.HEALTH, draw)
