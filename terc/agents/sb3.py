"""Models of Stable-Baselines3 and sb3-contrib as policies, with the scaling of `VecNormalize`.

Stable-Baselines3 draws actions from torch's global random state. Here the distribution is read out and the
draw is made from the `rng` given, so that a rollout can be repeated bit for bit. Likeliest actions are those
of the model's own `predict`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from terc.agents.heads import sample_categorical
from terc.agents.policy import PolicySpec
from terc.agents.sb3_scaling import scaling_for
from terc.agents.spaces import spec_of
from terc.arrays import Array
from terc.errors import BadTypeError, BadValueError
from terc.flattening.flattened import action_layout, flat_actions, is_playable, mask_size
from terc.flattening.layout import Layout
from terc.flattening.vec_env import spec_of_copies

RECURRENT = (
    "policy: a recurrent Stable-Baselines3 model remembers earlier states, terc calls a policy with the "
    "present ones only. Pass a function that keeps the memory, or train on stacked frames (VecFrameStack), "
    "which show the history as variables."
)


class SB3Policy:
    """A Stable-Baselines3 or sb3-contrib model as a `Policy`.

    Sampling (`greedy=False`) draws from the distribution of an actor-critic, of SAC or of TQC; DQN and QR-DQN
    then take a random action with their `exploration_rate`, and TD3 and DDPG are the same either way. A model
    of dictionaries takes flat rows and sees the dictionaries that it was trained on. MaskablePPO reads which
    actions are allowed as further columns (`terc.environments.Flattened(env, masks=True)`).

    Args:
        model: Trained or loaded.
        vec_normalize: The `VecNormalize` whose statistics scale the states; by default the one around the
            model's own environment, if there is one. False says that there was none in training.

    Example:
        >>> from stable_baselines3 import PPO
        >>> policy = SB3Policy(PPO("MlpPolicy", "CartPole-v1", device="cpu"))
        >>> policy.act(np.zeros((3, 4))).shape, policy.probabilities(np.zeros((3, 4))).shape
        ((3,), (3, 2))
    """

    def __init__(self, model: Any, vec_normalize: Any = None) -> None:
        if hasattr(model.policy, "lstm_actor"):
            raise BadTypeError(RECURRENT)
        self.model = model
        self.vec_normalize = scaling_for(model, vec_normalize)
        self.layout = Layout.of(model.observation_space, where="policy", shaped=True)
        self.reads_masks = any(kind.__name__ == "MaskablePPO" for kind in type(model).__mro__)
        actions = model.action_space
        playable = actions if is_playable(actions) else flat_actions(action_layout(actions))
        spec = spec_of(_environment_of(model), self.layout.box, playable)
        shown = self.layout.size + (mask_size(actions) if self.reads_masks else 0)
        self.spec: PolicySpec = replace(spec, n_variables=shown)

    def act(self, states: Array, *, rng: np.random.Generator | None = None, greedy: bool = True) -> Array:
        """Actions for states `[n, d]` in the environment's own units; see `Policy.act`."""
        if greedy:
            return self._predict(states, None)
        if rng is None:
            raise BadValueError("policy: greedy=False draws actions and needs rng=; pass a numpy Generator.")
        chances = self.probabilities(states)
        if chances is not None:
            return sample_categorical(chances, rng=rng)
        if self.spec.levels is None and (self._is_actor_critic() or self._is_plain_sac()):
            return self._draw(states, rng)
        return self._predict(states, rng)

    def probabilities(self, states: Array) -> Array | None:
        """Chance of each discrete action under sampling `[n, K]`; None for continuous actions."""
        if self.spec.n_actions is None:
            return None
        if self._is_actor_critic():
            chances: Array = self._distribution(states).probs.numpy()
            return chances
        return self._epsilon_greedy(states) if hasattr(self.model, "exploration_rate") else None

    def choice_probabilities(self, states: Array) -> Array | None:
        """Chances of the values of each of several choices, side by side; None where there are none."""
        if self.spec.levels is None or not self._is_actor_critic():
            return None
        found = self._distribution(states)
        if isinstance(found, list | tuple):  # one distribution for each choice
            return np.concatenate([one.probs.numpy() for one in found], axis=1)
        ones = found.probs.numpy()  # switches: the chance of a 1
        return np.stack([1 - ones, ones], axis=2).reshape(len(ones), -1)

    def save(self, path: str | Path) -> None:
        """Refused: Stable-Baselines3 stores models as pickles."""
        raise BadTypeError(
            "policy: a Stable-Baselines3 model is stored by its own `model.save(path)`, as a pickle; read "
            "it back with load_policy(path, allow_pickle=True)."
        )

    def _is_actor_critic(self) -> bool:
        return hasattr(self.model.policy, "get_distribution")

    def _is_plain_sac(self) -> bool:
        actor = getattr(self.model, "actor", None)
        return hasattr(actor, "get_action_dist_params") and not self.model.use_sde

    def _inputs(self, states: Array) -> Any:
        """What the model was trained on: the form of its observation space, scaled."""
        states = np.asarray(states)
        if states.ndim != 2 or states.shape[1] != self.spec.n_variables:
            raise BadValueError(
                f"policy: wanted states [n, {self.spec.n_variables}], got shape {states.shape}."
            )
        shaped = self.layout.back(states)
        return shaped if self.vec_normalize is None else self.vec_normalize.normalize_obs(shaped)

    def _masks(self, states: Array) -> dict[str, Array]:
        if not self.reads_masks:
            return {}
        return {"action_masks": np.asarray(states)[:, self.layout.size :] > 0.5}

    def _tensor(self, states: Array) -> Any:
        return self.model.policy.obs_to_tensor(self._inputs(states))[0]

    def _distribution(self, states: Array) -> Any:
        import torch

        self.model.policy.set_training_mode(False)
        with torch.no_grad():
            tensor = self._tensor(states)
            found = self.model.policy.get_distribution(tensor, **self._masks(states))
        return found.distribution if hasattr(found, "distribution") else found.distributions

    def _epsilon_greedy(self, states: Array) -> Array:
        n_actions, epsilon = self.spec.n_actions or 0, float(self.model.exploration_rate)
        best = np.eye(n_actions)[self._predict(states, None)]
        return np.asarray((1 - epsilon) * best + epsilon / n_actions)

    def _draw(self, states: Array, rng: np.random.Generator) -> Array:
        """Continuous actions drawn from the model's normal distribution."""
        import torch

        if self._is_actor_critic():
            normal = self._distribution(states)
            mean, spread, squash = normal.mean.numpy(), normal.stddev.numpy(), self.model.policy.squash_output
        else:
            with torch.no_grad():
                means, log_std, _ = self.model.actor.get_action_dist_params(self._tensor(states))
            mean, spread, squash = means.numpy(), log_std.exp().numpy(), True
        drawn = mean + spread * rng.standard_normal(mean.shape, dtype=np.float32)
        space = self.model.action_space
        drawn = drawn.reshape(len(drawn), *space.shape)
        whole = self.model.policy.unscale_action(np.tanh(drawn)) if squash else drawn
        return np.clip(whole, space.low, space.high).reshape(len(drawn), -1)

    def _predict(self, states: Array, rng: np.random.Generator | None) -> Array:
        """The model's own `predict`, under a random state derived from `rng`."""
        with _seeded(rng):
            options: dict[str, Any] = {"deterministic": rng is None, **self._masks(states)}
            actions = np.asarray(self.model.predict(self._inputs(states), **options)[0])
        return actions if self.spec.n_actions is not None else actions.reshape(len(actions), -1)


@contextmanager
def _seeded(rng: np.random.Generator | None) -> Iterator[None]:
    """Torch's global state set from `rng` inside, restored after."""
    import torch

    with torch.random.fork_rng(devices=[], enabled=rng is not None):
        if rng is not None:
            torch.manual_seed(int(rng.integers(2**63 - 1)))
        yield


def _environment_of(model: Any) -> str | None:
    """Gymnasium id of the model's environment, if it still has one."""
    env = model.get_env()
    spec = None if env is None else spec_of_copies(env)
    return None if spec is None else spec.id
