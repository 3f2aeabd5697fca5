"""`audit`: are the kept variables still a state, and if not, what has to join them?

A set of variables is a state if, with the action, it predicts the reward, the end of the episode and its own
next values as well as all variables do. What is missing for one of these is added, then the next values of
the added ones are asked about, until nothing is missing. By the chain rule the next values are predicted
together if each is, given those asked about before it. A target that a smaller set predicts is predicted by a
larger one, so each is asked about once; there are at most as many as variables and two more, and alpha is
shared out among them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from terc.entropy.evidence import ALPHA
from terc.errors import BadTypeError, BadValueError
from terc.progress import Report, reporting
from terc.selection.result import Selection
from terc.selection.select import select
from terc.selection.targets import FEWEST_ENDS, Target, action_names, episode_ends, next_name
from terc.task.audited import END, NEXT, REWARD, Audit, Finding
from terc.trajectories.data import Trajectories
from terc.trajectories.names import names_of

if TYPE_CHECKING:
    from terc.entropy.base import Estimator
    from terc.parallel.backend import Backend

OF_NO_CONCERN = ("no-information", "little-explained")
"""Doubts about how much can be foretold at all: a state need not foretell more than all variables do."""


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
