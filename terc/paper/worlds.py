"""The paper's worlds that are learnt by networks, as the appendix describes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from terc.pipeline.config import RunConfig
from terc.pipeline.worlds import World, open_world

NOISE = 3


@dataclass(frozen=True)
class PaperWorld:
    """One world.

    Attributes:
        name: Our short name; also that of MINE's settings where the paper has this world.
        title: In words.
        id: Gymnasium id.
        expert: Return from which the paper calls an episode an expert's.
        trees: Of UMFI's forests.
        noise: Noise columns that are added.
        options: Keywords of the environment.

    Example:
        >>> PAPER_WORLDS["cart-pole"].open().names[-1]
        'noise_2'
    """

    name: str
    title: str
    id: str
    expert: float
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
    def mine(self) -> str:
        """Name of the appendix's settings of MINE; other numbers of keys take those of 25."""
        return "secret-key-25" if self.name.startswith("secret-key") and self.name[-2:] != "50" else self.name


PAPER_WORLDS = {
    world.name: world
    for world in (
        PaperWorld("cart-pole", "Cart Pole", "CartPole-v1", 475.0, 50, NOISE),
        PaperWorld("lunar-lander", "Lunar Lander", "LunarLander-v3", 200.0, 50, NOISE),
        PaperWorld("pendulum", "Pendulum", "Pendulum-v1", -10.0, 100, NOISE),
    )
}


def secret_key_world(keys: int) -> PaperWorld:
    """The Secret Key Game with so many keys.

    Example:
        >>> secret_key_world(50).mine
        'secret-key-50'
    """
    options = {"keys": keys, "game": 0}
    return PaperWorld(
        f"secret-key-{keys}", f"Secret Key Game, {keys} keys", "terc/SecretKey-v0", 0.0, options=options
    )


def world_named(name: str) -> PaperWorld:
    """The world of a short name."""
    if name.startswith("secret-key-"):
        return secret_key_world(int(name.removeprefix("secret-key-")))
    return PAPER_WORLDS[name]
