"""What the agents of a world read, and whether TERC keeps what their choice depends on: rows and causes."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from terc.paper.claims import Side, counted, often
from terc.paper.reading import Reading
from terc.paper.study import Study

SHARE = "share of the information, at least and at most, given the others"


def read_side(study: Study, preset: str, who: str) -> Side:
    """Whether the policies read all that the paper wants kept."""
    found = study.readings(preset)
    wanted = study.wanted
    unread = [name for one in found for name in wanted if one.is_read(name) is False]
    unsure = [name for one in found for name in wanted if one.is_read(name) is None]
    extra = f"not read: {often(unread, of=len(found)) or 'none'}"
    extra += f"; not decided: {often(unsure, of=len(found))}" if unsure else ""
    nats = [f"{name} {low:.4f} to {high:.4f} ({one.floor:.4f})" for one in found for name in wanted
            if not one.is_read(name) for low, high in [one.reads[name]]]  # fmt: skip
    cause = f"What values of other moments cost, in nats (and from where on it counts): {listed(nats)}."
    return counted([every(one.is_read(n) for n in wanted) for one in found], who, cause=cause,
                   extra=extra).by("intervention")  # fmt: skip


def noise_side(study: Study, preset: str, who: str) -> Side:
    """Whether the policies read nothing else."""
    found, wanted = study.readings(preset), study.wanted
    others = [name for name in study.names if name not in wanted]
    count = np.mean([sum(one.is_read(name) is True for name in others) for one in found])
    there, here = (np.mean([one.reads[n] for one in found for n in names]) for names in (others, wanted))
    cause = f"Values of other moments there cost {there:.4f} nats, in the others {here:.4f}."
    unread = [every(denied(one.is_read(name)) for name in others) for one in found]
    extra = f"they read {count:.1f} of them on average"
    return counted(unread, who, cause=cause, extra=extra).by("intervention")


def kept_side(study: Study, preset: str, who: str, why: str) -> Side:
    """Whether TERC keeps every wanted variable that the choice depends on given the others."""
    lost, found = study.lost(preset), study.readings(preset)
    gone = [name for one in lost for name, used in one.items() if used]
    unsure = [one.in_words(name) for one, names in zip(found, lost, strict=False)
              for name, used in names.items() if used is None]  # fmt: skip
    words = [f"used and removed: {often(gone, of=len(lost)) or 'none'}"] if gone or not unsure else []
    words += [f"in doubt {often(unsure, of=1)}"] if unsure else []
    held = [every(denied(used) for used in one.values()) for one in lost]
    made = counted(held, who, cause=f"{_given(lost, found)}{why}", extra="; ".join(words))
    unused = [one.in_words(name) for one in found[: len(lost)] for name in study.wanted
              if one.is_used(name) is False]  # fmt: skip
    note = f"Not used ({SHARE}): {listed(unused)}." if unused else ""
    return replace(made, cause=" ".join(filter(None, (made.cause, note))))


def _given(lost: Sequence[dict[str, bool | None]], found: Sequence[Reading]) -> str:
    """The bounds of what was removed."""
    each = [one.in_words(name) for one, names in zip(found, lost, strict=False) for name in names]
    return f"What was removed, by intervention ({SHARE}): {listed(each)}. " if each else ""


def worth(study: Study, preset: str, names: Sequence[str], kept: Sequence[Sequence[str]]) -> str:
    """What the choices of agents take from some variables, where these were kept and where they were not."""
    found, parts = study.readings(preset)[: len(kept)], []
    for name in names:
        ends = [[one.in_words(name) for one, k in zip(found, kept, strict=True) if (name in k) is stays]
                for stays in (True, False)]  # fmt: skip
        there, gone = ([words.removeprefix(f"{name} ") for words in each] for each in ends)
        parts.append(f"{name} {listed(there)} where it was kept, {listed(gone)} where not")
    return f"By intervention ({SHARE}): {'; '.join(parts)}."


def policies(study: Study, preset: str, count: int) -> str:
    """How many of the first policies read what the paper wants removed, and what they do not read."""
    found, wanted = study.readings(preset)[:count], study.wanted
    noise = sum(any(one.is_read(name) for name in study.names if name not in wanted) for one in found)
    unread = often((name for one in found for name in wanted if one.is_read(name) is False), of=count)
    read = f"; not read by the policy: {unread}" if unread else ""
    return f"By intervention {noise} of {len(found)} policies read other variables{read}"


def every(found: Iterable[bool | None]) -> bool | None:
    """Whether all hold; None where none fails and some are not decided.

    Example:
        >>> every([True, None]), every([None, False]), every([])
        (None, False, True)
    """
    each = list(found)
    return False if False in each else None if None in each else True


def denied(found: bool | None) -> bool | None:
    """The opposite, where it is decided."""
    return None if found is None else not found


def listed(words: Sequence[str]) -> str:
    """Words one after the other, equal ones counted."""
    return ", ".join(word if n == 1 else f"{word} ({n} times)" for word, n in Counter(words).items())
