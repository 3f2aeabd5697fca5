"""`Recipe`: how a Stable-Baselines3 model was trained, so that another can be trained like it."""

import copy
import inspect
from dataclasses import dataclass
from typing import Any, Self

from gymnasium import spaces

from terc.agents.sb3 import SB3Policy

# What belongs to one training and not to how it was set up.
OWN = ("self", "policy", "env", "seed", "device", "verbose", "tensorboard_log", "_init_setup_model")
# How a `VecNormalize` was set up, in its own words.
SCALING = ("norm_obs", "norm_reward", "clip_obs", "clip_reward", "gamma", "epsilon")


@dataclass(frozen=True)
class Recipe:
    """An algorithm with its settings.

    Attributes:
        algorithm: Its class.
        policy: The class of its network, or the name of one.
        settings: For the constructor.
        scaling: For the `VecNormalize` around the environments; None without one.
        n_envs: Environments stepped together.
    """

    algorithm: Any
    policy: Any
    settings: dict[str, Any]
    scaling: dict[str, Any] | None
    n_envs: int

    @classmethod
    def of(cls, policy: SB3Policy) -> Self:
        """The recipe of a model, read from the model itself.

        Example:
            >>> from stable_baselines3 import PPO
            >>> model = PPO("MlpPolicy", "CartPole-v1", n_steps=64, gamma=0.9, device="cpu")
            >>> recipe = Recipe.of(SB3Policy(model))
            >>> recipe.settings["n_steps"], recipe.settings["gamma"], recipe.scaling
            (64, 0.9, None)
        """
        model, scaling = policy.model, policy.vec_normalize
        known = [name for name in inspect.signature(type(model).__init__).parameters if name not in OWN]
        found = {name: getattr(model, _stored(name)) for name in known if hasattr(model, _stored(name))}
        frequency: Any = found.get("train_freq")
        if hasattr(frequency, "unit"):
            found["train_freq"] = (frequency.frequency, frequency.unit.value)
        found["policy_kwargs"] = copy.deepcopy(model.policy_kwargs)
        network = model.policy_class
        if isinstance(model.observation_space, spaces.Dict):
            # The smaller agent reads one flat row.
            network = "MlpPolicy"
            found["policy_kwargs"].pop("features_extractor_class", None)
            found = {name: value for name, value in found.items() if not name.endswith("_buffer_class")}
        how = None if scaling is None else {name: getattr(scaling, name) for name in SCALING}
        return cls(type(model), network, found, how, int(model.n_envs))


def _stored(name: str) -> str:
    return "_stats_window_size" if name == "stats_window_size" else name
