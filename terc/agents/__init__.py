"""Agents: tabular Q-learning, actor-critic and PPO of our own, and anybody's model as a `Policy`."""

from typing import TYPE_CHECKING, Any

from terc.agents.actor_critic import ActorCriticConfig
from terc.agents.function_policy import FunctionPolicy
from terc.agents.learner import choose_config, train_agent
from terc.agents.network_policy import NetworkPolicy
from terc.agents.policy import Policy, PolicySpec, as_policy, load_policy
from terc.agents.ppo import PPOConfig
from terc.agents.sb3 import SB3Policy
from terc.agents.tabular_q import TabularPolicy, TabularQConfig
from terc.agents.training import Training

if TYPE_CHECKING:
    from terc.agents.sb3_training import RecordTraining, train_like, train_sb3

__all__ = [
    "ActorCriticConfig", "FunctionPolicy", "NetworkPolicy", "PPOConfig", "Policy", "PolicySpec",
    "RecordTraining", "SB3Policy", "TabularPolicy", "TabularQConfig", "Training", "as_policy",
    "choose_config", "load_policy", "train_agent", "train_like", "train_sb3",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """What needs Stable-Baselines3 is loaded on first use."""
    if name not in ("RecordTraining", "train_like", "train_sb3"):
        raise AttributeError(f"module 'terc.agents' has no attribute {name!r}")
    from terc.agents import sb3_training

    return getattr(sb3_training, name)
