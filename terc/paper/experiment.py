"""`Experiment`: one experiment of the paper as waves of tasks, claims and pictures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from terc.paper.claims import Claim
from terc.paper.scale import Scale
from terc.reporting.pictures import Picture
from terc.store import Store, Task

Wave = Callable[[Scale, Store], list[Task]]
Pictures = list[tuple[str, Picture]]
"""Pictures, each with its place in the paper."""


@dataclass(frozen=True)
class Experiment:
    """One experiment.

    Attributes:
        waves: Functions that give tasks; each is asked when the tasks of the one before are done, because
            what comes next may depend on what was found.
    """

    name: str
    title: str
    waves: tuple[Wave, ...]
    claims: Callable[[Scale, Store], list[Claim]]
    pictures: Callable[[Scale, Store], Pictures]
