"""One-step temporal-difference actor-critic (Sutton and Barto 2018, 13.5) on many environments at once.

    delta = r + gamma v(s') - v(s)            v(s') counts as 0 where the episode terminated
    actor:   theta <- theta + rate (I delta grad ln pi(a|s) + entropy grad H(pi(.|s)))        I = gamma^t or 1
    critic:  w     <- w     + rate delta grad v(s)

The paper prints delta with v(s) and v(s') exchanged, which cannot learn; this is the textbook's form. An
update uses one step of each of `n_envs` environments, and Adam in place of the plain gradient. Numpy only:
see `network.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from terc.agents.heads import SoftmaxHead
from terc.agents.network import DenseNetwork, Scaler, forget_unused_inputs
from terc.agents.network_policy import NetworkPolicy
from terc.agents.policy import PolicySpec
from terc.agents.stepping import Stepper, StepResult
from terc.agents.training import LEARNT, Session, check_at_least_one
from terc.arrays import Array
from terc.errors import BadTypeError
from terc.networks.adam import Adam


@dataclass(frozen=True)
class ActorCriticConfig:
    """Every hyper-parameter of the actor-critic.

    Attributes:
        steps: Environment steps at most.
        n_envs: Environments stepped together; one update per step of all of them.
        hidden: Widths of the hidden layers (ReLU), of actor and critic alike.
        gamma: Discount.
        actor_rate: Learning rate of the actor.
        critic_rate: Learning rate of the critic.
        decay: Whether both rates fall linearly to 0 over `steps`.
        entropy: Weight of the policy's entropy, which keeps it exploring, at the start.
        entropy_end: Its weight from four fifths of `steps` on; falls geometrically in between.
        scale_states: Whether states are standardised by their running mean and spread.
        reward_scale: Rewards are multiplied by this for learning (not in what is reported).
        discount_updates: Whether the actor's update carries the factor gamma^t, as printed.
        logit_range: Logits are floored this far below the largest, so that no action dies for good.
        first_gain: Scale of the actor's initial input weights; small values leave noise variables unused.
        sparsity: Pull of the actor's unused inputs to zero, per unit of its rate (`forget_unused_inputs`).
        goal: Stop when the mean return of the last 100 episodes reaches this; None plays all `steps`.

    Example:
        >>> PRESETS["CartPole-v1", "paper"].actor_rate
        0.0001
    """

    steps: int = 500_000
    n_envs: int = 64
    hidden: tuple[int, ...] = (64,)
    gamma: float = 0.99
    actor_rate: float = 1e-3
    critic_rate: float = 3e-3
    decay: bool = False
    entropy: float = 0.01
    entropy_end: float = 0.01
    scale_states: bool = True
    reward_scale: float = 1.0
    discount_updates: bool = False
    logit_range: float = 25.0
    first_gain: float = 1.0
    sparsity: float = 0.0
    goal: float | None = None

    def __post_init__(self) -> None:
        check_at_least_one("ActorCriticConfig", steps=self.steps, n_envs=self.n_envs)

    def learner(self, spec: PolicySpec, stepper: Stepper, *, rng: np.random.Generator) -> ActorCriticLearner:
        """What learns with these settings."""
        return ActorCriticLearner(self, spec, stepper, rng=rng)

    def entropy_at(self, steps: int) -> float:
        """Weight of the entropy after this many steps."""
        if self.entropy == self.entropy_end:
            return self.entropy
        share = min(1.0, steps / (0.8 * self.steps))
        return float(self.entropy * (self.entropy_end / self.entropy) ** share)


# The paper prints one architecture for all of its worlds: 64 ReLU units, gamma 0.99, rates 1e-4 and 1e-3,
# updates after every single step with the factor gamma^t, raw states. It does not name the optimiser (Adam
# here) and plays "until convergence", which the goals stand for.
_PAPER = ActorCriticConfig(
    n_envs=1,
    actor_rate=1e-4,
    critic_rate=1e-3,
    entropy=0.0,
    entropy_end=0.0,
    scale_states=False,
    discount_updates=True,
    logit_range=np.inf,
)
PRESETS = {
    ("CartPole-v1", "paper"): replace(_PAPER, steps=500_000, goal=475.0),
    ("LunarLander-v3", "paper"): replace(_PAPER, steps=500_000, goal=200.0),
    ("terc/SecretKey-v0", "paper"): replace(_PAPER, steps=20_000),
    ("CartPole-v1", "fast"): ActorCriticConfig(
        steps=800_000,
        actor_rate=5e-4,
        decay=True,
        entropy=1e-3,
        entropy_end=1e-3,
        reward_scale=0.05,
        first_gain=0.1,
        sparsity=0.01,
        goal=495.0,
    ),
    ("terc/SecretKey-v0", "fast"): ActorCriticConfig(
        steps=16_000 * 256,
        n_envs=256,
        actor_rate=3e-2,
        critic_rate=1e-2,
        decay=True,
        entropy=4.0,
        entropy_end=0.05,
    ),
}


class ActorCriticLearner:
    """Actor, critic, their optimisers and the scale of the states."""

    def __init__(
        self, config: ActorCriticConfig, spec: PolicySpec, stepper: Stepper, *, rng: np.random.Generator
    ) -> None:
        if spec.n_actions is None:
            raise BadTypeError(
                f"actor_critic: wanted discrete actions, got {spec.actions_in_words()}; train with ppo."
            )
        self.config, self.spec = config, spec
        first_action = int(getattr(stepper.action_space, "start", 0))
        self.head = SoftmaxHead(spec.n_actions, first_action, config.logit_range)
        sizes, gain = (spec.n_variables, *config.hidden), config.first_gain
        self.actor = DenseNetwork((*sizes, spec.n_actions), "relu", rng=rng, last_gain=0.01, first_gain=gain)
        self.critic = DenseNetwork((*sizes, 1), "relu", rng=rng)
        self.scaler = Scaler(spec.n_variables, active=config.scale_states)
        self.actor_adam = Adam([self.actor.parameters])
        self.critic_adam = Adam([self.critic.parameters])
        self.discount = np.ones(stepper.n, np.float32)
        self.parts = {name: getattr(self, name) for name in LEARNT} | {"discount": self}

    def update(self, session: Session, *, rng: np.random.Generator) -> None:
        """Play one step of all environments and learn from it."""
        states = self.scaler.update(session.stepper.states)(session.stepper.states)
        outputs = self.actor.forward(states)
        actions = self.head.sample(outputs, self.actor.free, rng=rng)
        step = session.play(self.head.to_env(actions))
        self.learn(states, outputs, actions, step, session.returns.steps)

    def learn(self, states: Array, outputs: Array, actions: Array, step: StepResult, steps: int) -> None:
        """One update of critic and actor from one step of all environments; `outputs` are the actor's."""
        played = step.played / np.float32(max(1, int(np.count_nonzero(step.played))))
        weight = -self._delta(states, step) * played
        left = max(0.0, 1.0 - steps / self.config.steps) if self.config.decay else 1.0
        self.critic_adam.step([self.critic.backward(weight[:, None])], self.config.critic_rate * left)
        entropy = np.float32(self.config.entropy_at(steps)) * played
        slope, _ = self.head.slope(outputs, self.actor.free, actions, weight * self.discount, entropy)
        self.actor_adam.step([self.actor.backward(slope)], self.config.actor_rate * left)
        forget_unused_inputs(self.actor, self.critic, self.config.actor_rate * left * self.config.sparsity)
        if self.config.discount_updates:
            self.discount *= np.float32(self.config.gamma)
            self.discount[step.done | ~step.played] = 1.0

    def _delta(self, states: Array, step: StepResult) -> Array:
        """The error r + gamma v(s') - v(s) `[n]`; the critic's pass over `states` is kept for its update."""
        delta = step.rewards.astype(np.float32) * np.float32(self.config.reward_scale)
        if not step.terminated.all():
            ahead = self.critic.forward(self.scaler(step.next_states))[:, 0]
            delta += np.float32(self.config.gamma) * ahead * ~step.terminated
        delta -= self.critic.forward(states)[:, 0]
        return delta

    def policy(self) -> NetworkPolicy:
        """The actor as it stands, as arrays of its own."""
        return NetworkPolicy(self.spec, **self.head.policy_parts(self.actor), **self.scaler.settings())

    def state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """The factor gamma^t of each environment, for a checkpoint."""
        return {}, {"discount": self.discount}

    def restore(self, numbers: dict[str, Any], arrays: dict[str, Array]) -> None:
        """Continue from what `state` gave."""
        self.discount = arrays["discount"].copy()
