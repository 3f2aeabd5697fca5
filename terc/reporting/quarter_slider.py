"""A slider through training: the gains of one stage at a time, as bars that move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from terc import figures
from terc.figures.rows import common_names, row_of
from terc.reporting import captions
from terc.reporting.bars import Scale, bar, bar_style
from terc.reporting.markup import Markup, data_block, join, tag, variable
from terc.selection.printing import decimals, number
from terc.selection.result import Selection, Verdict
from terc.selection.visible_names import listed, visible

TOP = 20


def quarter_slider(stages: Mapping[str, Selection]) -> Markup:
    """Slider, bars and the picture of all stages; the last stage is shown first."""
    names = common_names(stages.values(), TOP)
    rows = {name: [row_of(side, name) for side in stages.values()] for name in names}
    every = [v for verdicts in rows.values() for v in verdicts]
    scale, digits = Scale.of(every), decimals(v.gain for v in every)
    labels = [stage_label(label) for label in stages]
    words = [_sentence(label, side, digits) for label, side in zip(labels, stages.values(), strict=True)]
    data = {
        "labels": labels,
        "words": words,
        "rows": [[_cell(v, scale, digits) for v in verdicts] for verdicts in rows.values()],
    }
    heading = tag("h3", "When the agent learned to use them", id="quarters")
    text = tag("div", heading, captions.quarters(stages), _slider(labels, words), class_="words")
    bars = tag(
        "ul",
        *(_row(name, verdicts[-1], scale, digits) for name, verdicts in rows.items()),
        class_="stage-bars",
    )
    live = tag("figure", bars, id="quarter-figure", aria_label="Gains in the chosen stage of training")
    static = tag("figure", Markup(figures.to_svg(figures.quarter_gains(stages), "all-quarters")))
    section = tag("section", text, live, class_="picture", aria_labelledby="quarters")
    overview = tag("section", _overview_words(), static, class_="picture", aria_labelledby="stages")
    return join([section, overview, data_block("quarter-data", data)])


def stage_label(label: str) -> str:
    """Words for a stage.

    Example:
        >>> stage_label("2"), stage_label("expert")
        ('quarter 2', 'expert')
    """
    return f"quarter {label}" if label.isdecimal() else visible(label)


def _sentence(label: str, side: Selection, digits: int) -> str:
    kept = sorted((v for v in side.verdicts if v.kept), key=lambda v: -v.gain)
    if not kept:
        return f"{label}: no variable stands clear of chance."
    best = f"{listed([kept[0].name])} leads with {number(kept[0].gain, digits)} nats"
    return f"{label}: {len(kept)} variable{'s' * (len(kept) != 1)} above chance, {best}."


def _cell(verdict: Verdict, scale: Scale, digits: int) -> list[object]:
    return [bar_style(verdict, scale), number(verdict.gain, digits), int(verdict.kept)]


def _row(name: str, verdict: Verdict, scale: Scale, digits: int) -> Markup:
    value = tag("span", number(verdict.gain, digits), class_="stage-value")
    return tag("li", variable(name), bar(verdict, scale), value, class_="kept" if verdict.kept else "removed")


def _slider(labels: Sequence[str], words: Sequence[str]) -> Markup:
    last = len(labels) - 1
    ends = {"min": 0, "max": last, "step": 1, "value": last}
    control = tag("input", type="range", id="quarter-slider", **ends, aria_valuetext=labels[-1])
    marks = [tag("span", label.removeprefix("quarter ")) for label in labels]
    ticks = tag("div", *marks, class_="ticks", aria_hidden="true")
    shown = tag("output", words[-1], for_="quarter-slider", id="quarter-words", aria_live="polite")
    return tag(
        "div",
        tag("label", "Stage of training", for_="quarter-slider"),
        control,
        ticks,
        shown,
        class_="slider",
    )


def _overview_words() -> Markup:
    text = "One panel per variable on one scale, one bar per stage: filled where it stands clear of chance."
    return tag("div", tag("h3", "All stages at once", id="stages"), tag("p", text), class_="words")
