"""A trained policy as a plain network, so that a run folder holds no pickles: Stable-Baselines3's too."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from terc.agents.network_policy import NetworkPolicy
from terc.agents.policy import Policy
from terc.agents.sb3 import SB3Policy
from terc.agents.tabular_q import TabularPolicy

Layers = tuple[tuple[Any, Any], ...]


def plain_policy(policy: Policy, *, sampling: bool = True) -> Policy | None:
    """The same policy as one that saves without pickle, or None where there is no such form.

    PPO, A2C and TRPO with dense layers have one. DQN, QR-DQN, SAC, TQC, TD3 and DDPG, and any with gSDE, have
    one for their likeliest actions.

    Args:
        sampling: Whether it must draw actions as the model does.
    """
    if isinstance(policy, NetworkPolicy | TabularPolicy):
        return policy
    if not isinstance(policy, SB3Policy):
        return None
    found = _network_of(policy)
    return None if found is None or (found.deterministic and sampling) else found


def _network_of(policy: SB3Policy) -> NetworkPolicy | None:
    model, space = policy.model, policy.model.action_space
    # Outputs of switches (MultiBinary) are one number each; allowed actions are read beside the states.
    if policy.reads_masks or isinstance(space, spaces.MultiBinary):
        return None
    modules = _actor(model) if isinstance(model.observation_space, spaces.Box) else None
    layers = _dense_layers(modules, getattr(model.policy, "n_quantiles", 0)) if modules else None
    if layers is None:
        return None
    found, activation = layers
    drawn = hasattr(model.policy, "action_net") and not getattr(model, "use_sde", False)
    continuous = isinstance(space, spaces.Box)
    return NetworkPolicy(
        policy.spec,
        found,
        activation,
        **scaling_of(policy.vec_normalize),
        log_std=model.policy.log_std.detach().numpy().copy() if continuous and drawn else None,
        bounds=np.stack([space.low, space.high]).reshape(2, -1) if continuous else None,
        squash=bool(continuous and model.policy.squash_output),
        deterministic=not drawn,
    )


def _actor(model: Any) -> Sequence[Any] | None:
    """The modules from states to outputs; None for networks of other kinds."""
    policy = model.policy
    network = next(
        (getattr(policy, name) for name in ("actor", "q_net", "quantile_net") if hasattr(policy, name)),
        policy,
    )
    if type(getattr(network, "features_extractor", None)).__name__ != "FlattenExtractor":
        return None
    if hasattr(policy, "mlp_extractor") and hasattr(policy, "action_net"):
        return [*policy.mlp_extractor.policy_net, policy.action_net]
    if hasattr(network, "latent_pi"):
        return [*network.latent_pi, network.mu]
    if hasattr(network, "quantile_net"):
        return list(network.quantile_net)
    return [*getattr(network, "mu", getattr(network, "q_net", ()))] or None


def _dense_layers(modules: Sequence[Any], quantiles: int) -> tuple[Layers, str] | None:
    """Weights and activation of linear layers, averaged over quantiles; None where there is anything else."""
    import torch

    if isinstance(modules[-1], torch.nn.Tanh):  # TD3 squashes inside its network
        modules = modules[:-1]
    kinds = {type(m) for m in modules} - {torch.nn.Linear}
    if len(kinds) > 1 or not kinds <= {torch.nn.Tanh, torch.nn.ReLU}:
        return None
    linear = [m for m in modules if isinstance(m, torch.nn.Linear)]
    arrays = [(m.weight.detach().numpy().T.copy(), m.bias.detach().numpy().copy()) for m in linear]
    if quantiles:  # which come before the actions
        weights, bias = arrays[-1]
        shape = (quantiles, -1)
        arrays[-1] = (weights.reshape(len(weights), *shape).mean(axis=1), bias.reshape(shape).mean(axis=0))
    return tuple(arrays), "relu" if kinds == {torch.nn.ReLU} else "tanh"


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
