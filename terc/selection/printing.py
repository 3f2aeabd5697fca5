"""The text of `print(selection)`: verdict, doubts, kept variables, removed ones and why, in 100 columns."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from terc.plurals import some
from terc.selection.result import GIVEN_WHAT_SOME_NEED, NEEDED_BY_SOME
from terc.selection.targets import TARGETS
from terc.selection.visible_names import columns, distinct, listed, steady, visible, wrapped

if TYPE_CHECKING:
    from terc.selection.result import Selection, Verdict

WIDTH = 96
NAME_ROOM = 30
MOST_KEPT = 40
MOST_REMOVED = 20
IN_NATS = ("naive", "sequential", "minimal")
REASON_ORDER = (NEEDED_BY_SOME, "redundant", GIVEN_WHAT_SOME_NEED, "irrelevant", "constant")
GIVEN = {"redundant": "redundant given {}", GIVEN_WHAT_SOME_NEED: "redundant given {}, needed by some"}


def table(selection: Selection, width: int = WIDTH) -> str:
    """The selection as plain text.

    Args:
        selection: Of any size; with hundreds of variables the weakest removed ones are counted, not listed.
        width: Columns of the sentences; a row of the table may have 96.

    Returns:
        Lines of at most 96 columns, without a final newline.
    """
    kept, removed = strongest_first(selection, kept=True), strongest_first(selection, kept=False)
    name_room = min(NAME_ROOM, max([columns(visible(v.name)) for v in selection.verdicts] + [8]))
    digits = decimals(v.gain for v in selection.verdicts)
    sentences = (verdict_sentence(selection), data_sentence(selection))
    lines = [line for sentence in sentences for line in textwrap.wrap(sentence, width)]
    lines += _notes(selection, "doubt", width)
    if kept:
        lines += ["", _heading("kept", name_room)]
        lines += _rows(selection, kept[:MOST_KEPT], name_room, digits)
        lines += _rest(kept[MOST_KEPT:])
    if removed:
        lines += ["", _heading("removed", name_room)]
        lines += _rows(selection, removed[:MOST_REMOVED], name_room, digits)
        lines += _rest(removed[MOST_REMOVED:])
    return "\n".join([*lines, *_notes(selection, "fact", width)])


def verdict_sentence(selection: Selection) -> str:
    """The answer in one sentence.

    Example:
        >>> from terc.selection.result import Interval, Selection, Verdict
        >>> row = Verdict("x", 0.69, 0.68, 0.70, 0.01, 0.0, True, "needed")
        >>> verdict_sentence(Selection((row,), retained=Interval(0.996, 0.991, 0.999)))
        '1 of 1 variable kept; it holds 99.6 % [99.1, 99.9] of the action information.'
    """
    total, kept = some(len(selection.verdicts), "variable"), len(selection.kept)
    if kept == 0:
        return f"None of the {total} kept: {why_none(selection)}."
    share = selection.retained
    if math.isnan(share.value):
        return f"{kept} of {total} kept."
    holds = "it holds" if kept == 1 else "they hold"
    interval = "" if math.isnan(share.low) else f" [{100 * share.low:.1f}, {100 * share.high:.1f}]"
    amount = f"{100 * share.value:.1f} %{interval}"
    return f"{kept} of {total} kept; {holds} {amount} of the {information_in(selection)}."


def why_none(selection: Selection) -> str:
    """Why nothing was kept, by the reasons of all that was removed.

    Example:
        >>> from terc.selection.result import Selection, Verdict
        >>> why_none(Selection((Verdict("x", 0.0, 0.0, 0.0, 0.01, 1.0, False, "irrelevant"),)))
        'no evidence that any of them bears on the action'
    """
    subject, reasons = subject_of(selection), {verdict.reason for verdict in selection.verdicts}
    undecided = [verdict.name for verdict in selection.verdicts if verdict.undecided]
    if NEEDED_BY_SOME in reasons:
        return "some of the policies need some of them, but no variable is needed by all"
    if "redundant" in reasons:
        return f"what one says about {subject}, others say as well"
    if undecided:
        names = listed(undecided, among=selection.names)
        do = "does" if len(undecided) == 1 else "do"
        return f"none surely bears on {subject}, and whether {names} {do} is undecided"
    if "negligible" in reasons:
        return f"none of them shows as much about {subject} as the smallest effect that counts"
    return f"no evidence that any of them bears on {subject}"


def information_in(selection: Selection) -> str:
    """What the retained share is a share of."""
    about = f"information about {subject_of(selection)}"
    return "action information" if is_about_actions(selection) else about


def subject_of(selection: Selection) -> str:
    """What was to be predicted, as a sentence speaks of it: the action, or another target."""
    what = str(selection.config.get("target", "actions"))
    return TARGETS.get(what, what)


def is_about_actions(selection: Selection) -> bool:
    """Whether the variables are those of an agent, and not what predicts another target."""
    return subject_of(selection) == TARGETS["actions"]


def data_sentence(selection: Selection) -> str:
    """What was decided from what: method, estimator, steps and episodes."""
    parts = [f"method {visible(selection.method)}", f"estimator {visible(selection.estimator)}"]
    if selection.n_steps:
        episodes = f" in {some(selection.n_episodes, 'episode')}" if selection.n_episodes else ""
        parts.append(some(selection.n_steps, "step") + episodes)
    parts.append(f"gains in {visible(unit(selection))}")
    return ", ".join(parts)


def unit(selection: Selection) -> str:
    """What the gains are counted in: nats, or the score of a baseline."""
    named = selection.config.get("unit")
    return str(named) if named else ("nats" if selection.method in IN_NATS else "score")


def strongest_first(selection: Selection, *, kept: bool) -> list[Verdict]:
    """The kept (or removed) variables by falling gain; the removed reason by reason."""
    chosen = [v for v in selection.verdicts if v.kept == kept]
    return sorted(chosen, key=lambda v: (_reason_rank(v), math.isnan(v.gain), -v.gain))


def _reason_rank(verdict: Verdict) -> int:
    known = not verdict.kept and verdict.reason in REASON_ORDER
    return REASON_ORDER.index(verdict.reason) if known else len(REASON_ORDER) * (not verdict.kept)


def decimals(gains: Iterable[float]) -> int:
    """Digits after the point: three, more where all gains are small, two where they are large.

    Example:
        >>> decimals([0.31, 0.002]), decimals([0.0042]), decimals([120.0])
        (3, 5, 2)
    """
    largest = max((abs(g) for g in gains if math.isfinite(g)), default=0.0)
    if largest == 0.0:
        return 3
    return min(6, max(3 if largest < 10 else 2, 2 - math.floor(math.log10(largest))))


def number(value: float, digits: int) -> str:
    """`value` with fixed digits; a dash for what was not measured; no negative zero.

    Example:
        >>> number(-0.0001, 3), number(float("nan"), 3)
        ('0.000', '-')
    """
    if math.isnan(value):
        return "-"
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def why(verdict: Verdict, most: int = 3, room: int = 28, among: Iterable[str] = ()) -> str:
    """The reason behind a verdict in a few words; `most`, `room` and `among` as in `listed`.

    Example:
        >>> from terc.selection.result import Verdict
        >>> why(Verdict("y", 0.0, 0.0, 0.0, 0.01, 1.0, False, "redundant", given=("x",)))
        'redundant given x'
    """
    words = visible(verdict.reason)
    if verdict.reason in GIVEN and verdict.given:
        words = GIVEN[verdict.reason].format(listed(verdict.given, most, room, among))
    company = {"alone": ", informative alone too", "together": ", only with others"}.get(verdict.acts, "")
    until_now, comma, still_open = so_far(verdict).partition(",")
    return words + until_now + (company if verdict.kept else "") + comma + still_open


def so_far(verdict: Verdict) -> str:
    """What is open about a verdict, to stand after its reason; empty where nothing is.

    Example:
        >>> from terc.selection.result import Verdict
        >>> so_far(Verdict("x", 0.002, 0.001, 0.005, 0.002, 1e-9, True, "needed", undecided=True))
        ', undecided whether material'
    """
    if not verdict.undecided:
        return ""
    return ", undecided whether material" if verdict.kept and verdict.beyond_luck else " so far, undecided"


def _heading(word: str, name_room: int) -> str:
    return f"{word:<{name_room + 2}}  {'gain':>9}  {'[low, high]':<20}  why"


def _rows(selection: Selection, rows: Sequence[Verdict], name_room: int, digits: int) -> Iterator[str]:
    """A line for each verdict, and further ones where its reason does not fit beside it."""
    names = [visible(name) for name in selection.names]
    for verdict in rows:
        name = distinct(visible(verdict.name), names, name_room)
        padding = " " * (name_room - columns(name))
        interval = f"[{number(verdict.low, digits)}, {number(verdict.high, digits)}]"
        if math.isnan(verdict.low):
            interval = ""
        start = f"  {steady(name)}{padding}  {number(verdict.gain, digits):>9}  {interval:<20}  "
        room = max(24, WIDTH - columns(start))
        ways = [wrapped(why(verdict, most, min(28, room - 1), selection.names), room) for most in (2, 1)]
        first, *more = min(ways, key=len)
        yield (start + first).rstrip()
        yield from (" " * columns(start) + line for line in more)


def _rest(verdicts: Sequence[Verdict]) -> list[str]:
    if not verdicts:
        return []
    counts = {r: sum(v.reason == r for v in verdicts) for r in dict.fromkeys(v.reason for v in verdicts)}
    reasons = ", ".join(f"{n} {visible(reason)}" for reason, n in counts.items())
    return [f"  ... and {len(verdicts)} more: {reasons}"]


def _notes(selection: Selection, kind: str, width: int) -> list[str]:
    """Doubts stand beside the answer that they are about, facts at the end."""
    start, lines = ("doubt: ", [""]) if kind == "doubt" else ("  - ", ["", "notes"])
    texts = [visible(" ".join(note.text.split())) for note in selection.notes if note.kind == kind]
    for text in texts:
        lines += textwrap.wrap(text, width, initial_indent=start, subsequent_indent=" " * len(start))
    return lines if texts else []
