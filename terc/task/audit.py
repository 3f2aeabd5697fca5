"""`audit`: are the kept variables still a state, and if not, what has to join them?

A set of variables is a state if, with the action, it predicts the reward and its own next values as well as
all variables do. What is missing for one of these is added, then the next values of the added ones are asked
about, until nothing is missing. A target that a smaller set predicts is predicted by a larger one, so each is
asked about once; there are at most as many as variables and one more, and alpha is shared out among them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from terc.entropy.evidence import ALPHA
from terc.errors import BadTypeError, BadValueError
from terc.progress import Report, reporting
from terc.selection.result import Selection
from terc.selection.select import select
from terc.selection.targets import action_names
from terc.task.audited import REWARD, Audit, Finding
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
        estimator: As in `terc.select`.
        alpha: Chance of adding any variable that carries nothing, over all targets together.
        min_effect: Share of the information about a target below which a loss is immaterial.
        n_jobs: Worker processes; -1 for one per core.
        backend: "serial", "processes", "ray", or an object with `map`; None decides by `n_jobs`.
        seed: Same seed, same answer.
        progress: True for a bar on a terminal, or a function `(done, total, what)`.

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
    options: dict[str, Any] = {
        "estimator": estimator,
        "alpha": alpha / (len(data.names) + 1),
        "min_effect": min_effect,
        "n_jobs": n_jobs,
        "backend": backend,
        "seed": seed,
    }
    state, waiting = list(kept), [REWARD, *kept]
    findings: list[Finding] = []
    with reporting(progress) as report:
        while waiting:
            target = waiting.pop(0)
            report(len(findings), len(findings) + len(waiting) + 1, f"what predicts {target or 'the reward'}")
            found = _missing(data, target, state, options)
            findings.append(found)
            state += found.added
            waiting += found.added
    return Audit(data.names, kept, tuple(findings), has_rewards=data.rewards is not None)


def _kept_names(data: Trajectories, selection: Selection | Iterable[str]) -> tuple[str, ...]:
    if isinstance(selection, str) or not isinstance(selection, Selection | Iterable):
        raise BadTypeError(f"audit: wanted a Selection or a list of names, got {selection!r}.")
    if not isinstance(data, Trajectories):
        raise BadTypeError(f"audit: data must be Trajectories, got {type(data).__name__}.")
    wanted = set(
        names_of("audit", selection.kept if isinstance(selection, Selection) else selection, data.names)
    )
    return tuple(name for name in data.names if name in wanted)


def _missing(data: Trajectories, target: str, state: list[str], options: dict[str, Any]) -> Finding:
    """What must join the state for it to predict the target as well as all variables do."""
    if not _changes(data, target):
        return Finding(target)
    asked = {"target": "reward"} if target == REWARD else {"target": "next", "of": [target]}
    fixed = [*state, *action_names(data)]
    found = select(data, keep=fixed, **asked, **options)
    added = [verdict for verdict in found.verdicts if verdict.kept and verdict.name not in fixed]
    return Finding(
        target,
        tuple(verdict.name for verdict in added),
        tuple(verdict.gain for verdict in added),
        found.information,
        tuple(note for note in found.notes if note.kind == "doubt" and note.code not in OF_NO_CONCERN),
    )


def _changes(data: Trajectories, target: str) -> bool:
    if target != REWARD:
        return bool(np.ptp(data.states[:, data.column(target)]) > 0)
    return data.rewards is not None and bool(np.ptp(data.rewards) > 0)
