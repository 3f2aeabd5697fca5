"""What to doubt about a selection, decided where the numbers are."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from terc.entropy.base import Held
from terc.selection.result import Note, Verdict
from terc.selection.visible_names import listed

LOW_SHARE = 0.9
"""Share of the information below which the kept variables may not be enough."""
SURE = 0.01
"""Chance below which a loss of information is no luck."""
TOGETHER = 2.0
"""Floors that all removed variables together may cost without a doubt: each may cost almost one."""
LITTLE_EXPLAINED = 0.05
"""Share of the action's entropy below which the variables say little about it."""


def doubts(rows: Sequence[Verdict], held: Held | None, echoes: Sequence[str] = ()) -> Iterator[Note]:
    """Doubts about a selection, the most serious first; `echoes` may only repeat the others."""
    if held is not None:
        yield from about_information(held)
        some_removed = any(not row.kept and row.reason != "constant" for row in rows)
        if held.information > 0 and some_removed and any(row.kept for row in rows):
            yield from _about_share(held, rows)
    if echoes:
        said = listed(echoes, among=_names(rows))
        text = (
            # A name never comes first: what shows a sentence may begin it with a capital letter.
            f"of the kept variables, {said} may only repeat, with noise, what the others say: more steps may "
            "still teach more about those than it gains; record more to be sure."
        )
        yield Note("doubt", "unlearnt", text)
    yield from _undecided(rows)


def _undecided(rows: Sequence[Verdict]) -> Iterator[Note]:
    """Of what is kept beyond luck only whether it is material is open."""
    for read in (False, True):
        these = [row for row in rows if row.undecided and (row.kept and row.beyond_luck) == read]
        if not these:
            continue
        known = [row.steps_needed for row in these if row.steps_needed is not None]
        enough = len(known) == len(these)
        more = f"about {max(known):,} steps in all would decide" if enough else "more steps may not decide"
        verb, bear = ("is", "it bears") if len(these) == 1 else ("are", "they bear")
        what = f"material (min_effect), though that {bear} on the action is sure" if read else "needed"
        names = listed(_names(these), among=_names(rows))
        yield Note("doubt", "undecided", f"undecided whether {names} {verb} {what}; {more}.")


def repeated(rows: Sequence[Verdict], echoes: Sequence[str]) -> Iterator[Note]:
    """Which of the removed variables only repeat the kept ones, and would have helped for now."""
    names = [row.name for row in rows if row.name in echoes and not row.kept]
    if names:
        verb, it = ("repeats", "it gains") if len(names) == 1 else ("repeat", "they gain")
        said = listed(names, among=_names(rows))
        text = (
            f"of the removed variables, {said} only {verb}, with noise, what the kept ones say: the more is "
            f"learnt about those, the less {it}."
        )
        yield Note("fact", "repeated", text)


def settled(rows: Sequence[Verdict], held: Held | None) -> tuple[Verdict, ...]:
    """The same lines; where no variable carries anything, none of them is undecided."""
    if held is None or not _no_information(held):
        return tuple(rows)
    return tuple(replace(row, undecided=False, steps_needed=None) for row in rows)


def _names(rows: Sequence[Verdict]) -> list[str]:
    return [row.name for row in rows]


def _no_information(held: Held) -> bool:
    return held.information <= 2 * held.floor


def about_information(held: Held) -> Iterator[Note]:
    """Whether all variables together say enough about the action for an answer to mean something."""
    if _no_information(held):
        yield Note("doubt", "no-information", "the variables carry next to no information about the action.")
    elif held.information < LITTLE_EXPLAINED * held.action_entropy:
        share = 100 * held.information / held.action_entropy
        text = f"all variables together explain only {share:.1f} % of the action's entropy."
        yield Note("doubt", "little-explained", text)


def _about_share(held: Held, rows: Sequence[Verdict]) -> Iterator[Note]:
    """Whether the kept variables hold enough, and surely enough; the negligible may matter together."""
    negligible = [row for row in rows if row.reason == "negligible"]
    lost = (held.lost.gain, held.lost.interval[1])
    share, least = (max(0.0, 1 - nats / held.information) for nats in lost)
    if share < LOW_SHARE:
        text = (
            f"the kept variables hold only {100 * share:.0f} % of the information: something may be needed "
            "that these steps cannot show for sure; record more."
        )
        yield Note("doubt", "low-share", text)
    elif least < LOW_SHARE:
        yield _wide(share, least)
    elif held.lost.p_value < SURE and held.lost.interval[0] > held.floor:
        why = "something more is needed, and these steps cannot show what; record more."
        if 2 * sum(row.gain for row in negligible) >= held.lost.gain:
            names = listed(_names(negligible), among=_names(rows))
            why = f"{names}, each negligible, matter together; a smaller min_effect keeps them."
        held_now = f"the kept variables hold {100 * share:.1f} % of the information"
        yield Note("doubt", "sure-loss", f"{held_now}, surely less than all of it: {why}")
    elif 0 < TOGETHER * held.floor <= held.lost.gain:
        yield _wide(share, least)


def _wide(share: float, least: float) -> Note:
    text = (
        f"the kept variables hold {100 * share:.1f} % of the information, but these steps allow as little as "
        f"{100 * least:.1f} %; record more."
    )
    return Note("doubt", "wide-share", text)
