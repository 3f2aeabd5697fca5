"""`Policy`: what acts. Ours, a Stable-Baselines3 model or a plain function, all behind one small protocol."""

import importlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, Self, cast, runtime_checkable

import numpy as np

from terc.arrays import Array
from terc.checks import called_rightly
from terc.errors import BadTypeError, BadValueError, DataFileError, TercError
from terc.plurals import some
from terc.trajectories.files import alternatives, write_atomically
from terc.untrusted import parsed, read_npz

FORMAT = "terc-policy"
READABLE = (
    "Policies are .npz files of terc, .zip files of Stable-Baselines3, .onnx files, and checkpoints of torch "
    "(.pt, .pth, .cleanrl_model)."
)
FORMAT_VERSION = 1

# kind in the file's header -> the module and class that read it back
KINDS = {
    "network": ("terc.agents.network_policy", "NetworkPolicy"),
    "tabular_q": ("terc.agents.tabular_q", "TabularPolicy"),
    "distilled": ("terc.returns.distilled", "Distilled"),
}
WEIGHTS = (".cleanrl_model", ".pt", ".pth")
PICKLED = (".pkl", ".pickle", ".joblib")


@dataclass(frozen=True)
class PolicySpec:
    """What a policy was made for; a checkpoint carries it, so that it cannot act elsewhere by mistake.

    Attributes:
        environment: Gymnasium id of the environment (wrappers not counted), or None when unknown.
        n_variables: Length of one state.
        n_actions: Number of discrete actions, or None when actions are continuous.
        action_size: Numbers in one continuous action, or None when actions are discrete.
        levels: Number of values of each of several discrete choices made together (MultiDiscrete), or None.
        within: Length of the full state, for a policy that also takes that and picks its own variables.

    Example:
        >>> PolicySpec("CartPole-v1", 7, n_actions=2).mismatch(PolicySpec("CartPole-v1", 4, n_actions=2))
        'states of 7 variables, but these have 4'
    """

    environment: str | None
    n_variables: int
    n_actions: int | None = None
    action_size: int | None = None
    levels: tuple[int, ...] | None = None
    within: int | None = None

    def __post_init__(self) -> None:
        if self.levels is not None:  # a list when it comes from a file
            object.__setattr__(self, "levels", tuple(int(count) for count in self.levels))

    @property
    def is_discrete(self) -> bool:
        """Whether an action is one choice, or several choices, among a fixed number of values."""
        return self.n_actions is not None or self.levels is not None

    def mismatch(self, other: Self) -> str:
        """In words, why a policy of this spec cannot act where `other` is asked for; empty when it can."""
        if self.environment and other.environment and self.environment != other.environment:
            return f"the environment {self.environment!r}, but this is {other.environment!r}"
        if other.n_variables not in (self.n_variables, self.within):
            return f"states of {some(self.n_variables, 'variable')}, but these have {other.n_variables}"
        if any(
            getattr(self, kind) != getattr(other, kind) for kind in ("n_actions", "action_size", "levels")
        ):
            return f"{self.actions_in_words()}, but here there are {other.actions_in_words()}"
        return ""

    def actions_in_words(self) -> str:
        """`2 discrete actions` or `continuous actions of 1 number`."""
        if self.n_actions is not None:
            return f"{self.n_actions} discrete actions"
        if self.levels is not None:
            return f"{len(self.levels)} discrete choices of {list(self.levels)} values"
        numbers = "1 number" if self.action_size == 1 else f"{self.action_size} numbers"
        return f"continuous actions of {numbers}"


@runtime_checkable
class Policy(Protocol):
    """Anything that chooses actions for a batch of states."""

    @property
    def spec(self) -> PolicySpec | None:
        """What it was made for, or None when it does not say (a plain function)."""

    def act(self, states: Array, *, rng: np.random.Generator | None = None, greedy: bool = True) -> Array:
        """Actions `[n]` (discrete) or `[n, k]` (continuous, or k choices) for states `[n, d]`.

        Ours take a single state `[d]` too and return its action. `greedy=True` takes the likeliest action;
        `greedy=False` draws from the policy and needs `rng`.
        """

    def probabilities(self, states: Array) -> Array | None:
        """Probability `[n, K]` of each discrete action under sampling, or None when there is none."""

    def save(self, path: str | Path) -> None:
        """Write a file that `load_policy` reads back, without pickle."""


