"""`audit`: are the kept variables still a state, and if not, what has to join them?

A set of variables is a state if, with the action, it predicts the reward, the end of the episode and its own
next values as well as all variables do. What is missing for one of these is added, then the next values of
the added ones are asked about, until nothing is missing. By the chain rule the next values are predicted
together if each is, given those asked about before it. A target that a smaller set predicts is predicted by a
larger one, so each is asked about once; there are at most as many as variables and two more, and alpha is
shared out among them.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from terc.checks import called_rightly
from terc.entropy.base import Estimator
from terc.entropy.evidence import ALPHA
from terc.errors import BadTypeError, BadValueError
from terc.parallel.backend import Backend
from terc.plurals import some
from terc.progress import Report, reporting
from terc.records import Record
from terc.selection.printing import WIDTH
from terc.selection.result import Note, Selection
from terc.selection.select import select
from terc.selection.targets import FEWEST_ENDS, Target, action_names, episode_ends, next_name
from terc.selection.visible_names import listed, visible
from terc.trajectories.data import Trajectories
from terc.trajectories.names import names_of

if TYPE_CHECKING:
    import pandas as pd


OF_NO_CONCERN = ("no-information", "little-explained")
"""Doubts about how much can be foretold at all: a state need not foretell more than all variables do."""


@called_rightly
def audit(  # noqa: PLR0913  (the options of select that mean something here)
    data: Trajectories,
    selection: Selection | Iterable[str],
    *,
    estimator: str | Estimator = "auto",
    alpha: float = ALPHA,
    min_effect: float | None = None,
    n_jobs: int = 1,
    backend: str | Backend | None = None,
    seed: int = 0,
    progress: bool | Report = False,
) -> Audit:
    """Whether the kept variables are a state of the task, and what would have to join them.

    Args:
        data: Recorded steps, with rewards if there are any; the policy should try more than one action in
            similar states.
        selection: What `terc.select` returned, or the names that are kept.
        estimator: As in `terc.select`, like `n_jobs`, `backend`, `seed` and `progress`.
        alpha: Chance of adding any variable that carries nothing, over all targets together.
        min_effect: Share of the information about a target below which a loss is immaterial.

    Example:
        The policy looks at a; the next a is b, which the action sets.
        >>> rng = np.random.default_rng(0)
        >>> action, noise = rng.integers(0, 2, (2, 1000))
        >>> b = np.roll(action, 1)
        >>> data = Trajectories(np.stack([np.roll(b, 1), b, noise], 1), action, names=["a", "b", "noise"],
        ...                     episodes=np.arange(1000) // 10)
        >>> audit(data, ["a"], estimator="plugin").add
        ('b',)
    """
    kept = _kept_names(data, selection)
    if len(np.unique(data.episodes)) == len(data):
        raise BadValueError("audit: every episode has one step; next values need episodes of two or more.")
    options: dict[str, Any] = {"estimator": estimator, "alpha": alpha / (len(data.names) + 2)}
    options |= {"min_effect": min_effect, "n_jobs": n_jobs, "backend": backend, "seed": seed}
    state, waiting = list(kept), [(REWARD, ""), (END, ""), *((NEXT, name) for name in kept)]
    findings: list[Finding] = []
    with reporting(progress) as report:
        while waiting:
            about = Finding(*waiting.pop(0))
            if not _can_be_asked(data, about):
                continue
            report(len(findings), len(findings) + len(waiting) + 1, f"what predicts {about.words}")
            before = tuple(finding.of for finding in findings if finding.what == NEXT)
            found = _missing(data, about, state, before, options)
            findings.append(found)
            state += found.added
            waiting += [(NEXT, name) for name in found.added]
    return Audit(data.names, kept, tuple(findings), has_rewards=data.rewards is not None)


def _kept_names(data: Trajectories, selection: Selection | Iterable[str]) -> tuple[str, ...]:
    if isinstance(selection, str) or not isinstance(selection, Selection | Iterable):
        raise BadTypeError(f"audit: wanted a Selection or a list of names, got {selection!r}.")
    if not isinstance(data, Trajectories):
        raise BadTypeError(f"audit: data must be Trajectories, got {type(data).__name__}.")
    given = selection.kept if isinstance(selection, Selection) else selection
    wanted = names_of("audit", given, data.names)
    return tuple(name for name in data.names if name in wanted)


def _can_be_asked(data: Trajectories, about: Finding) -> bool:
    """Whether there is something to predict; what never changes within an episode predicts itself."""
    if about.what == REWARD:
        return data.rewards is not None and bool(np.ptp(data.rewards) > 0)
    if about.what == END:
        return int(episode_ends(data)[1].sum()) >= FEWEST_ENDS
    values = data.states[:, data.column(about.of)]
    return bool((np.diff(values)[np.diff(data.episodes) == 0] != 0).any())


def _missing(
    data: Trajectories, about: Finding, state: list[str], before: tuple[str, ...], options: dict[str, Any]
) -> Finding:
    """What must join the state for it to predict the target as well as all variables do."""
    target = Target(about.what, [about.of], before) if about.what == NEXT else Target(about.what)
    fixed = [*state, *action_names(data), *(next_name(name, data.names) for name in target.given)]
    found = select(target.asked_of(data, state), keep=fixed, **options)
    added = [verdict for verdict in found.verdicts if verdict.kept and verdict.name not in fixed]
    return replace(
        about,
        added=tuple(verdict.name for verdict in added),
        gains=tuple(verdict.gain for verdict in added),
        information=found.information,
        doubts=tuple(note for note in found.notes if note.kind == "doubt" and note.code not in OF_NO_CONCERN),
    )


REWARD, END, NEXT = "reward", "end", "next"


@dataclass(frozen=True)
class Finding:
    """What one target needs beyond the state as it was then.

    Attributes:
        what: "reward", "end" (of the episode), or "next" (value of a variable).
        of: The variable whose next value is meant.
        added: Variables that had to join.
        gains: For each of them the nats about the target that are lost without it.
        information: Nats that all variables and the action carry about the target.
        doubts: What the selection behind it says against itself.
    """

    what: str
    of: str = ""
    added: tuple[str, ...] = ()
    gains: tuple[float, ...] = ()
    information: float = 0.0
    doubts: tuple[Note, ...] = ()

    @property
    def words(self) -> str:
        """The target in words."""
        words = {REWARD: "the reward", END: "the end of the episode"}
        return words.get(self.what, f"the next {visible(self.of)}")


@dataclass(frozen=True)
class Audit(Record):
    """The answer of `terc.audit`.

    Attributes:
        findings: One per target, in the order in which they were asked about.
        has_rewards: Whether the reward could be asked about at all.

    Example:
        >>> print(Audit(("x", "y"), ("x",), (Finding("next", "x", ("y",), (0.2,), 0.5),), has_rewards=False))
        1 kept variable is not a state: y is missing. The state has 2 of 2 variables.
          y: carries 0.2000 nats about the next x that the state lacks
        No rewards in the data: they were not asked about.
        Fewer than 20 episodes end early: their ends were not asked about.
    """

    shown: ClassVar[tuple[str, ...]] = ("sufficient", "add", "state", "reasons")

    names: tuple[str, ...]
    kept: tuple[str, ...]
    findings: tuple[Finding, ...]
    has_rewards: bool = True

    @property
    def add(self) -> tuple[str, ...]:
        """Names that have to join, in column order; none if the kept are a state."""
        return tuple(name for name in self.names if name in self._why)

    @property
    def state(self) -> tuple[str, ...]:
        """Kept and added names, in column order."""
        return tuple(name for name in self.names if name in {*self.kept, *self.add})

    @property
    def sufficient(self) -> bool:
        """Whether the kept variables are a state as they are."""
        return not self.add

    @property
    def _why(self) -> dict[str, tuple[str, float]]:
        """Added variable -> the target it was added for, and its gain."""
        return {
            name: (finding.words, gain)
            for finding in self.findings
            for name, gain in zip(finding.added, finding.gains, strict=True)
        }

    @property
    def reasons(self) -> dict[str, str]:
        """For each added variable what it is needed for."""
        words = "carries {:.4f} nats about {} that the state lacks"
        return {name: words.format(gain, target) for name, (target, gain) in self._why.items()}

    def to_frame(self) -> pd.DataFrame:
        """One row per variable: kept, added, the target it was added for, and its gain."""
        import pandas as pd

        why = self._why
        rows = [(n in self.kept, n in why, *why.get(n, (None, float("nan")))) for n in self.names]
        columns, index = ["kept", "added", "needed_for", "gain"], pd.Index(self.names, name="name")
        return pd.DataFrame(rows, columns=columns, index=index)

    def __str__(self) -> str:
        return "\n".join([*textwrap.wrap(self._verdict(), WIDTH), *self._lines()])

    def _verdict(self) -> str:
        kept = f"{some(len(self.kept), 'kept variable')} {'is' if len(self.kept) == 1 else 'are'}"
        if self.sufficient:
            asked = [finding.words for finding in self.findings if finding.what != NEXT]
            asked += ["next values"] * any(finding.what == NEXT for finding in self.findings)
            if not asked:
                return f"{kept} a state in name only: no target changes, nothing could be asked about."
            about = " and ".join([", ".join(asked[:-1]), asked[-1]] if asked[:-1] else asked)
            return f"{kept} a state, as far as these steps show: nothing else carries more about {about}."
        missing = f"{listed(self.add, most=8)} {'is' if len(self.add) == 1 else 'are'} missing"
        share = f"{len(self.state)} of {some(len(self.names), 'variable')}"
        return f"{kept} not a state: {missing}. The state has {share}."

    def _lines(self) -> list[str]:
        lines = [f"  {visible(name)}: {reason}" for name, reason in self.reasons.items()]
        lines += sorted({f"  doubt ({one.words}): {doubt}" for one in self.findings for doubt in one.doubts})
        return [*lines, *self._not_asked()]

    def _not_asked(self) -> list[str]:
        asked = {finding.what for finding in self.findings}
        lines = ["No rewards in the data: they were not asked about."] * (not self.has_rewards)
        if self.has_rewards and REWARD not in asked:
            lines.append("The reward never changes: it was not asked about.")
        if END not in asked:
            lines.append(f"Fewer than {FEWEST_ENDS} episodes end early: their ends were not asked about.")
        return lines

    def _repr_html_(self) -> str:
        rows = "".join(f"<li>{escape(line.strip())}</li>" for line in self._lines())
        return f"<div class='terc-audit'><p>{escape(self._verdict())}</p><ul>{rows}</ul></div>"
