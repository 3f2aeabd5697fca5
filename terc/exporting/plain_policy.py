"""A trained policy as a plain network, so that a run folder holds no pickles: Stable-Baselines3's too."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from terc.agents.network_policy import NetworkPolicy
from terc.agents.policy import Policy
from terc.agents.sb3 import SB3Policy
from terc.agents.tabular_policy import TabularPolicy


def plain_policy(policy: Policy) -> Policy | None:
    """The same policy as one that saves without pickle, or None where there is no such form.

    PPO and A2C with dense layers have one, sampling included; DQN, SAC and TD3 do not.
    """
    if isinstance(policy, NetworkPolicy | TabularPolicy):
        return policy
    return _network_of(policy) if isinstance(policy, SB3Policy) else None


def _network_of(policy: SB3Policy) -> NetworkPolicy | None:
    model = policy.model
    # Outputs of switches (MultiBinary) are one number each; allowed actions are read beside the states.
    other = policy.reads_masks or isinstance(model.action_space, spaces.MultiBinary)
    dense = isinstance(model.observation_space, spaces.Box) and not other
    layers = _dense_layers(model.policy) if dense else None
    if layers is None or getattr(model, "use_sde", False) or getattr(model.policy, "squash_output", False):
        return None
    found, activation = layers
    space = model.action_space
    continuous = isinstance(space, spaces.Box)
    return NetworkPolicy(
        policy.spec,
        found,
        activation,
        **scaling_of(policy.vec_normalize),
        log_std=model.policy.log_std.detach().numpy().copy() if continuous else None,
        bounds=np.stack([space.low, space.high]) if continuous else None,
    )


def _dense_layers(policy: Any) -> tuple[tuple[tuple[Any, Any], ...], str] | None:
    """Weights and activation of an actor of linear layers only; None for any other."""
    import torch

    extractor = getattr(policy, "mlp_extractor", None)
    if extractor is None or not hasattr(policy, "action_net"):
        return None
    if type(policy.features_extractor).__name__ != "FlattenExtractor":
        return None
    modules = [*extractor.policy_net, policy.action_net]
    kinds = {type(m) for m in modules} - {torch.nn.Linear}
    if len(kinds) > 1 or not kinds <= {torch.nn.Tanh, torch.nn.ReLU}:
        return None
    linear = [m for m in modules if isinstance(m, torch.nn.Linear)]
    arrays = tuple((m.weight.detach().numpy().T.copy(), m.bias.detach().numpy().copy()) for m in linear)
    return arrays, "relu" if kinds == {torch.nn.ReLU} else "tanh"


def scaling_of(normalize: Any) -> dict[str, Any]:
    """How a `VecNormalize` scales the states, in the words of `NetworkPolicy`; empty where it does not."""
    if normalize is None or not normalize.norm_obs:
        return {}
    spread = np.sqrt(normalize.obs_rms.var + normalize.epsilon)
    return {
        "center": np.asarray(normalize.obs_rms.mean, np.float64).reshape(-1),
        "scale": spread.astype(np.float32).reshape(-1),
        "clip": float(normalize.clip_obs),
    }
