"""What each picture says, in plain words and from the numbers it shows."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from markupsafe import Markup

from terc.figures.inference_times import InferenceTime
from terc.plurals import some
from terc.redundancy.lags import split_lag
from terc.reporting.render import names_in_a_row, paragraphs, variable
from terc.returns.front import Frontier
from terc.returns.verdict import AgentsTable
from terc.selection.printing import decimals, number, strongest_first, subject_of, unit, why_none
from terc.selection.result import Selection

# Of pictures that need no numbers in their words.
GROUPS = (
    "Each removed variable on the left carries nothing that the kept ones it is joined to do not carry. "
    "Tried in another order, a stand-in might have been removed instead. Set `costs` or `order` if one of "
    "them is cheaper to sense."
)
SIDES = (
    "Each panel has its own scale: the scores of different methods cannot be compared, but which variables "
    "clear the dashed line can."
)
CURVES = (
    "Returns while learning: interquartile means over the agents with their 95 % bootstrap intervals. How "
    "the trained agents compare on fresh episodes is said at the top."
)
LENGTHS = (
    "Small dots: the mean return of each trained agent on fresh episodes. Large marks: their interquartile "
    "mean with its 95 % bootstrap interval."
)
RETURNS = (
    "A variable can be removed more than once: each is tested beside all others first, then several "
    "together, and one that is missed beside those left comes back and is tested again."
)
HEALTH = "The dots of one variable, one for each fold or run, should lie close together."


def gains(selection: Selection) -> Markup:
    """On the bars."""
    rows = strongest_first(selection, kept=True)
    how = (
        "Left of the dashed red line is what chance alone would reach, or what would be too small to count; "
        "the thin lines are 95 % intervals."
    )
    if not rows:
        return paragraphs(f"No variable was kept: {why_none(selection)}.", how)
    best = rows[0]
    amount = number(best.gain, decimals([best.gain]))
    if unit(selection) == "nats":
        worth = f"known beside the other kept ones, it lowers the uncertainty of {subject_of(selection)} "
        worth += f"by {amount} nats."
    else:
        worth = f"its score is {amount}."
    together = [v.name for v in rows if v.acts == "together"]
    company = Markup("{} {} information only in company: alone {} useless.").format(
        names_in_a_row(together, 3),
        *(("carry", "they look") if len(together) > 1 else ("carries", "it looks")),
    )
    most = Markup("{} carries most: {}").format(variable(best.name), worth)
    return paragraphs(most, company if together else "", how)


def path(selection: Selection) -> Markup:
    """On the elimination."""
    tests = len(selection.steps)
    left = sum(step.removed for step in selection.steps)
    count = f"{some(tests, 'test')}, from top to bottom"
    removed = f"{left} of them removed variables" if left else "none of them removed a variable"
    times = Counter(name for step in selection.steps if step.removed for name in step.tried)
    back = any(count > 1 or name in selection.kept for name, count in times.items())
    return paragraphs(
        f"{count}; {removed}. A hollow mark was removed: without it no information about "
        f"{subject_of(selection)} was lost. A filled mark stays. The grey bars count the variables that "
        "remain.",
        RETURNS if back else "",
    )


def network(selection: Selection) -> Markup:
    """On the arrows."""
    return paragraphs(
        "An arrow means: given all other kept variables, this one still says something about "
        f"{subject_of(selection)}. The thicker the arrow, the more. Removed variables have none."
    )


def several(table: AgentsTable) -> Markup:
    """On the grid of variables by agents."""
    count, stable = len(table.agents), table.stability
    shared = Markup("All {} agents need {}.").format(count, names_in_a_row(list(stable.core), 8))
    stand_ins = [
        Markup("{} of {} need {}: these stand in for each other.").format(
            round(stable[group[0]].with_stand_ins * count), count, Markup(" or ").join(map(variable, group))
        )
        for group in stable.stand_ins
    ]
    return paragraphs(
        shared if stable.core else f"No variable is needed by all {count} agents.",
        *stand_ins,
        "Any of them: found from all recordings together, with one error rate. The task: what predicts the "
        "reward and its own next values as well as all variables do, with what the agents need.",
    )


def lags(selection: Selection) -> Markup:
    """On the heat map."""
    kept = [split_lag(name) for name in selection.kept]
    if not kept:
        return paragraphs("No step of the history was kept.")
    furthest = max(lag for _, lag in kept)
    reach = f"back to {some(furthest, 'step')} ago" if furthest else "only the present step"
    return paragraphs(
        f"The agent looks {reach}. The darker a cell, the more it carries; framed cells were kept."
    )


def agreement(sides: Mapping[str, Selection]) -> Markup:
    """On the grid of methods."""
    kept = [set(side.kept) for side in sides.values()]
    names = list(dict.fromkeys(name for side in sides.values() for name in side.names))
    everyone = [name for name in names if all(name in k for k in kept)]
    disputed = [name for name in names if any(name in k for k in kept) and name not in everyone]
    agreed = Markup("All methods keep {}.").format(names_in_a_row(everyone))
    dispute = Markup("They disagree on {}.").format(names_in_a_row(disputed))
    return paragraphs(
        agreed if everyone else "No variable is kept by all.",
        dispute if disputed else "They disagree on none.",
    )


def frontier(front: Frontier) -> Markup:
    """On ever smaller sets, and how sure the smallest is."""
    share, found = f"{100 * front.tolerance:g} %", front.confirmed()
    enough = Markup("The smallest set that holds its return within {}: {}. Confirmed: {}.")
    none = f"No set is confirmed to hold its return within {share}."
    not_yet = Markup("Not confirmed: {}. {}.")
    others = [one for one in front.tried if one is not found]
    return paragraphs(
        "An agent was distilled onto each of a row of ever smaller sets of variables. Marks: their returns "
        "on the same fresh episodes, with 95 % intervals; the band is that of the agent that taught.",
        enough.format(share, names_in_a_row(found.variables, 12), front.evidence(found)) if found else none,
        *(not_yet.format(names_in_a_row(one.variables, 12), front.evidence(one)) for one in others),
        "Hollow marks: the agents distilled afresh. A better set that is not on this row is not found.",
    )


def inference(times: Sequence[InferenceTime]) -> Markup:
    """On speed: the fastest call, and where there is no difference beyond the spread."""
    fastest = min((t for t in times if t.batch == min(t.batch for t in times)), key=lambda t: t.median)
    words = Markup("The fastest single call is {} in {}: {} microseconds.").format(
        variable(fastest.state), variable(fastest.runtime), f"{fastest.median:.3g}"
    )
    places: dict[str, list[InferenceTime]] = {}
    for one in times:
        places.setdefault(f"{one.runtime}, batch {one.batch}", []).append(one)
    alike = [
        place
        for place, two in places.items()
        if len(two) == 2 and np.max([t.low for t in two]) <= np.min([t.high for t in two])
    ]
    same = Markup("No difference beyond the spread of the clock for {}.").format(names_in_a_row(alike))
    return paragraphs(words, same if alike else "")
