"""Small factored decision processes whose minimal state is known, among variables that only look like it.

`FACTORED` names eight kinds, of 12 to 30 variables each, played by a mediocre policy: it reads part of the
state and takes a random action three times in ten. `Labelled.answers` is the smallest set that holds what the
policy reads, predicts the reward, and predicts its own next values.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from terc.arrays import Floats
from terc.checks import whole_number
from terc.seeding import generator
from terc.synthetic.columns import family, one_of
from terc.synthetic.distractors import (
    MASS,
    Mechanism,
    State,
    chain,
    clocks,
    copies_of,
    gadgets,
    keys_and_rooms,
    noise,
    sensors,
    weather,
    wind,
)
from terc.synthetic.labelled import Answer, Labelled, classes
from terc.trajectories.array_doubts import seen_before
from terc.trajectories.data import Trajectories

EPISODE = 50
"""Steps of an episode."""
RANDOM = 0.3
"""Share of random actions of the mediocre policy."""
FEWEST, MOST = 12, 30
"""Variables of a world."""


@dataclass(frozen=True)
class FactoredWorld:
    """A decision process in parts.

    Attributes:
        reward: From the state before the step and the action, `[m]`.
        reads: The policy's preference for each of the three actions, as logits `[m, 3]`.
        answers: The minimal state.
    """

    parts: Sequence[Mechanism]
    answers: Answer
    reward: Callable[[State, Floats, np.random.Generator], Floats]
    reads: Callable[[State], Floats]
    nominal: tuple[str, ...] = ()

    def play(self, n: int, *, rng: np.random.Generator) -> Labelled:
        """`n` steps of the mediocre policy, in episodes of `EPISODE` steps."""
        count = -(-n // EPISODE)
        state: State = {}
        for part in self.parts:
            state |= part.start(state, count, rng)
        steps: list[State] = []
        acted, paid = np.empty((EPISODE, count)), np.empty((EPISODE, count))
        for t in range(EPISODE):
            chosen = (self.reads(state) + rng.gumbel(size=(count, 3))).argmax(1)
            chosen = np.where(rng.random(count) < RANDOM, rng.integers(0, 3, count), chosen)
            steps.append(state)
            acted[t], paid[t] = chosen, self.reward(state, chosen.astype(float), rng)
            after: State = {}
            for part in self.parts:
                after |= part.step(state, after, chosen.astype(float), rng)
            state = after
        names = [list(state)[k] for k in rng.permutation(len(state))]
        table = np.stack([np.stack([one[name] for name in names], 1) for one in steps], 1)
        data = Trajectories(
            seen_before(table.reshape(-1, len(names))[:n]),
            acted.T.reshape(-1)[:n].astype(np.int64),
            episodes=np.repeat(np.arange(count), EPISODE)[:n],
            names=names,
            rewards=paid.T.reshape(-1)[:n],
            nominal=self.nominal,
        )
        return Labelled(data, self.answers)


def _towards_zero(name: str) -> Callable[[State], Floats]:
    """Push left where the variable is large, right where it is small."""

    def logits(state: State) -> Floats:
        pull = -2.0 * state[name]
        return np.stack([-pull, np.zeros_like(pull), pull], 1)

    return logits


def _near_zero(state: State, action: Floats, rng: np.random.Generator) -> Floats:
    """The reward of the pushed mass: near zero, with few pushes."""
    return -(state["position"] ** 2) - 0.2 * np.abs(action - 1) + 0.05 * rng.standard_normal(len(action))


def _pushed(answers: Answer, *parts: Mechanism, reward: Any = _near_zero) -> FactoredWorld:
    """A world whose policy pushes the mass towards zero."""
    return FactoredWorld(parts, answers, reward, _towards_zero("position"))


def _room(rng: np.random.Generator, taken: int) -> int:
    """How many distractors bring a world to between `FEWEST` and `MOST` variables."""
    return int(rng.integers(FEWEST, MOST + 1)) - taken


def _noise_columns(rng: np.random.Generator) -> FactoredWorld:
    """A mass that is pushed; all else is noise."""
    return _pushed(_MASS, MASS, noise(_room(rng, 2)))


def _weather_report(rng: np.random.Generator) -> FactoredWorld:
    """Wind pushes the mass too; a flag shows yesterday's wind, and other weather only goes its way."""
    return _pushed((*_MASS, ("wind",)), wind(), MASS, weather(_room(rng, 4)))


