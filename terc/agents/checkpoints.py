"""Networks of others: CleanRL agents and checkpoints, any module of torch, and policies in ONNX files."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from terc.agents.function_policy import METHODS, FunctionPolicy, as_tensors
from terc.agents.network_policy import NetworkPolicy
from terc.agents.policy import Policy, PolicySpec
from terc.arrays import Array
from terc.checks import called_rightly
from terc.errors import BadTypeError, DataFileError, extra_module
from terc.trajectories.columns import one_line

# Where CleanRL's scripts keep the layers that act -> the activation between them, which a file does not hold
ACTORS = {"actor_mean": "tanh", "actor": "tanh", "network": "relu", "q_network": "relu"}
LAYER = re.compile(r"^(?P<actor>[a-z_]+)\.(?P<place>\d+)\.(?P<what>weight|bias)$")
# Its DDPG, TD3 (fc_mu) and SAC (fc_mean), whose actions are a tanh between bounds
CHAINS = (("fc1", "fc2", "fc_mu"), ("fc1", "fc2", "fc_mean"))
# Where people keep the weights beside an optimiser and the like
WITHIN = ("model_state_dict", "state_dict", "actor_state_dict", "actor", "policy", "agent", "model")
WAY_OUT = "Load it yourself and pass the module, or a function states -> actions."


@called_rightly
def load_checkpoint(path: str | Path, *, allow_pickle: bool = False, activation: str | None = None) -> Policy:
    """The policy in a state dictionary of torch, as CleanRL's scripts save it.

    Args:
        path: A file of `torch.save(agent.state_dict(), path)`.
        allow_pickle: torch's files are pickles. They are opened with `weights_only=True`, which takes arrays
            alone; still, nothing is unpickled unless you say so.
        activation: "tanh" or "relu" between the layers; by default CleanRL's, tanh for an actor and relu for
            a Q-network.
    """
    path = Path(path)
    if not allow_pickle:
        raise DataFileError(
            f"load_policy: {path.name} is a checkpoint of torch, a pickle of which only the weights would be "
            "loaded (weights_only=True). If you trust where it comes from: "
            f"terc.agents.load_policy({path.name!r}, allow_pickle=True), or --allow-pickle."
        )
    torch = extra_module("torch", f"load_policy: {path.name}", "torch")
    try:
        found = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises whatever the file made it stumble over
        raise DataFileError(f"load_policy: {path.name} holds more than weights. {WAY_OUT}") from error
    found = found[0] if isinstance(found, tuple | list) and found else found
    if isinstance(found, Mapping):
        found = next((found[key] for key in WITHIN if isinstance(found.get(key), Mapping)), found)
    if not isinstance(found, Mapping):
        raise DataFileError(
            f"load_policy: {path.name} holds a {type(found).__name__}, wanted a state dictionary. {WAY_OUT}"
        )
    return policy_of_weights(found, path.name, activation)


def policy_of_weights(weights: Mapping[str, Any], name: str, activation: str | None = None) -> NetworkPolicy:
    """A policy of the dense layers under `actor`, `actor_mean` or `network` (a Q-network).

    Example:
        >>> weights = {"network.0.weight": np.array([[1.0], [-1.0]]), "network.0.bias": np.zeros(2)}
        >>> policy_of_weights(weights, "example").act(np.array([[3.0], [-3.0]]))
        array([0, 1])
    """
    chain = next((names for names in CHAINS if all(f"{one}.weight" in weights for one in names)), None)
    if chain is not None:
        parts = [[np.asarray(weights[f"{one}.{w}"], np.float32) for w in ("weight", "bias")] for one in chain]
        dense = [(weight.T.copy(), bias) for weight, bias in parts]
        return _squashed(dense, weights, activation or "relu")
    layers = _dense_layers(weights)
    actor = next((kind for kind in ACTORS if kind in layers), None)
    if actor is None:
        raise BadTypeError(
            f"policy: {name} has no dense layers under {', '.join(ACTORS)}; there is "
            f"{sorted({key.split('.')[0] for key in weights})}. {WAY_OUT}"
        )
    found, spread = tuple(layers[actor]), weights.get("actor_logstd")
    inputs, outputs = found[0][0].shape[0], found[-1][1].size
    between = activation or ACTORS[actor]
    if spread is not None:
        spec = PolicySpec(None, inputs, action_size=outputs)
        return NetworkPolicy(spec, found, between, log_std=np.asarray(spread, np.float32).reshape(-1))
    # The outputs of a Q-network are values, not the logits of a distribution to draw from.
    values = ACTORS[actor] == "relu"
    return NetworkPolicy(PolicySpec(None, inputs, n_actions=outputs), found, between, deterministic=values)


def _squashed(
    layers: list[tuple[Array, Array]], weights: Mapping[str, Any], activation: str
) -> NetworkPolicy:
    size = layers[-1][1].size
    middle, half = (
        np.broadcast_to(np.asarray(weights.get(name, default), np.float32).reshape(-1), size)
        for name, default in (("action_bias", 0.0), ("action_scale", 1.0))
    )
    return NetworkPolicy(
        PolicySpec(None, layers[0][0].shape[0], action_size=size),
        tuple(layers),
        activation,
        bounds=np.stack([middle - half, middle + half]),
        squash=True,
        deterministic=True,
    )


def policy_of_module(module: Any) -> Policy:
    """Any network in memory: by its layers where they are those of a CleanRL agent, else by what it answers.

    A network that answers with a number for each action takes the highest. Of a network whose own answers are
    not those of its layers alone (it scales its inputs, say), the answers count.
    """
    try:
        found = _by_layers(module)
    except BadTypeError:
        if not answers(module):
            raise
        return _asked(module)
    return found if _agree(found, module) else _asked(module)


def answers(module: Any) -> bool:
    """Whether a network can be called, or has a method that acts."""
    return any(hasattr(module, name) for name in METHODS) or "unimplemented" not in module.forward.__name__


def _asked(module: Any) -> Policy:
    """The method of a network that acts, or its own answers."""
    method = next((getattr(module, name) for name in METHODS if hasattr(module, name)), None)
    if method is None and hasattr(module, "forward_inference"):
        method = partial(_of_rllib, module)
    return FunctionPolicy(_without_gradients(module, method), scores=True)


def _of_rllib(module: Any, states: Any) -> Any:
    """What a module of RLlib answers: actions, or a score for each."""
    rows = as_tensors(states)
    found = module.forward_inference({"obs": rows if rows.ndim > 1 else rows[None]})
    answer = found["actions"] if "actions" in found else found["action_dist_inputs"]
    return answer if rows.ndim > 1 else answer[0]


def _without_gradients(module: Any, method: Callable[..., Any] | None = None) -> Callable[..., Any]:
    import torch

    like = next((values for values in module.state_dict().values() if values.is_floating_point()), None)

    def asked(states: Any) -> Any:
        with torch.no_grad():
            return module(as_tensors(states, like)) if method is None else method(states)

    return asked


def _agree(policy: NetworkPolicy, module: Any) -> bool:
    """Whether the layers alone act as the network does, where it answers with a number for each action."""
    if policy.spec.n_actions is None:
        return True
    states = np.random.default_rng(0).normal(0, 3, (64, policy.spec.n_variables)).astype(np.float32)
    try:
        scores = np.asarray(_without_gradients(module)(states))
    except Exception:  # CleanRL's agents cannot be called
        return True
    return scores.shape != (64, policy.spec.n_actions) or bool((scores.argmax(1) == policy.act(states)).all())


def _by_layers(module: Any) -> NetworkPolicy:
    """A CleanRL agent in memory; its activations are those of its modules, else those of CleanRL."""
    weights = {key: values.detach().cpu().numpy() for key, values in module.state_dict().items()}
    if any(f"{chain[-1]}.weight" in weights for chain in CHAINS):
        return policy_of_weights(weights, type(module).__name__)
    kinds = {type(part).__name__ for part in module.modules()} & {"Tanh", "ReLU"}
    if len(kinds) != 1:
        raise BadTypeError(
            f"policy: wanted a network with tanh or relu between its layers, this {type(module).__name__} "
            f"has {sorted(kinds) or 'neither'}. {WAY_OUT}"
        )
    return policy_of_weights(weights, type(module).__name__, "relu" if kinds == {"ReLU"} else "tanh")


def _dense_layers(weights: Mapping[str, Any]) -> dict[str, list[tuple[Array, Array]]]:
    """Actor -> (weights `[a, b]`, bias `[b]`) from input to output; those with other layers are left out."""
    found: dict[str, dict[int, dict[str, Array]]] = {}
    for key, values in weights.items():
        if match := LAYER.match(key):
            place = found.setdefault(match["actor"], {}).setdefault(int(match["place"]), {})
            place[match["what"]] = np.asarray(values, np.float32)
    return {
        actor: [(layer["weight"].T.copy(), layer["bias"]) for _, layer in sorted(places.items())]
        for actor, places in found.items()
        if all(len(layer) == 2 and layer["weight"].ndim == 2 for layer in places.values())
    }


KINDS = {"tensor(float)": np.float32, "tensor(double)": np.float64}


def load_onnx(path: Path) -> FunctionPolicy:
    """The policy of a file whose only input is the states `[n, d]`; its first output acts.

    Nothing in such a file is executed but arithmetic, so that it needs no `allow_pickle`.
    """
    onnxruntime = extra_module("onnxruntime", "load_policy: .onnx", "export")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    try:
        session = onnxruntime.InferenceSession(path, sess_options=options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the runtime has its own many ways to call a file damaged
        raise DataFileError(f"load_policy: {path.name} cannot be read ({one_line(error)}).") from error
    inputs = session.get_inputs()
    if len(inputs) != 1 or inputs[0].type not in KINDS or len(inputs[0].shape) != 2:
        found = [f"{one.name} {one.type} {one.shape}" for one in inputs]
        raise BadTypeError(
            f"load_policy: {path.name} wants {found}, not states [n, d] alone; pass a function states -> "
            "actions that runs it."
        )
    name, kind = inputs[0].name, KINDS[inputs[0].type]

    def asked(states: Any) -> Any:
        rows = np.asarray(states, kind)
        found = session.run(None, {name: rows.reshape(-1, rows.shape[-1])})[0]
        return found if rows.ndim > 1 else found[0]

    return FunctionPolicy(asked, scores=True)