def as_policy(thing: object, env: object = None) -> Policy:
    """`thing` as a `Policy` for `env`: one already, anybody's model, a function, or a saved policy's path."""
    from terc.agents.function_policy import METHODS, FunctionPolicy, acting_function

    if isinstance(thing, (str, Path)):
        _refuse_environment(thing)
        return load_policy(thing)
    if isinstance(thing, type):
        raise BadTypeError(
            f"policy: got the class {thing.__name__}; make one of it first, {thing.__name__}(...)."
        )
    if isinstance(thing, Policy):
        return thing
    model = getattr(thing, "__self__", None) if getattr(thing, "__name__", "") == "predict" else thing
    if all(hasattr(model, name) for name in ("predict", "policy", "observation_space", "get_env")):
        from terc.agents.sb3 import SB3Policy, scaling_around

        return SB3Policy(model, scaling_around(env, model))
    if hasattr(thing, "state_dict") and hasattr(thing, "modules") and not hasattr(thing, "predict"):
        from terc.agents.checkpoints import policy_of_module

        return policy_of_module(thing)
    function = acting_function(thing)
    if function is not None:
        return FunctionPolicy(function)
    raise BadTypeError(
        "policy: wanted a terc policy, a Stable-Baselines3 model, a torch module, a function states -> "
        f"actions, an object that has one ({', '.join(METHODS)}) or the path of a saved policy, got "
        f"{type(thing).__name__}. For a table of actions pass lambda state: table[state]."
    )


def _refuse_environment(name: str | Path) -> None:
    """Refuse the id of an environment where a policy is wanted."""
    import gymnasium

    if str(name) in gymnasium.registry and not Path(name).exists():
        raise BadValueError(
            f"policy: {str(name)!r} is an environment; it comes first, the policy (or its file) second."
        )


def check_fits(policy: Policy, wanted: PolicySpec) -> None:
    """Raise when `policy` says it was made for something else than `wanted`."""
    if policy.spec is None or not (reason := policy.spec.mismatch(wanted)):
        return
    frames, rest = divmod(policy.spec.n_variables, wanted.n_variables)
    stacked = (
        f"If it reads {frames} stacked frames, give the environment that stacks them (VecFrameStack, "
        "FrameStackObservation). "
        if frames > 1 and not rest
        else ""
    )
    raise BadValueError(
        f"policy: it was made for {reason}. {stacked}Load the policy of this environment, or pass its `act` "
        "method as a plain function if you are sure that it fits."
    )


def write_policy(
    path: str | Path, kind: str, spec: PolicySpec, settings: Mapping[str, Any], arrays: Mapping[str, Array]
) -> None:
    """Write a policy file: an npz of plain arrays whose `header` is a JSON text (kind, spec, settings)."""
    header = {"format": FORMAT, "version": FORMAT_VERSION, "kind": kind, "spec": asdict(spec)}
    write_arrays(path, {**header, "settings": dict(settings)}, arrays)


def _refuse(name: str, value: object, fits: bool, what: str) -> None:
    if value is not None and not fits:
        raise BadValueError(f"load_policy: {name} is for {what}.")


