"""Models of Stable-Baselines3 and sb3-contrib as policies, with the scaling of `VecNormalize`.

Stable-Baselines3 draws actions from torch's global random state. Here that state is set from the `rng` given
and put back afterwards, so that a rollout can be repeated bit for bit.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from terc.agents.heads import sample_categorical
from terc.agents.policy import PolicySpec
from terc.agents.spaces import spec_of
from terc.arrays import Array
from terc.errors import BadTypeError, BadValueError
from terc.flattening.flattened import action_layout, flat_actions, is_playable, mask_size
from terc.flattening.layout import Layout
from terc.flattening.old_gym import without_gaps
from terc.flattening.vec_env import is_vec_env, outer_scaling, spec_of_copies

RECURRENT = (
    "policy: a recurrent Stable-Baselines3 model remembers earlier states, terc calls a policy with the "
    "present ones only. Pass a function that keeps the memory, or train on stacked frames (VecFrameStack), "
    "which show the history as variables."
)
# A variable does not change by such a factor from one step to the next; from its own units to scaled ones it
# may (a pressure of 101,325 becomes 0.3).
OTHER_UNITS = 1_000.0
WAY_OUT = (
    "Give the statistics that were saved with it (--vecnormalize FILE; vec_normalize= the file or the "
    "VecNormalize itself); if there were none, say so: --vecnormalize none (vec_normalize=False)."
)
IN_MEMORY = (
    "Give its VecNormalize: terc.agents.SB3Policy(model, vec_normalize=VecNormalize.load(FILE, venv)), or as "
    "env; if there was none, say so: terc.agents.SB3Policy(model, vec_normalize=False)."
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
            model's own environment, if there is one. False says that there was none in training. Statistics
            that were saved are read by `VecNormalize.load(file, venv)`.

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
        around = model.get_env()
        made_in = None if around is None else spec_of_copies(around)
        spec = spec_of(None if made_in is None else made_in.id, self.layout.box, playable)
        shown = self.layout.size + (mask_size(actions) if self.reads_masks else 0)
        self.spec: PolicySpec = replace(spec, n_variables=shown)

    def act(self, states: Array, *, rng: np.random.Generator | None = None, greedy: bool = True) -> Array:
        """Actions for states `[n, d]` in the environment's own units; see `Policy.act`."""
        if greedy or getattr(self.model, "exploration_rate", 1) == 0:
            return self._predict(states, None)
        if rng is None:
            raise BadValueError("policy: greedy=False draws actions and needs rng=; pass a numpy Generator.")
        chances = self.probabilities(states)
        if chances is not None:
            return sample_categorical(chances, rng=rng)
        return self._predict(states, rng)

    def probabilities(self, states: Array) -> Array | None:
        """Chance of each discrete action under sampling `[n, K]`; None where none is drawn, or of numbers."""
        if self.spec.n_actions is None:
            return None
        if self._is_actor_critic():
            chances: Array = self._distribution(states).probs.numpy()
            return chances
        if not getattr(self.model, "exploration_rate", 0):
            return None
        epsilon, best = float(self.model.exploration_rate), self._predict(states, None)
        return np.asarray((1 - epsilon) * np.eye(self.spec.n_actions)[best] + epsilon / self.spec.n_actions)

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

    def _inputs(self, states: Array) -> Any:
        """What the model was trained on: the form of its observation space, scaled."""
        states = np.asarray(states)
        if states.ndim != 2 or states.shape[1] != self.spec.n_variables:
            raise BadValueError(
                f"policy: wanted states [n, {self.spec.n_variables}], got shape {states.shape}."
            )
        shaped = self.layout.back(without_gaps(states, "policy: a state"))
        return shaped if self.vec_normalize is None else self.vec_normalize.normalize_obs(shaped)

    def _masks(self, states: Array) -> dict[str, Array]:
        if not self.reads_masks:
            return {}
        return {"action_masks": np.asarray(states)[:, self.layout.size :] > 0.5}

    def _distribution(self, states: Array) -> Any:
        import torch

        self.model.policy.set_training_mode(False)
        with torch.no_grad():
            tensor = self.model.policy.obs_to_tensor(self._inputs(states))[0]
            found = self.model.policy.get_distribution(tensor, **self._masks(states))
        return found.distribution if hasattr(found, "distribution") else found.distributions

    def _predict(self, states: Array, rng: np.random.Generator | None) -> Array:
        """The model's own `predict`, with torch's global state set from `rng` inside and restored after."""
        import torch

        with torch.random.fork_rng(devices=[], enabled=rng is not None):
            if rng is not None:
                torch.manual_seed(int(rng.integers(2**63 - 1)))
            options: dict[str, Any] = {"deterministic": rng is None, **self._masks(states)}
            actions = np.asarray(self.model.predict(self._inputs(states), **options)[0])
        return actions if self.spec.n_actions is not None else actions.reshape(len(actions), -1)


