"""Models of Stable-Baselines3 as policies: PPO, A2C, DQN, SAC, TD3, with the scaling of `VecNormalize`.

Stable-Baselines3 draws actions from torch's global random state. Here the distribution is read out and the
draw is made from the `rng` given, so that a rollout can be repeated bit for bit.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terc.agents.distributions import sample_categorical
from terc.agents.policy import PolicySpec
from terc.agents.spaces import check_observation_space, spec_of
from terc.errors import BadTypeError, BadValueError, DataFileError, MissingExtraError, unknown_name

Array = NDArray[Any]

# A setting that only this algorithm has; it stands as plain JSON in the file, so nothing is unpickled to
# find it.
TELLTALE = {
    "DQN": "exploration_fraction",
    "TD3": "target_policy_noise",
    "SAC": "target_entropy",
    "PPO": "clip_range",
    "A2C": "gae_lambda",
}


class SB3Policy:
    """A Stable-Baselines3 model as a `Policy`.

    Sampling (`greedy=False`) draws from the distribution of an actor-critic or of SAC; DQN then takes a
    random action with its `exploration_rate`, and TD3 is the same either way.

    Args:
        model: Trained or loaded.
        vec_normalize: The `VecNormalize` whose statistics scale the states; by default the one around the
            model's own environment, if there is one.

    Example:
        >>> from stable_baselines3 import PPO
        >>> policy = SB3Policy(PPO("MlpPolicy", "CartPole-v1", device="cpu"))
        >>> policy.act(np.zeros((3, 4))).shape, policy.probabilities(np.zeros((3, 4))).shape
        ((3,), (3, 2))
    """

    def __init__(self, model: Any, vec_normalize: Any = None) -> None:
        if hasattr(model.policy, "lstm_actor"):
            raise BadTypeError(
                "policy: a recurrent Stable-Baselines3 model remembers earlier states, terc calls a policy "
                "with the present ones only. Pass a function that keeps the memory, or show the history as "
                "variables."
            )
        self.model = model
        self.vec_normalize = vec_normalize if vec_normalize is not None else model.get_vec_normalize_env()
        check_observation_space(model.observation_space)
        self._spec = spec_of(_environment_of(model), model.observation_space, model.action_space)

    @property
    def spec(self) -> PolicySpec:
        """What the model was made for."""
        return self._spec

    def act(self, states: Array, *, rng: np.random.Generator | None = None, greedy: bool = True) -> Array:
        """Actions for states `[n, d]` in the environment's own units; see `Policy.act`."""
        if not greedy and rng is None:
            raise BadValueError("policy: greedy=False draws actions and needs rng=; pass a numpy Generator.")
        if self._spec.levels is not None:
            return self._predict(states, None if greedy else rng)
        if self._spec.n_actions is not None and (hasattr(self.model, "q_net") or self._is_actor_critic()):
            return self._act_discrete(states, None if greedy else rng)
        if self._is_actor_critic() or self._is_plain_sac():
            return self._act_continuous(states, None if greedy else rng)
        return self._predict(states, None if greedy else rng)

    def probabilities(self, states: Array) -> Array | None:
        """Chance of each discrete action under sampling `[n, K]`; None for continuous actions."""
        if self._spec.n_actions is None:
            return None
        if self._is_actor_critic():
            chances: Array = self._distribution(states).probs.numpy()
            return chances
        if hasattr(self.model, "q_net"):
            return self._epsilon_greedy(states)
        return None

    def save(self, path: str | Path) -> None:
        """Refused: Stable-Baselines3 stores models as pickles."""
        raise BadTypeError(
            "policy: a Stable-Baselines3 model is stored by its own `model.save(path)`, as a pickle; read "
            "it back with load_policy(path, allow_pickle=True)."
        )

    def _is_actor_critic(self) -> bool:
        return hasattr(self.model.policy, "get_distribution")

    def _is_plain_sac(self) -> bool:
        return (
            hasattr(getattr(self.model, "actor", None), "get_action_dist_params") and not self.model.use_sde
        )

    def _inputs(self, states: Array) -> Array:
        states = np.asarray(states)
        if states.ndim != 2 or states.shape[1] != self._spec.n_variables:
            raise BadValueError(
                f"policy: wanted states [n, {self._spec.n_variables}], got shape {states.shape}."
            )
        shaped = states.reshape(len(states), *self.model.observation_space.shape)
        shaped = shaped.astype(self.model.observation_space.dtype)
        return shaped if self.vec_normalize is None else np.asarray(self.vec_normalize.normalize_obs(shaped))

    def _tensor(self, states: Array) -> Any:
        return self.model.policy.obs_to_tensor(self._inputs(states))[0]

    def _distribution(self, states: Array) -> Any:
        import torch

        self.model.policy.set_training_mode(False)
        with torch.no_grad():
            return self.model.policy.get_distribution(self._tensor(states)).distribution

    def _epsilon_greedy(self, states: Array) -> Array:
        import torch

        with torch.no_grad():
            best = self.model.q_net(self._tensor(states)).argmax(dim=1).numpy()
        n_actions, epsilon = self._spec.n_actions or 0, float(self.model.exploration_rate)
        return np.asarray((1 - epsilon) * np.eye(n_actions)[best] + epsilon / n_actions)

    def _act_discrete(self, states: Array, rng: np.random.Generator | None) -> Array:
        chances = self.probabilities(states)
        if chances is None or rng is None:
            return np.asarray(chances).argmax(axis=1)
        return sample_categorical(chances, rng=rng)

    def _act_continuous(self, states: Array, rng: np.random.Generator | None) -> Array:
        import torch

        if self._is_actor_critic():
            normal = self._distribution(states)
            mean, spread, squash = normal.mean.numpy(), normal.stddev.numpy(), self.model.policy.squash_output
        else:
            with torch.no_grad():
                means, log_std, _ = self.model.actor.get_action_dist_params(self._tensor(states))
            mean, spread, squash = means.numpy(), log_std.exp().numpy(), True
        if rng is not None:
            mean = mean + spread * rng.standard_normal(mean.shape, dtype=np.float32)
        if squash:
            return np.asarray(self.model.policy.unscale_action(np.tanh(mean)))
        return np.clip(mean, self.model.action_space.low, self.model.action_space.high)

    def _predict(self, states: Array, rng: np.random.Generator | None) -> Array:
        """Any other model: its own `predict`, under a random state derived from `rng`."""
        with _seeded(rng):
            return np.asarray(self.model.predict(self._inputs(states), deterministic=rng is None)[0])


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
    if env is None:
        return None
    try:
        spec = env.get_attr("spec")[0]
    except AttributeError:
        return None
    return spec.id if spec is not None else None


