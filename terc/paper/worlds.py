"""The paper's worlds that are learnt by networks, and where the steps of a selection come from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from terc import synthetic
from terc.environments.secret_key import secret_positions
from terc.pipeline.config import RunConfig
from terc.pipeline.worlds import World, open_world
from terc.store import Store
from terc.trajectories.data import Trajectories
from terc.trajectories.files import load

NOISE = 3
GAME = "secret-key-"


@dataclass(frozen=True)
class PaperWorld:
    """One world.

    Attributes:
        name: Our short name; also that of MINE's settings where the paper has this world.
        expert: Return from which the paper calls an episode an expert's.
        bars: Figure of the paper with its scores.
        stages: Figure of the paper with its quarters of training.
    """

    name: str
    title: str
    id: str
    expert: float
    bars: str
    stages: str
    trees: int = 100
    noise: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def config(self) -> RunConfig:
        """As a run of the pipeline."""
        return RunConfig(self.id, environment_options=dict(self.options), noise=self.noise)

    def open(self) -> World:
        """The world itself."""
        return open_world(self.config)

    @property
    def is_game(self) -> bool:
        """Whether it is the Secret Key Game."""
        return self.name.startswith(GAME)

    @property
    def mine(self) -> str:
        """Name of the appendix's settings of MINE; other numbers of keys take those of 25."""
        return "secret-key-25" if self.is_game and self.name[-2:] != "50" else self.name

    def wanted(self, names: Sequence[str]) -> tuple[str, ...]:
        """The variables that the paper wants kept: the secret keys, or those that are not noise."""
        if self.is_game:
            return secret_keys(len(names))
        return tuple(name for name in names if not name.startswith("noise_"))


PAPER_WORLDS = {
    world.name: world
    for world in (
        PaperWorld("cart-pole", "Cart Pole", "CartPole-v1", 475.0, "Fig. 5", "Fig. 6", 50, NOISE),
        PaperWorld("lunar-lander", "Lunar Lander", "LunarLander-v3", 200.0, "Fig. 5", "Fig. 7", 50, NOISE),
        PaperWorld("pendulum", "Pendulum", "Pendulum-v1", -10.0, "Fig. 5", "Fig. 8", 100, NOISE),
    )
}


def secret_keys(keys: int) -> tuple[str, ...]:
    """The right answer of the game, in column order."""
    return tuple(f"key_{k}" for k in sorted(secret_positions(keys, 0)))


def secret_key_world(keys: int) -> PaperWorld:
    """The Secret Key Game with this number of keys."""
    options = {"keys": keys, "game": 0}
    title = f"{keys} keys"
    return PaperWorld(f"{GAME}{keys}", title, "terc/SecretKey-v0", 0.0, "Fig. 3", "Fig. 4", options=options)


def world_named(name: str) -> PaperWorld:
    """The world of a short name."""
    if name.startswith(GAME):
        return secret_key_world(int(name.removeprefix(GAME)))
    return PAPER_WORLDS[name]


Source = Mapping[str, Any]


def family(name: str, steps: int, seed: int) -> Source:
    """A data set of `terc.synthetic`."""
    return {"family": name, "steps": steps, "seed": seed}


def saved(key: str, file: str) -> str:
    """Name, within the store, of a file of a task."""
    return f"files/{key}/{file}"


def of_task(key: str, file: str = "rollout.npz", *, quarter: int | None = None) -> Source:
    """Steps that a task saved; `quarter` 0..3 takes that quarter of the training."""
    return {"task": key, "file": file, "quarter": quarter}


def read(store: Store, source: Source) -> Trajectories:
    """The steps, without the policy's probabilities: the actions taken are explained, as in the paper."""
    if "family" in source:
        return getattr(synthetic, source["family"])(source["steps"], seed=source["seed"]).data
    data = load(store / saved(source["task"], source["file"]))
    if source["quarter"] is not None:
        data = data.quarters()[source["quarter"]]
    return data.sampled_only()


def at_most(data: Trajectories, steps: int) -> Trajectories:
    """The first rows, cut so that no more than `steps` are left."""
    return data if len(data) <= steps else data.rows(np.arange(len(data)) < steps)
