"""What each picture says, in plain words and from the numbers it shows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from terc.figures.condition_1_bars import entropy_has_meaning
from terc.figures.estimator_health import EstimatorHealth
from terc.figures.inference_times import InferenceTime
from terc.figures.interquartile import interquartile_mean
from terc.figures.lag_heat_map import split_lag
from terc.reporting.final_returns import final_returns
from terc.reporting.first_screen import percent
from terc.reporting.markup import Markup, join, names_in_a_row, prose, tag, variable
from terc.reporting.material import Floats
from terc.selection.condition_1 import Condition1
from terc.selection.history_length import HistoryLength
from terc.selection.printing import decimals, number, strongest_first, unit
from terc.selection.result import Selection


def _paragraphs(*texts: str) -> Markup:
    return join(tag("p", text if isinstance(text, Markup) else prose(text)) for text in texts if text)


def gains(selection: Selection) -> Markup:
    """On the bars."""
    rows = strongest_first(selection, kept=True)
    how = "Left of the dashed red line is what chance alone would reach; the thin lines are 95 % intervals."
    if not rows:
        return _paragraphs("No variable stands clear of chance.", how)
    best = rows[0]
    amount = number(best.gain, decimals([best.gain]))
    worth = [variable(best.name), " is worth most: "]
    if unit(selection) == "nats":
        worth.append(
            f"known beside the other kept ones, it lowers the uncertainty of the action by {amount} nats."
        )
    else:
        worth.append(f"its score is {amount}.")
    together = [v.name for v in rows if v.acts == "together"]
    tell = " tells something only in company: alone it looks useless."
    if len(together) > 1:
        tell = " tell something only in company: alone they look useless."
    company = join([names_in_a_row(together, 3), tell])
    return _paragraphs(join(worth), company if together else "", how)


def path(selection: Selection) -> Markup:
    """On the elimination."""
    tests = len(selection.steps)
    left = sum(step.removed for step in selection.steps)
    return _paragraphs(
        f"{tests} test{'s' * (tests != 1)}, from top to bottom; {left} of them let variables go. A hollow "
        "mark left: without it nothing was lost. A filled mark stays. The grey bars count who remains."
    )


def groups(selection: Selection) -> Markup:
    """On redundancy."""
    return _paragraphs(
        "Each removed variable on the left says nothing that the kept ones it is joined to do not say.",
        "Had they been offered for removal in another order, a stand-in might have gone instead. Set "
        "`costs` or `order` if one of them is cheaper to sense.",
    )


def network(selection: Selection) -> Markup:
    """On the arrows."""
    return _paragraphs(
        "An arrow means: given all other kept variables, the action still depends on this one. The thicker "
        "the arrow, the more. Removed variables have none."
    )


def lags(selection: Selection) -> Markup:
    """On the heat map."""
    kept = [split_lag(name) for name in selection.kept]
    if not kept:
        return _paragraphs("No step of the history was kept.")
    furthest = max(lag for _, lag in kept)
    reach = (
        "only the present step" if furthest == 0 else f"back to {furthest} step{'s' * (furthest != 1)} ago"
    )
    return _paragraphs(
        f"The agent looks {reach}. The darker a cell, the more it tells; framed cells were kept."
    )


def agreement(sides: Mapping[str, Selection]) -> Markup:
    """On the grid of methods."""
    kept = [set(side.kept) for side in sides.values()]
    names = list(dict.fromkeys(name for side in sides.values() for name in side.names))
    everyone = [name for name in names if all(name in k for k in kept)]
    disputed = [name for name in names if any(name in k for k in kept) and name not in everyone]
    agreed = (
        join(["All methods keep ", names_in_a_row(everyone), "."])
        if everyone
        else "No variable is kept by all."
    )
    dispute = (
        join(["They disagree on ", names_in_a_row(disputed), "."]) if disputed else "They disagree on none."
    )
    return _paragraphs(agreed, dispute)


def side_by_side(sides: Mapping[str, Selection]) -> Markup:
    """On bars of several methods."""
    return _paragraphs(
        "Each panel has its own scale: scores of different methods do not compare, who stands clear of the "
        "dashed line does."
    )


def quarters(stages: Mapping[str, Selection]) -> Markup:
    """On the stages of training."""
    return _paragraphs(
        "Move the slider through training and watch what the agent comes to rely on. Bars that pass the red "
        "mark stand clear of chance."
    )


def history(found: HistoryLength) -> Markup:
    """On the length of history."""
    limit = "The longest history looked at is needed, so a longer one might be." if found.at_limit else ""
    lost = found.lost[found.length].value / found.information if found.information > 0 else 0.0
    steps = "The last step holds" if found.length == 1 else f"The last {found.length} steps hold"
    return _paragraphs(
        f"{steps} {percent(1 - lost)} of what the last {found.max_length} hold about the action; the rest "
        "does not count as a difference at this error rate.",
        limit,
    )


def lag_gains(found: HistoryLength) -> Markup:
    """On the heat map of a history."""
    return _paragraphs(
        "What the history found would lose without each step of each variable; framed: part of that history."
    )


def curves(material: Mapping[str, tuple[Floats, Floats]]) -> Markup:
    """On learning."""
    finals = final_returns(material)
    lines = [
        join(
            [
                tag("strong", variable(f.state)),
                f" ends at {f.value:.4g} [{f.low:.4g}, {f.high:.4g}]",
                _than(f.verdict),
            ]
        )
        for f in finals
    ]
    how = "Returns while learning: interquartile means over the seeds with their 95 % bootstrap intervals."
    return join([tag("ul", *(tag("li", line) for line in lines), class_="plain"), tag("p", how)])


def _than(words: str) -> str:
    return f": {words}." if words else "."


def state_lengths(states: Mapping[str, tuple[int, Floats]]) -> Markup:
    """On return and length."""
    # Of equally good states the shorter one.
    best = max(
        states, key=lambda name: (round(float(interquartile_mean(states[name][1])), 6), -states[name][0])
    )
    return _paragraphs(
        join(["The best return comes from ", variable(best), f", a state of {states[best][0]} variables."])
    )


def inference(times: Sequence[InferenceTime]) -> Markup:
    """On speed: the honest ratio and where the real gain is."""
    fastest = min((t for t in times if t.batch == min(t.batch for t in times)), key=lambda t: t.median)
    words = [
        join(["The fastest single call is ", variable(fastest.state), " in ", variable(fastest.runtime),
              f": {fastest.median:.3g} microseconds."])
    ]  # fmt: skip
    overlapping = [pair for pair in _pairs(times) if _within_spread(*pair)]
    if overlapping:
        where = names_in_a_row(f"{a.runtime}, batch {a.batch}" for a, _ in overlapping)
        words.append(join(["No difference beyond the spread of the clock for ", where, "."]))
    return _paragraphs(*words)


def _pairs(times: Sequence[InferenceTime]) -> list[tuple[InferenceTime, InferenceTime]]:
    places = dict.fromkeys((t.runtime, t.batch) for t in times)
    rows = [[t for t in times if (t.runtime, t.batch) == place] for place in places]
    return [(row[0], row[1]) for row in rows if len(row) == 2]


def _within_spread(one: InferenceTime, other: InferenceTime) -> bool:
    ends = (one.low, one.high, other.low, other.high)
    return not any(math.isnan(e) for e in ends) and max(one.low, other.low) <= min(one.high, other.high)


def condition_1(found: Condition1) -> Markup:
    """On perfect redundancy."""
    bars = (
        "Bars: how much two sets of different size say twice. One that reaches the shaded region says "
        "everything twice."
    )
    if not entropy_has_meaning(found):
        bars = "Bars: how much two sets of different size say twice."
    if found.holds is None:
        return _paragraphs("Not decided within the limits of the search.", bars)
    if found.holds:
        answer = (
            "Yes: all smallest sets that tell everything have the same size, so the elimination ends at one."
        )
        return _paragraphs(answer, bars)
    pair = found.violation
    by = (
        join([names_in_a_row(pair.first), " says what ", names_in_a_row(pair.second), " says. "])
        if pair
        else ""
    )
    answer = 'Algorithm 1 may then keep the larger set; `method="minimal"` looks for the smallest.'
    return _paragraphs(join(["No: ", by, prose(answer)]), bars)


def health(record: EstimatorHealth) -> Markup:
    """On the estimator."""
    gap = ""
    if {"training", "held out"} <= set(record.losses):
        difference = float(
            np.asarray(record.losses["held out"])[-1] - np.asarray(record.losses["training"])[-1]
        )
        gap = f"The held-out loss ends {difference:.3f} nats above the training loss."
    return _paragraphs(
        "Losses should fall and then lie flat; the dots of one variable, one for each fold or run, should "
        "lie close together.",
        gap,
    )
