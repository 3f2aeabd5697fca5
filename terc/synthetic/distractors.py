"""What factored worlds are put together from: a pushed mass, chains, clocks, rooms, and look-alikes.

Every part has `start(state, m, rng)` and `step(state, after, action, rng)`, for `m` episodes side by side.
`after` holds what the parts before it have become, for sensors that look at it. Actions are 0, 1 and 2.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from terc.arrays import Floats
from terc.synthetic.columns import NOISE_KINDS

State = dict[str, Floats]
"""For each variable its value in every episode, `[m]`."""
Rng = np.random.Generator


@dataclass(frozen=True)
class Mechanism:
    """Variables that move together."""

    start: Callable[[State, int, Rng], State]
    step: Callable[[State, State, Floats, Rng], State]


def _normal(names: list[str]) -> Callable[[State, int, Rng], State]:
    return lambda state, m, rng: {name: rng.standard_normal(m) for name in names}


def _step_of_mass(state: State, after: State, action: Floats, rng: Rng) -> State:
    del after
    push = action - 1 + 0.6 * state.get("wind", 0.0)
    noise = rng.standard_normal((2, len(action)))
    return {
        "position": 0.95 * state["position"] + 0.4 * state["velocity"] + 0.05 * noise[0],
        "velocity": 0.8 * state["velocity"] + 0.5 * push + 0.1 * noise[1],
    }


MASS = Mechanism(_normal(["position", "velocity"]), _step_of_mass)
"""A mass that is pushed left or right, and by the wind where there is one."""


def wind() -> Mechanism:
    """Wind, which comes and goes by itself, and a flag that follows it one step late, with an error."""

    def step(state: State, after: State, action: Floats, rng: Rng) -> State:
        del after
        noise = rng.standard_normal((2, len(action)))
        return {"wind": 0.8 * state["wind"] + 0.6 * noise[0], "flag": state["wind"] + 0.3 * noise[1]}

    return Mechanism(_normal(["wind", "flag"]), step)


def noise(count: int) -> Mechanism:
    """Columns of noise of all kinds, new in every step."""
    kinds = [kind for kind in NOISE_KINDS if kind != "nominal"]

    def draw(m: int, rng: Rng) -> State:
        return {f"noise_{k}": NOISE_KINDS[kinds[k % len(kinds)]](m, rng).astype(float) for k in range(count)}

    return Mechanism(
        lambda state, m, rng: draw(m, rng), lambda state, after, action, rng: draw(len(action), rng)
    )


def _in_turn(name: str, count: int, moved: Callable[..., tuple[Floats, ...]]) -> Callable[..., State]:
    """A step in which columns take turns among the ways that `moved(old, k, action, rng)` gives."""

    def step(state: State, after: State, action: Floats, rng: Rng) -> State:
        del after
        new = {}
        for k in range(count):
            ways = moved(state[f"{name}_{k}"], k, action, rng)
            new[f"{name}_{k}"] = ways[k % len(ways)]
        return new

    return step


def weather(count: int) -> Mechanism:
    """Columns that their own past predicts: slow averages, tides and counters."""

    def start(state: State, m: int, rng: Rng) -> State:
        del state
        first = {f"weather_{k}": rng.standard_normal(m) for k in range(0, count, 3)}
        first |= {f"weather_{k}": rng.uniform(0, 1, m) for k in range(1, count, 3)}
        return first | {f"weather_{k}": rng.integers(0, 7, m).astype(float) for k in range(2, count, 3)}

    def moved(old: Floats, k: int, action: Floats, rng: Rng) -> tuple[Floats, ...]:
        slow = 0.95 * old + 0.3 * rng.standard_normal(len(action))
        return slow, (old + 0.05 + 0.01 * k) % 1.0, (old + 1) % 7

    return Mechanism(start, _in_turn("weather", count, moved))


def gadgets(count: int) -> Mechanism:
    """Columns that the action moves and nothing depends on: dials, lamps and counters."""

    def moved(old: Floats, k: int, action: Floats, rng: Rng) -> tuple[Floats, ...]:
        del k
        dial = 0.6 * old + 0.5 * (action - 1) + 0.3 * rng.standard_normal(len(action))
        lamp = np.where((action == 2) & (rng.random(len(action)) < 0.7), 1 - old, old)
        return dial, lamp, (old + (action == 0)) % 5

    return Mechanism(
        lambda state, m, rng: {f"gadget_{k}": rng.integers(0, 2, m).astype(float) for k in range(count)},
        _in_turn("gadget", count, moved),
    )


def clocks() -> Mechanism:
    """Four clocks of 6, 5, 7 and 4 phases, each set at random when an episode begins."""
    phases = {"clock": 6, "clock_a": 5, "clock_b": 7, "clock_c": 4}
    return Mechanism(
        lambda state, m, rng: {name: rng.integers(0, k, m).astype(float) for name, k in phases.items()},
        lambda state, after, action, rng: {name: (state[name] + 1) % k for name, k in phases.items()},
    )


def chain(name: str, length: int) -> Mechanism:
    """Each link follows the one after it; the last follows the action."""
    names = [f"{name}_{k}" for k in range(length)]

    def step(state: State, after: State, action: Floats, rng: Rng) -> State:
        del after
        pulls = [*(state[one] for one in names[1:]), action - 1]
        noise = 0.3 * rng.standard_normal((length, len(action)))
        return {
            one: 0.6 * state[one] + 0.6 * pull + noise[k]
            for k, (one, pull) in enumerate(zip(names, pulls, strict=True))
        }

    return Mechanism(_normal(names), step)


def sensors(count: int) -> Mechanism:
    """Position and velocity with errors, and in between the position one step ago."""

    def shown(state: State, before: State, rng: Rng) -> State:
        m = len(state["position"])
        seen = (state["position"], state["velocity"], before["position"])
        return {f"sensor_{k}": seen[k % 3] + 0.3 * rng.standard_normal(m) for k in range(count)}

    return Mechanism(
        lambda state, m, rng: shown(state, state, rng),
        lambda state, after, action, rng: shown(after, state, rng),
    )


def copies_of() -> Mechanism:
    """Position and velocity once more, in other units."""

    def shown(state: State) -> State:
        velocity = state["velocity"]
        return {
            "position_in_inches": 39.37 * state["position"],
            "log_velocity": np.sign(velocity) * np.log1p(np.abs(velocity)),
        }

    return Mechanism(lambda state, m, rng: shown(state), lambda state, after, action, rng: shown(after))


def keys_and_rooms() -> Mechanism:
    """Six rooms in a ring and a key, which lies in the first; a lamp, and another who walks about."""

    def start(state: State, m: int, rng: Rng) -> State:
        del state
        rooms = rng.integers(0, 6, (2, m)).astype(float)
        bits = rng.integers(0, 2, (2, m)).astype(float)
        other = {"other_room": rooms[1], "lamp": bits[1], "steps": np.zeros(m)}
        return {"room": rooms[0], "key": bits[0], **other}

    def step(state: State, after: State, action: Floats, rng: Rng) -> State:
        del after
        m = len(action)
        slips = rng.random(m) < 0.1
        move = np.where(slips, 0, action - 1)
        takes = (state["room"] == 0) & (action == 1) & (rng.random(m) < 0.8)
        opens = (state["room"] == 4) & (action == 1) & (state["key"] == 1)
        return {
            "room": (state["room"] + move) % 6,
            "key": np.where(takes, 1.0, np.where(opens, 0.0, state["key"])),
            "other_room": (state["other_room"] + rng.integers(-1, 2, m)) % 6,
            "lamp": np.where(action == 1, 1 - state["lamp"], state["lamp"]),
            "steps": state["steps"] + 1,
        }

    return Mechanism(start, step)
