"""The pictures of a report, each with a heading and a sentence in plain words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from matplotlib.figure import Figure

from terc import figures
from terc.figures.estimator_health import EstimatorHealth
from terc.figures.lag_heat_map import has_lags
from terc.reporting import captions
from terc.reporting.markup import Markup, join, tag
from terc.reporting.material import Material
from terc.selection.result import Selection


@dataclass(frozen=True)
class Picture:
    """One picture of the page.

    Attributes:
        key: Its anchor.
        title: Its heading.
        words: What it says, as HTML.
        draw: Makes the figure.
    """

    key: str
    title: str
    words: Markup
    draw: Callable[[], Figure]

    def html(self) -> Markup:
        """Heading and words beside the figure."""
        text = tag("div", tag("h3", self.title, id=self.key), self.words, class_="words")
        drawing = tag("figure", Markup(figures.to_svg(self.draw(), self.key)))
        return tag("section", text, drawing, class_="picture", aria_labelledby=self.key)


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
            "How the others left",
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
    if material.curves:
        words, goal = captions.curves(material.curves), _goal(material)
        title = "Is the smaller agent as good?"
        yield Picture("curves", title, words, lambda: figures.learning_curves(material.curves, goal=goal))
    if material.state_lengths:
        lengths = material.state_lengths
        words = captions.state_lengths(lengths)
        yield Picture(
            "lengths", "What a longer state costs", words, lambda: figures.return_by_state_length(lengths)
        )
    if material.inference:
        words = captions.inference(material.inference)
        yield Picture(
            "inference", "Is it faster?", words, lambda: figures.inference_times(material.inference)
        )


def of_comparison(sides: Mapping[str, Selection]) -> Iterator[Picture]:
    """How the methods differ."""
    agreement = captions.agreement(sides)
    yield Picture("agreement", "Where the methods agree", agreement, lambda: figures.method_agreement(sides))
    yield Picture(
        "sides", "The scores side by side", captions.side_by_side(sides), lambda: figures.gain_bars(sides)
    )


def of_checks(material: Material) -> Iterator[Picture]:
    """What was checked about the data and the estimates."""
    if material.history is not None:
        found = material.history
        words = captions.history(found)
        yield Picture(
            "history", "How long a history is enough", words, lambda: figures.history_length_curve(found)
        )
        if found.gains:
            words = captions.lag_gains(found)
            yield Picture("history-lags", "Which steps of it", words, lambda: figures.lag_heat_map(found))
    if material.condition_1 is not None and material.condition_1.most_redundant.pairs:
        checked = material.condition_1
        words = captions.condition_1(checked)
        title = "Does condition 1 hold?"
        yield Picture("condition-1", title, words, lambda: figures.condition_1_bars(checked))
    health = material.health if material.health is not None else _health_of(material.selection)
    if health.losses or health.spread:
        words = captions.health(health)
        yield Picture("health", "Health of the estimates", words, lambda: figures.estimator_health(health))


def _health_of(selection: Selection | None) -> EstimatorHealth:
    """Gains of each fold or run, where the selection has them."""
    rows = () if selection is None else selection.verdicts
    return EstimatorHealth(spread={row.name: row.repeats for row in rows if row.kept and row.repeats})


def gallery(pictures: Iterator[Picture]) -> Markup:
    """The pictures below each other; empty if there are none."""
    return join(picture.html() for picture in pictures)


def _goal(material: Material) -> float | None:
    goal = material.config.get("goal")
    return float(goal) if isinstance(goal, int | float) and not isinstance(goal, bool) else None
