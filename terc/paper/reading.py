"""What an agent reads and what its choice depends on, by intervention on its policy."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from terc.agents.network_policy import NetworkPolicy
from terc.agents.policy import load_policy
from terc.entropy.evidence import MIN_EFFECT
from terc.errors import TercWarning
from terc.paper.dependence import Bounds, dependence, information, reads
from terc.paper.worlds import Source, at_most, saved, world_named
from terc.selection.select import select
from terc.store import Store, Task
from terc.trajectories.files import load

CODE = ("terc.paper.dependence", "terc.paper.worlds", "terc.entropy.evidence")


@dataclass(frozen=True)
class Reading:
    """What an agent's choice takes from each variable.

    Attributes:
        information: Nats that the states hold of the choice.
        steps: Of the play that was looked at.
        reads: Variable -> nats that are lost when it takes values of other moments, 95 % interval.
        depends: Variable -> nats when all others are known (the paper's Phi), at least and at most.

    Example:
        >>> found = Reading(1.0, 100_000, {"x": (0.2, 0.3)}, {"x": (0.004, 0.006), "y": (0.0, 0.001)})
        >>> found.is_read("x"), found.is_used("x"), found.is_used("y"), found.in_words("x")
        (True, None, False, 'x 0.40 to 0.60%')
    """

    information: float
    steps: int
    reads: Mapping[str, Bounds]
    depends: Mapping[str, Bounds]

    @property
    def floor(self) -> float:
        """Nats below which nothing counts: what terc.select calls negligible, or one nat in all the steps."""
        return max(MIN_EFFECT * self.information, self.one_nat)

    @property
    def one_nat(self) -> float:
        """Nats a step that are one in all of them: less no test could show."""
        return 1.0 / self.steps

    def is_read(self, name: str) -> bool | None:
        """Whether the policy reads a variable; None where the interval holds the floor."""
        return self._above(self.reads[name])

    def is_used(self, name: str) -> bool | None:
        """Whether the choice depends on a variable given the others; None where the bounds do not decide."""
        return self._above(self.depends[name])

    def _above(self, bounds: Bounds) -> bool | None:
        low, high = bounds
        return True if low > self.floor else False if high <= self.floor else None

    def in_words(self, name: str) -> str:
        """The bounds of `depends` as shares of the information, or in all steps where that is the floor."""
        if self.floor == self.one_nat:
            return f"{name} {self.depends[name][1] * self.steps:.2f} nats in all steps"
        ends = (100.0 * nats / max(self.information, 1e-9) for nats in self.depends[name])
        low, high = (f"{share:.2f}" if share < 1.0 else f"{share:.1f}" for share in ends)
        return f"{name} {low} to {high}%"


def reading_task(needs: Task, source: Source, world: str, seed: int) -> Task:
    """What a trained agent reads; `needs` trained it, `source` is the play that TERC explains."""
    key, options = f"{needs.key.removesuffix('/agent')}/reading", {"world": world, "seed": seed}
    options |= {"agent": needs.key, "file": source["file"]}
    return Task(key, f"{needs.words}: what it reads", reading, options, (needs,), code=CODE)


def reading(store: Store, key: str, *, agent: str, file: str, world: str, seed: int) -> dict[str, Any]:
    """The fields of `Reading`. Keys and noise are drawn for themselves: the others say nothing of them."""
    policy = cast("NetworkPolicy", load_policy(store / saved(agent, "policy.npz")))
    played, among = load(store / saved(agent, file)), world_named(world)
    wanted = () if among.is_game else among.wanted(played.names)
    others = {n: [one for one in wanted if one != n] if n in wanted else [] for n in played.names}
    return {
        "information": information(policy, played),
        "steps": len(played),
        "reads": reads(policy, played, seed=seed),
        "depends": dependence(policy, played, others, seed=seed),
    }


def reading_of(store: Store, folder: str) -> Reading:
    """What the agent of a folder reads."""
    found = store[f"{folder}/reading"]
    pairs = {part: {n: (b[0], b[1]) for n, b in found[part].items()} for part in ("reads", "depends")}
    return Reading(found["information"], found["steps"], **pairs)


def chances_task(needs: Task, steps: int) -> Task:
    """What terc.select keeps when it is shown the chances of all actions and not only the one drawn."""
    key = f"{needs.key.removesuffix('/agent')}/chances"
    return Task(key, f"{needs.words}: chances of its actions", by_chances,
                {"agent": needs.key, "steps": steps}, (needs,), code=("terc.selection.select",))  # fmt: skip


def by_chances(store: Store, key: str, *, agent: str, steps: int) -> list[str] | None:
    """The kept variables; None where the chances were not recorded, as of continuous actions."""
    data = at_most(load(store / saved(agent, "rollout.npz")), steps)
    if data.probabilities is None:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TercWarning)
        return list(select(data).kept)
