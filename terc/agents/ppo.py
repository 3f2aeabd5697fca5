"""Proximal policy optimisation (Schulman et al. 2017), discrete and continuous actions, vectorised.

One iteration plays `horizon` steps in each environment, estimates advantages, then takes `epochs` passes of
small batches over them, climbing the clipped objective

    min(ratio A, clip(ratio, 1 - clip, 1 + clip) A)        ratio = pi(a|s) / pi_old(a|s)

with its slope written out by hand (numpy only: see `network.py`). Actor and critic are separate networks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from terc.agents.heads import PlayedSteps, gae, head_for
from terc.agents.network import DenseNetwork, Scaler, clip_norm, forget_unused_inputs
from terc.agents.network_policy import NetworkPolicy
from terc.agents.policy import PolicySpec
from terc.agents.stepping import Stepper
from terc.agents.training import LEARNT, Session, check_at_least_one
from terc.arrays import Array
from terc.errors import unknown_name
from terc.networks.adam import Adam


@dataclass(frozen=True)
class PPOConfig:
    """Every hyper-parameter of PPO.

    Attributes:
        steps: Environment steps at most.
        n_envs: Environments stepped together.
        horizon: Steps of each environment between updates.
        epochs: Passes over those steps.
        batch: Steps in one small batch.
        hidden: Widths of the hidden layers, of actor and critic alike.
        activation: "tanh" or "relu".
        rate: Learning rate of Adam, actor and critic alike.
        decay: Whether it and the weight of the entropy fall linearly to 0 over `steps`.
        gamma: Discount.
        lam: Lambda of the advantage estimate: 0 trusts the critic, 1 the returns.
        clip: How far the ratio of new to old probability may pay off.
        entropy: Weight of the policy's entropy.
        max_gradient: Longest gradient of either network.
        first_gain: Scale of the actor's initial input weights; small values leave noise variables unused.
        sparsity: Pull of each variable's input weights in the actor to zero, per unit of the learning rate
            and times (longest / own length of the critic's input weights)^4. The critic learns much faster
            than the actor what is noise; see docs/agents.md, also for where not to use it.
        sparse_after: Share of `steps` that is played before `sparsity` pulls: the critic has to learn first.
        log_std: Initial log standard deviation of continuous actions, in halves of their range.
        scale_states: Whether states are standardised by their running mean and spread.
        reward_scale: Rewards are multiplied by this for learning (not in what is reported).
        discount_updates: Whether the actor's update carries the factor gamma^t, as the paper prints it.
        goal: Stop when the mean return of the last 100 episodes reaches this; None plays all `steps`.

    Example:
        >>> PRESETS["Pendulum-v1", "paper"].epochs
        10
    """

    steps: int = 500_000
    n_envs: int = 16
    horizon: int = 128
    epochs: int = 10
    batch: int = 256
    hidden: tuple[int, ...] = (64,)
    activation: str = "tanh"
    rate: float = 1e-3
    decay: bool = True
    gamma: float = 0.99
    lam: float = 0.95
    clip: float = 0.2
    entropy: float = 0.01
    max_gradient: float = 0.5
    first_gain: float = 1.0
    sparsity: float = 0.0
    sparse_after: float = 0.25
    log_std: float = 0.0
    scale_states: bool = True
    reward_scale: float = 1.0
    discount_updates: bool = False
    goal: float | None = None

    def __post_init__(self) -> None:
        whole = {"steps": self.steps, "n_envs": self.n_envs, "horizon": self.horizon}
        check_at_least_one("PPOConfig", **whole, epochs=self.epochs, batch=self.batch)
        if self.activation not in ("tanh", "relu"):
            raise unknown_name("PPOConfig", "activation", self.activation, ["tanh", "relu"])

    def learner(self, spec: PolicySpec, stepper: Stepper, *, rng: np.random.Generator) -> PPOLearner:
        """What learns with these settings."""
        return PPOLearner(self, spec, stepper, rng=rng)


PRESETS = {
    # Printed as they stand here, but for three readings of ours: the factor 0.95 is taken as lambda, the
    # standard deviation starts at 1, and training "until convergence" ends at a mean return of -200 or
    # after 1.4 million steps.
    ("Pendulum-v1", "paper"): PPOConfig(
        steps=1_400_000,
        n_envs=1,
        horizon=2048,
        epochs=10,
        batch=64,
        rate=3e-4,
        decay=False,
        entropy=1e-3,
        max_gradient=np.inf,
        scale_states=False,
        discount_updates=True,
        goal=-200.0,
    ),
    ("Pendulum-v1", "fast"): PPOConfig(
        steps=200_000,
        activation="relu",
        gamma=0.95,
        entropy=0.0,
        first_gain=0.3,
        sparsity=0.01,
        log_std=-0.5,
        reward_scale=0.1,
    ),
    # With one hidden layer or less entropy some agents end hovering over the pad.
    ("LunarLander-v3", "fast"): PPOConfig(
        steps=500_000,
        n_envs=32,
        epochs=8,
        hidden=(64, 64),
        activation="relu",
        entropy=0.03,
        first_gain=0.3,
        sparsity=0.01,
        reward_scale=0.05,
    ),
}


class PPOLearner:
    """Actor, critic, their optimisers and the scale of the states."""

    def __init__(
        self, config: PPOConfig, spec: PolicySpec, stepper: Stepper, *, rng: np.random.Generator
    ) -> None:
        self.config, self.spec, self.head = config, spec, head_for(stepper.action_space)
        inner, kind = (spec.n_variables, *config.hidden), config.activation
        gains: dict[str, Any] = {
            "last_gain": 0.01,
            "first_gain": config.first_gain,
            "n_free": self.head.n_free,
        }
        self.actor = DenseNetwork((*inner, self.head.n_outputs), kind, rng=rng, **gains)
        self.actor.free[:] = config.log_std
        self.critic = DenseNetwork((*inner, 1), kind, rng=rng)
        self.scaler = Scaler(spec.n_variables, active=config.scale_states)
        self.actor_adam = Adam([self.actor.parameters])
        self.critic_adam = Adam([self.critic.parameters])
        self.age = np.zeros(stepper.n, np.int64)
        self.parts = {name: getattr(self, name) for name in LEARNT} | {"ages": self}

    def update(self, session: Session, *, rng: np.random.Generator) -> None:
        """Play `horizon` steps of all environments and learn from them."""
        steps = collect(self, session, rng=rng)
        self.improve(steps, min(1.0, session.returns.steps / self.config.steps), rng=rng)

    def choose(self, states: Array, *, rng: np.random.Generator) -> tuple[Array, Array]:
        """Actions drawn from the policy, and their log probability or density `[n]`."""
        outputs, free = self.actor.forward(states, keep=False), self.actor.free
        actions = self.head.sample(outputs, free, rng=rng)
        return actions, self.head.log_chance(outputs, free, actions)

    def improve(self, steps: PlayedSteps, played: float, *, rng: np.random.Generator) -> None:
        """`epochs` passes of small batches over `steps`; `played` is the share of the training behind us."""
        left = 1 - played if self.config.decay else 1.0
        rate, entropy = self.config.rate * left, self.config.entropy * left
        pull = rate * self.config.sparsity if played > self.config.sparse_after else 0.0
        for _ in range(self.config.epochs):
            shuffled = steps.rows(rng.permutation(len(steps.states)))
            for start in range(0, len(steps.states), self.config.batch):
                batch = shuffled.rows(slice(start, start + self.config.batch))
                self._improve_actor(batch, rate, entropy)
                forget_unused_inputs(self.actor, self.critic, pull)
                values = self.critic.forward(batch.states)[:, 0]
                slope = (values - batch.returns) / np.float32(len(values))
                self._move(self.critic_adam, self.critic.backward(slope[:, None]), rate)

    def _improve_actor(self, batch: PlayedSteps, rate: float, entropy: float) -> None:
        outputs, free, clip = self.actor.forward(batch.states), self.actor.free, self.config.clip
        advantages = batch.advantages - batch.advantages.mean()
        advantages /= batch.advantages.std() + np.float32(1e-8)
        ratio = np.exp(self.head.log_chance(outputs, free, batch.actions) - batch.log_chance)
        # beyond the clip, in the direction that pays, the objective is flat
        flat = np.where(advantages > 0, ratio > 1 + clip, ratio < 1 - clip)
        weight = np.where(flat, np.float32(0), -advantages * ratio)
        weight *= batch.weights / np.float32(len(weight))
        evenly = np.full(len(weight), entropy / len(weight), np.float32)
        by_outputs, by_free = self.head.slope(outputs, free, batch.actions, weight, evenly)
        gradient = self.actor.backward(by_outputs)
        self.actor.free_gradient[:] = by_free
        self._move(self.actor_adam, gradient, rate)

    def _move(self, adam: Adam, gradient: Array, rate: float) -> None:
        clip_norm(gradient, self.config.max_gradient)
        adam.step([gradient], rate)

    def policy(self) -> NetworkPolicy:
        """The actor as it stands, as arrays of its own."""
        parts = self.head.policy_parts(self.actor) | self.scaler.settings()
        return NetworkPolicy(self.spec, activation=self.config.activation, **parts)

    def state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Age of the running episodes, for a checkpoint."""
        return {}, {"age": self.age}

    def restore(self, numbers: dict[str, Any], arrays: dict[str, Array]) -> None:
        """Continue from what `state` gave."""
        self.age = arrays["age"].copy()


def collect(learner: PPOLearner, session: Session, *, rng: np.random.Generator) -> PlayedSteps:
    """Play `horizon` steps in each environment and evaluate them."""
    config, stepper, recorded = learner.config, session.stepper, []
    for _ in range(config.horizon):
        scaled = learner.scaler.update(stepper.states)(stepper.states)
        action, chance = learner.choose(scaled, rng=rng)
        step = session.play(learner.head.to_env(action))
        recorded.append((scaled, action, chance, learner.age, step))
        learner.age = np.where(step.done | ~step.played, 0, learner.age + 1)
    states, actions, log_chance, ages, played = zip(*recorded, strict=True)
    before, after = np.stack(states), learner.scaler(np.concatenate([step.next_states for step in played]))
    shape = before.shape[:2]
    values = learner.critic.forward(before.reshape(-1, before.shape[2]), keep=False).reshape(shape)
    ahead = learner.critic.forward(after, keep=False).reshape(shape)
    rewards = np.stack([step.rewards for step in played]) * config.reward_scale
    terminated, done = np.stack([s.terminated for s in played]), np.stack([s.done for s in played])
    advantages = gae(rewards, values, ahead, terminated, done, config.gamma, config.lam)
    rows = np.stack([step.played for step in played]).ravel()
    weights = config.gamma ** np.stack(ages) if config.discount_updates else np.ones(shape)
    return PlayedSteps(
        states=before.reshape(-1, before.shape[2])[rows],
        actions=np.concatenate(actions)[rows],
        log_chance=np.concatenate(log_chance)[rows],
        advantages=advantages.ravel()[rows],
        returns=(advantages + values).ravel()[rows],
        weights=weights.astype(np.float32).ravel()[rows],
    )
