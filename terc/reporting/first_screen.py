"""The first screen of a report: the verdict, who stays and who went, and the code to use it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from terc.reporting.markup import Markup, join, tag, variable
from terc.reporting.usage import usage
from terc.selection.printing import data_sentence, decimals, number, strongest_first, unit
from terc.selection.result import Selection, Verdict

MOST_CHIPS = 16
MEANING = {
    "redundant": "what they say is already said by others",
    "irrelevant": "no sign that they tell anything about the action",
    "constant": "they never change",
}


def first_screen(selection: Selection, title: str, saved: str | None, doubts: int) -> Markup:
    """Everything a reader in a hurry needs.

    Args:
        selection: The answer.
        title: Of the page.
        saved: Name of the file that holds the selection, if any.
        doubts: How many points of the section on doubts deserve a look.
    """
    answer = tag(
        "div",
        tag("p", title, class_="eyebrow"),
        tag("h1", verdict(selection)),
        meter(selection),
        tag("p", data_sentence(selection), ". ", _doubts(doubts), class_="data"),
        _kept(selection),
        _removed(selection),
        class_="answer",
    )
    use = tag(
        "section", tag("h2", "Use it", id="use"), usage(selection, saved), class_="use", aria_labelledby="use"
    )
    return tag("div", answer, use, class_="first-screen")


def verdict(selection: Selection) -> Markup:
    """The answer in one sentence, its numbers emphasised."""
    kept, total = len(selection.kept), len(selection.verdicts)
    things = "variable" if total == 1 else "variables"
    if not kept:
        return join(
            [tag("em", "None"), f" of the {total} {things} kept: no evidence that any bears on the action."]
        )
    start = [tag("em", f"{kept} of {total}"), f" {things} kept"]
    if math.isnan(selection.retained.value):
        return join([*start, "."])
    share = tag("em", percent(selection.retained.value), class_="nowrap")
    holds = "it holds" if kept == 1 else "they hold"
    return join([*start, f"; {holds} ", share, " of the action information."])


def percent(share: float) -> str:
    """A share in per cent with one digit.

    Example:
        >>> percent(0.9961)
        '99.6 %'
    """
    return f"{100 * share:.1f} %"


def meter(selection: Selection) -> Markup:
    """The retained share as a bar with its interval."""
    share = selection.retained
    if math.isnan(share.value):
        return Markup("")
    low, high = (share.value if math.isnan(end) else end for end in (share.low, share.high))
    ends = {"v": share.value, "l": low, "h": high}
    style = "".join(f"--{k}:{100 * min(1.0, max(0.0, v)):.2f}%;" for k, v in ends.items())
    interval = f"95 % interval {percent(low)} to {percent(high)}"
    words = f"{percent(share.value)} of the information is retained, {interval}"
    parts = tag("i", class_="fill"), tag("i", class_="band")
    strip = tag("div", *parts, class_="meter", style=style, role="img", aria_label=words)
    return join([strip, tag("p", interval, class_="meter-words")])


def _doubts(count: int) -> Markup:
    if not count:
        return Markup("")
    words = "1 thing to doubt" if count == 1 else f"{count} things to doubt"
    return tag("a", words, href="#doubt", class_="doubt-link")


def _kept(selection: Selection) -> Markup:
    rows = strongest_first(selection, kept=True)
    if not rows:
        return Markup("")
    digits = decimals(v.gain for v in rows)
    heading = tag("h2", "Kept ", tag("small", f"with their gain in {unit(selection)}"))
    return join([heading, _chips([_kept_chip(v, digits) for v in rows], "kept")])


def _kept_chip(row: Verdict, digits: int) -> Markup:
    words = tag("span", number(row.gain, digits), class_="chip-number")
    asked = tag("span", "asked for", class_="chip-note") if row.reason == "asked for" else ""
    return tag("li", variable(row.name), words, asked, class_="chip kept")


def _removed(selection: Selection) -> Markup:
    rows = strongest_first(selection, kept=False)
    if not rows:
        return Markup("")
    parts = [tag("h2", "Removed")]
    for reason in dict.fromkeys(v.reason for v in rows):
        group = [v for v in rows if v.reason == reason]
        meaning = f": {MEANING[reason]}" if reason in MEANING else ""
        parts.append(tag("p", tag("strong", f"{len(group)} {reason}"), meaning, class_="reason"))
        parts.append(_chips([_removed_chip(v) for v in group], reason))
    return join(parts)


def _removed_chip(row: Verdict) -> Markup:
    given = (
        [tag("span", " given ", class_="given"), join((variable(n) for n in row.given), ", ")]
        if row.given
        else []
    )
    return tag("li", variable(row.name), *given, class_="chip removed")


def _chips(chips: Sequence[Markup], what: str) -> Markup:
    shown = tag("ul", *chips[:MOST_CHIPS], class_="chips")
    rest = chips[MOST_CHIPS:]
    if not rest:
        return shown
    summary = tag("summary", f"{len(rest)} more {what}")
    return join([shown, tag("details", summary, tag("ul", *rest, class_="chips"))])