def load_sb3(
    path: str | Path,
    *,
    allow_pickle: bool = False,
    algorithm: str | None = None,
    vec_normalize: str | Path | None = None,
) -> SB3Policy:
    """A model saved by Stable-Baselines3, which needs pickle and therefore `allow_pickle=True`.

    Args:
        path: The `.zip` that `model.save` wrote.
        allow_pickle: Such a file can run any code when opened; say True only if you trust where it comes
            from.
        algorithm: "PPO", "A2C", "DQN", "SAC" or "TD3"; found out from the file when None.
        vec_normalize: File of the `VecNormalize` it was trained with, a pickle as well.
    """
    path = Path(path)
    if not allow_pickle:
        raise DataFileError(
            f"load_policy: {path.name} is a Stable-Baselines3 model and needs pickle, which can run any "
            "code when opened. If you trust where it comes from, pass allow_pickle=True (--allow-pickle)."
        )
    algorithms = _algorithms()
    name = algorithm if algorithm is not None else _algorithm_in(path)
    if name not in algorithms:
        raise unknown_name("load_policy", "algorithm", name, sorted(algorithms))
    model = algorithms[name].load(path, device="cpu")
    return SB3Policy(model, None if vec_normalize is None else _load_vec_normalize(vec_normalize))


def _algorithms() -> dict[str, Any]:
    try:
        import stable_baselines3
    except ImportError as error:
        raise MissingExtraError(MISSING) from error
    return {name: getattr(stable_baselines3, name) for name in TELLTALE}


MISSING = "Stable-Baselines3 is not installed; run: pip install 'terc[sb3]'"


def _algorithm_in(path: Path) -> str:
    try:
        with zipfile.ZipFile(path) as archive:
            settings = json.loads(archive.read("data"))
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise DataFileError(
            f"load_policy: {path.name} is not a Stable-Baselines3 model ({error})."
        ) from error
    found = next((name for name, setting in TELLTALE.items() if setting in settings), None)
    if found is None:
        raise DataFileError(
            f"load_policy: {path.name} does not name its algorithm; name it: algorithm='PPO' (or "
            f"{', '.join(TELLTALE)})."
        )
    return found


def _load_vec_normalize(path: str | Path) -> Any:
    import pickle

    with Path(path).open("rb") as stream:
        loaded = pickle.load(stream)  # the caller has said allow_pickle=True
    if not hasattr(loaded, "normalize_obs"):
        raise DataFileError(
            f"load_policy: {Path(path).name} holds a {type(loaded).__name__}, not a VecNormalize."
        )
    return loaded