def scaling_for(model: Any, given: Any) -> Any:
    """The `VecNormalize` that scales what `model` sees, or None where nothing does.

    Args:
        model: Of Stable-Baselines3.
        given: A `VecNormalize`; False where the caller says that there was none; None to take the one around
            the model's environment.

    Raises:
        BadValueError: The model was trained behind one and it is not given, or the one given does not fit.
    """
    if given is False:
        return None
    if given is None:
        around = model.get_env()
        found = None if around is None else outer_scaling(around)
        if model.get_vec_normalize_env() is None and (why := missing_statistics(model, around is not None)):
            raise BadValueError(f"policy: {why}. {IN_MEMORY}")
        return found
    if not hasattr(given, "normalize_obs"):
        raise BadTypeError(f"policy: vec_normalize must be a VecNormalize, got {type(given).__name__}.")
    _check_fits(model, given)
    return given


def scaling_around(env: Any, model: Any) -> Any:
    """The `VecNormalize` around the environment that a model is to play in, if it is to scale its states.

    None where the model has its own, was surely trained without one, or where that around `env` has seen no
    states: then it is not the one of the training.

    Args:
        env: In any form.
        model: Of Stable-Baselines3.
    """
    found = outer_scaling(env) if is_vec_env(env) else None
    if found is None or model.get_vec_normalize_env() is not None or not _has_seen_states(found):
        return None
    has_env = model.get_env() is not None
    unknown = hasattr(model, "replay_buffer_class") and not has_env
    return found if unknown or missing_statistics(model, has_env) else None


def _has_seen_states(scaling: Any) -> bool:
    known: Any = getattr(scaling, "obs_rms", None)
    parts = known.values() if isinstance(known, dict) else [known]
    return not scaling.norm_obs or all(part.count >= 1 for part in parts)


def missing_statistics(model: Any, has_env: bool) -> str:
    """In words, what shows that `model` was trained behind a `VecNormalize`; empty where nothing does.

    Args:
        model: Of Stable-Baselines3.
        has_env: Whether it still has the environment around it that it was trained in.
    """
    original, last = (getattr(model, name, None) for name in ("_last_original_obs", "_last_obs"))
    if original is None:
        return ""
    if not hasattr(model, "replay_buffer_class"):
        # On-policy algorithms note the unscaled state behind a VecNormalize, and only there.
        return "the model was trained behind VecNormalize, and its statistics are missing"
    if last is None or has_env:
        return ""
    # Off-policy ones note it always; without VecNormalize it is the state of one step before.
    layout = Layout.of(model.observation_space, where="policy", shaped=True)
    before, after = (layout.rows(values).astype(np.float64) for values in (original, last))
    if _is_one_step_on(before, after):
        return ""
    if _in_other_units(before, after) or (after < layout.box.low).any() or (after > layout.box.high).any():
        return (
            "the states that the model saw last are not in the environment's units, as after VecNormalize, "
            "whose statistics are missing"
        )
    return ""


def _is_one_step_on(before: Array, after: Array) -> bool:
    """Whether frames moved up by one: VecFrameStack, whose bounds are not in the order of its columns.

    Example:
        >>> _is_one_step_on(np.array([[1, 2, 3, 4]]), np.array([[3, 4, 5, 6]]))
        True
        >>> _is_one_step_on(np.array([[0, 0, 3, 4]]), np.array([[0, 0, 5, 6]]))
        False
    """
    d = before.shape[1]
    frames = ((after[:, :-k], before[:, k:]) for k in range(1, d // 2 + 1) if d % k == 0)
    # Zeros stand for frames before an episode began, but zeros alone may be columns that hold nothing else.
    return any(now.any() and ((now == then) | (now == 0)).all() for now, then in frames)


def _in_other_units(before: Array, after: Array) -> bool:
    """Whether a column changed by more than variables do in a step; zeros may be padding and do not count."""
    one, other = np.abs(before), np.abs(after)
    larger, smaller = np.maximum(one, other), np.minimum(one, other)
    other_units = (larger > OTHER_UNITS * smaller) & (larger > 1) & (smaller > 0)
    return bool(other_units.all(axis=0).any())


def _check_fits(model: Any, given: Any) -> None:
    wanted, there = model.observation_space, given.observation_space
    if wanted == there or (wanted.shape is not None and wanted.shape == there.shape):
        return
    raise BadValueError(
        f"policy: the VecNormalize has statistics of {there}, but the model sees {wanted}. Where frames are "
        "stacked outside of VecNormalize, pass the environment with both wrappers as env, and the model with "
        "vec_normalize=False."
    )
