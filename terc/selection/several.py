"""Several policies at once: a variable is needed if any of them, or all of them, need it.

Which recording a step is from is a condition of every question. H(A given S and recording) is the mean over
the policies of what each leaves unknown, so that a loss for any of them is a loss of the whole: one
elimination answers for all of them, at one error rate, and a variable that stands in for another for one
policy does so for each. Needed by all is what is also needed in each recording alone, beside the others that
are kept: a variable that one policy does not need has only that recording's chance to be kept wrongly.
"""

from collections.abc import Callable, Mapping, Set
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from terc.errors import BadValueError
from terc.selection.copies import copies_left_out, without_copies
from terc.selection.result import GIVEN_WHAT_SOME_NEED, NEEDED_BY_SOME, Interval, Note, Selection, Verdict
from terc.selection.targets import TARGETS, Target, checked_policies, free_name
from terc.trajectories.data import Trajectories

Select = Callable[..., Selection]
ENOUGH_TOGETHER = 24
"""Episodes of each recording from which one of each can count as one and still be enough for a t-test."""


def other_question(
    select: Select, data: Trajectories, options: Mapping[str, Any], target: Target, policies: str
) -> Selection:
    """The selection for another target, or for several policies, by `select` itself on other data.

    Args:
        select: `terc.select`.
        data: The recorded steps.
        options: All its other arguments.
        target: What is to be predicted.
        policies: "any" or "all".
    """
    checked_policies(policies)
    keep = [options["keep"]] if isinstance(options["keep"], str) else list(options["keep"])
    asked = target.asked_of(data, keep)
    if target.what != "actions" and len(np.unique(asked.actions, axis=0)) == 1:
        raise BadValueError(f"select: the target {target.what!r} never changes, {target.why_constant()}.")
    of = target.of if target.of is None or isinstance(target.of, str) else list(target.of)
    record = {"target": target.what, "of": of, "policies": policies}
    asked, every = _each_once(asked), asked
    if asked.source is None or (asked.source == asked.source[0]).all():
        selection = select(_without_source(asked), **options)
        if policies == "all" and len(asked) == len(every):
            text = "one recording is of one policy; a folder is one recording, so give its files instead."
            selection = replace(selection, notes=(Note("doubt", "one-policy", text), *selection.notes))
    else:
        selection = _of_several(select, asked, options, keep)
        if policies == "all":
            selection = _needed_by_all(select, asked, options, selection)
    notes = tuple(replace(note, text=_spoken_of(note.text, target.what)) for note in selection.notes)
    notes = (*notes, *copies_left_out(asked, every))
    return replace(selection, notes=notes, config={**selection.config, **record, "keep": keep})


def _each_once(data: Trajectories) -> Trajectories:
    """Without recordings of which each episode is in one before: given twice, it is no second policy."""
    if data.source is None:
        return data
    once = without_copies(data)
    if once.source is None or len(once) == len(data):
        return data
    new = np.isin(data.source, once.source)
    return data if new.all() else data.rows(new)


def _spoken_of(text: str, what: str) -> str:
    """What the engine says of the action, which here is something else."""
    if what == "actions":
        return text
    for said, meant in (
        ("the action's entropy", f"the entropy of {TARGETS[what]}"),
        ("the actions", TARGETS[what]),
    ):
        text = text.replace(said, meant)
    return text.replace("the action", TARGETS[what])


def _of_several(select: Select, data: Trajectories, options: Mapping[str, Any], keep: list[str]) -> Selection:
    name = free_name("source", data.names)
    together = _interleaved(data, name)
    found = select(together, **{**options, "keep": [*keep, name]})
    count = len(np.unique(together.states[:, -1]))
    text = f"{count} recordings: a variable is kept if any of their policies needs it."
    return replace(
        found,
        verdicts=tuple(
            replace(v, given=tuple(other for other in v.given if other != name))
            for v in found.verdicts
            if v.name != name
        ),
        n_episodes=data.n_episodes,
        notes=(*found.notes, Note("fact", "several-policies", text)),
    )


def _interleaved(data: Trajectories, name: str) -> Trajectories:
    """The recording as one more variable, and episodes in turn: a change of policy is no drift in time.

    Where each recording has enough episodes, one of each (or as many as bring them level) count as one: the
    policies are what they are, so that the difference between them is no part of the luck of an answer.
    """
    assert data.source is not None  # noqa: S101  (for the type checker)
    starts = np.flatnonzero(np.diff(data.episodes, prepend=-1))
    recordings, source = np.unique(data.source, return_inverse=True)
    counts = np.bincount(source[starts])
    place = np.empty(len(starts))
    for one, count in enumerate(counts):
        place[source[starts] == one] = (np.arange(count) + 0.5) / count
    turn = np.argsort(np.argsort(place, kind="stable"))
    rows: npt.NDArray[Any] = np.argsort(turn[data.episodes], kind="stable")
    fewest = int(counts.min())
    together = (place * fewest).astype(np.int64) if fewest >= ENOUGH_TOGETHER else turn
    states = np.column_stack([data.states, source.astype(data.states.dtype)])
    return data._with(
        states=states,
        names=(*data.names, name),
        levels=MappingProxyType({**data.levels, name: tuple(recordings.tolist())}),
        source=None,
    )._rows(rows, together[data.episodes[rows]])


def _needed_by_all(
    select: Select, data: Trajectories, options: Mapping[str, Any], found: Selection
) -> Selection:
    """Of the kept variables those that each recording alone shows to be needed beside the other kept ones.

    What is redundant given one that is then needed by some only is not redundant given the kept ones.
    """
    if not found.kept or data.source is None:
        return found
    plain = {key: value for key, value in options.items() if key not in ("order", "costs", "groups", "keep")}
    alone = [
        select(_without_source(data.only(found.kept).rows(data.source == k)), **plain)
        for k in np.unique(data.source)
    ]
    asked_for = {verdict.name for verdict in found.verdicts if verdict.reason == "asked for"}
    every = set(found.kept).intersection(*(one.kept for one in alone)) | asked_for
    rows = tuple(_by_some(v, every) for v in found.verdicts)
    text = f"{len(alone)} recordings: kept is what each of their policies needs."
    notes = tuple(note for note in found.notes if note.code != "several-policies")
    lacking = Interval(float("nan"), float("nan"), float("nan"))
    return replace(
        found,
        verdicts=rows,
        retained=found.retained if every == set(found.kept) else lacking,
        notes=(*notes, Note("fact", "several-policies", text)),
    )


def _by_some(row: Verdict, needed_by_all: Set[str]) -> Verdict:
    """The row, which may have gone itself, or one of those that stand in for it."""
    if row.name in needed_by_all or not (row.kept or set(row.given) - needed_by_all):
        return row
    return replace(row, kept=False, reason=NEEDED_BY_SOME if row.kept else GIVEN_WHAT_SOME_NEED)


def _without_source(data: Trajectories) -> Trajectories:
    return data._with(source=None)