@called_rightly
def load_policy(
    path: str | Path,
    *,
    allow_pickle: bool = False,
    algorithm: str | None = None,
    vec_normalize: Any = None,
    activation: str | None = None,
) -> Policy:
    """Read a policy saved by `Policy.save`, or with `allow_pickle=True` a model of another library.

    Args:
        path: The file. `.npz` is ours and holds numbers and text only; `.zip`, or a folder that holds one, is
            of Stable-Baselines3; `.cleanrl_model`, `.pt` and `.pth` are weights of torch; `.onnx` is of any
            library.
        allow_pickle: All but `.npz` and `.onnx` hold pickles, which can run any code when opened. Say True
            only for files whose origin you trust.
        algorithm: Of a model of Stable-Baselines3 whose file does not say it, such as "PPO".
        vec_normalize: The statistics that such a model was trained with: the file, or the `VecNormalize`
            itself; "none" or False where there were none.
        activation: Between the layers of weights of torch, "tanh" or "relu"; by default as CleanRL has it.

    Raises:
        DataFileError: No such file, not a policy, or in need of pickle.
    """
    path = policy_path(path)
    is_sb3, is_weights = path.suffix == ".zip" or path.is_dir(), path.suffix in WEIGHTS
    _refuse("algorithm", algorithm, is_sb3, f"models of Stable-Baselines3, which {path.name} is not")
    _refuse("activation", activation, is_weights, f"weights of torch, which {path.name} is not")
    if is_sb3:
        from terc.agents.sb3_files import load_sb3

        how = {"algorithm": algorithm, "vec_normalize": vec_normalize}
        return load_sb3(path, allow_pickle=allow_pickle, **how)
    refuse_statistics(path.name, vec_normalize)
    if path.suffix == ".onnx":
        from terc.agents.checkpoints import load_onnx

        return load_onnx(path)
    if is_weights:
        from terc.agents.checkpoints import load_checkpoint

        return load_checkpoint(path, allow_pickle=allow_pickle, activation=activation)
    if path.suffix in PICKLED:
        raise DataFileError(
            f"load_policy: {path.name} is a pickle, which can run any code when opened, and terc does not "
            "open it. Load it yourself and pass the model or a function states -> actions; terc's own "
            "policies are .npz."
        )
    return _restored(path)


def _restored(path: Path) -> Policy:
    """What `Policy.save` wrote."""
    header, arrays = read_arrays(path, FORMAT)
    if header.get("kind") not in KINDS:
        raise DataFileError(
            f"load_policy: {path.name} holds a policy of unknown kind {header.get('kind')!r}."
        )
    try:
        module, name = KINDS[header["kind"]]
        kind: Any = getattr(importlib.import_module(module), name)
        return cast("Policy", kind.restore(PolicySpec(**header["spec"]), header["settings"], arrays))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        if isinstance(error, TercError):
            raise
        raise DataFileError(f"load_policy: {path.name} is damaged ({error!r}).") from error


def refuse_statistics(model: object, given: object) -> None:
    """Refuse statistics of a `VecNormalize` beside a model that cannot have any; "none" says the same."""
    if given is not None and given is not False and str(given) != "none":
        raise BadValueError(
            f"vec_normalize (--vecnormalize) belongs to a Stable-Baselines3 .zip, but the model is {model}; "
            "leave it out."
        )


def policy_path(path: str | Path) -> Path:
    """The file or folder of a policy; `.zip` may be left out, as Stable-Baselines3 does.

    Raises:
        DataFileError: There is none.
    """
    for found in (Path(path), Path(f"{path}.zip")):
        if found.exists():
            return found
    kinds = (".zip", ".npz", ".onnx", *WEIGHTS)
    near = sorted(one.name for one in Path(path).parent.glob("*") if one.suffix in kinds)
    raise DataFileError(f"load_policy: there is no file {str(path)!r}.{alternatives(Path(path).name, near)}")


def write_arrays(path: str | Path, header: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    """An npz of `arrays` with a JSON `header`, moved into place whole: a crash leaves the old file."""
    content: dict[str, Any] = {"header": np.array(json.dumps(header)), **arrays}
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    write_atomically(Path(path), lambda sink: np.savez(sink, **content))


def read_arrays(path: str | Path, wanted: str) -> tuple[dict[str, Any], dict[str, Array]]:
    """Header and arrays of a file of `write_arrays` whose format is `wanted`; never unpickles."""
    path = Path(path)
    try:
        arrays = read_npz(path)
        if "actions" in arrays and "header" not in arrays:
            raise ValueError("it is a recording, which terc.load reads")
        header = parsed(str(arrays.pop("header")))
    except (OSError, ValueError, KeyError, EOFError, AttributeError) as error:
        way_out = f" {READABLE}" if wanted == FORMAT else ""
        raise DataFileError(f"{path.name}: not a readable {wanted} file ({error}).{way_out}") from error
    said = header.get("format") if isinstance(header, dict) else None
    if said != wanted:
        raise DataFileError(f"{path.name}: wanted a {wanted} file, this is {said!r}.")
    return header, arrays
