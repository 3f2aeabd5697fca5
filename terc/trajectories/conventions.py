"""Layouts that many recordings share (D4RL, RLDS, LeRobot), recognised by the names of their arrays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from terc.notes import Note
from terc.trajectories.roles import Roles

STATES = ("observations", "observation", "obs", "states", "observation.state")
ACTIONS = ("actions", "action", "acts")
REWARDS = ("rewards", "reward", "next.reward")
EPISODES = ("episode_index", "episode_id", "episode", "episodes")
ENDS = (
    "terminals", "timeouts", "terminations", "truncations", "terminated", "truncated", "dones", "done",
    "next.done",
)  # fmt: skip
LAST_STEP = "is_last"
"""RLDS: true in the last step of an episode, which has an observation but no action."""


@dataclass(frozen=True)
class Convention:
    """What a recognised layout says.

    Attributes:
        roles: Every array that is not the observations has one, or is left out.
        skip_ends: Whether the last step of each episode has no action.
    """

    roles: Roles
    skip_ends: bool = False
    notes: tuple[Note, ...] = ()


def recognised(names: Sequence[str], blocks: Mapping[str, tuple[str, ...]]) -> Convention | None:
    """The layout of a table that has an array of observations and one of actions; None if it has not."""
    arrays = list(dict.fromkeys([*blocks, *names]))
    states, actions, rewards, episode = (
        next((word for word in words if word in arrays), None)
        for words in (STATES, ACTIONS, REWARDS, EPISODES)
    )
    if states is None or states not in blocks or actions is None:
        return None
    ends = (LAST_STEP,) if LAST_STEP in arrays else tuple(word for word in ENDS if word in arrays)
    taken = [states, actions, rewards, episode, *ends]
    variables = set(blocks[states])
    used = {part for name in taken if name is not None for part in blocks.get(name, (name,))}
    drop = tuple(name for name in names if name not in used and name not in variables)
    roles = Roles((actions,), episode, rewards, drop=drop, done=ends)
    words = [f"variables {states!r}", f"actions {actions!r}"]
    words += [f"rewards {rewards!r}"] * (rewards is not None)
    words += [f"episodes {episode!r}"] * (episode is not None)
    words += [f"ends of episodes {', '.join(map(repr, ends))}"] * bool(ends)
    left_out = list(dict.fromkeys(next((b for b in blocks if name in blocks[b]), name) for name in drop))
    more = f"; left out: {', '.join(map(repr, left_out[:10]))}" if left_out else ""
    note = Note("fact", "layout", f"read by the names of the arrays: {', '.join(words)}{more}.")
    return Convention(roles, LAST_STEP in ends, (note,))