def _gadgets(rng: np.random.Generator) -> FactoredWorld:
    """The action also moves lamps, dials and counters that nothing depends on."""
    return _pushed(_MASS, MASS, gadgets(_room(rng, 2)))


def _hidden_clock(rng: np.random.Generator) -> FactoredWorld:
    """Being away from zero is only punished in half of the phases of one clock; other clocks mean nothing."""

    def reward(state: State, action: Floats, rng: np.random.Generator) -> Floats:
        return _near_zero(state, action, rng) * (state["clock"] < 3)

    return _pushed((*_MASS, ("clock",)), MASS, clocks(), noise(_room(rng, 6)), reward=reward)


def _chain(rng: np.random.Generator) -> FactoredWorld:
    """The reward hangs on the first link of a chain of four; another chain of four leads nowhere."""

    def reward(state: State, action: Floats, rng: np.random.Generator) -> Floats:
        return np.tanh(state["link_0"]) + 0.05 * rng.standard_normal(len(action))

    parts = [chain("link", 4), chain("other", 4), noise(_room(rng, 8))]
    return FactoredWorld(parts, classes(f"link_{k}" for k in range(4)), reward, _towards_zero("link_0"))


def _noisy_sensors(rng: np.random.Generator) -> FactoredWorld:
    """Sensors show position and velocity with errors, and where the mass was one step ago."""
    return _pushed(_MASS, MASS, sensors(_room(rng, 2)))


def _same_in_other_units(rng: np.random.Generator) -> FactoredWorld:
    """Position and velocity come twice, the second time in other units: either will do."""
    answers = (("position", "position_in_inches"), ("velocity", "log_velocity"))
    return _pushed(answers, MASS, copies_of(), weather(_room(rng, 4)))


def _key_and_door(rng: np.random.Generator) -> FactoredWorld:
    """Rooms in a ring; the key lies in one, the door is in another and opens only with the key."""

    def reward(state: State, action: Floats, rng: np.random.Generator) -> Floats:
        del rng
        return ((state["room"] == 4) & (state["key"] == 1) & (action == 1)).astype(float)

    def reads(state: State) -> Floats:
        side = np.where(state["room"] < 4, 1.0, -1.0)
        return np.stack([-side, 0 * side, side], 1)

    parts = [keys_and_rooms(), noise(_room(rng, 5))]
    return FactoredWorld(parts, classes(["room", "key"]), reward, reads, ("room", "other_room"))


_MASS = classes(["position", "velocity"])
_KINDS: dict[str, Callable[[np.random.Generator], FactoredWorld]] = {
    world.__name__.lstrip("_"): world
    for world in (
        _noise_columns, _weather_report, _gadgets, _hidden_clock, _chain, _noisy_sensors,
        _same_in_other_units, _key_and_door,
    )
}  # fmt: skip


@family
def factored(kind: str, n: int = 10_000, *, seed: int = 0) -> Labelled:
    """`n` steps in the world of a `kind`."""
    one_of("factored", "kind", kind, _KINDS)
    seed = whole_number("factored", "seed", seed)
    rng = generator(len(_KINDS) * seed + list(_KINDS).index(kind))
    return _KINDS[kind](rng).play(n, rng=rng)


FACTORED: dict[str, Callable[..., Labelled]] = {kind: partial(factored, kind) for kind in _KINDS}
"""Eight kinds of worlds, each a function `name(n=10_000, *, seed=0) -> Labelled`."""
