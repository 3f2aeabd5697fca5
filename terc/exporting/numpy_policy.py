"""A policy as one Python file that needs numpy alone: its weights stand in it as text."""

import base64
import io
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from terc.agents.network_policy import NetworkPolicy
from terc.agents.policy import Policy
from terc.agents.tabular_q import TabularPolicy
from terc.arrays import Array
from terc.errors import BadTypeError

HEAD = '''"""{title}

Needs numpy, nothing else. `act(states)` takes one state [d] or many [n, d], columns in the order of
VARIABLES, and returns {action}. COLUMNS are their places in the full state, so
`act(full[..., list(COLUMNS)])` serves where all variables are at hand.
"""

import base64
import io

import numpy as np

VARIABLES = {variables!r}
COLUMNS = {columns!r}


def act(states):
    """The action for one state [d], or an array of actions for states [n, d]."""
    states = np.asarray(states)
    if states.shape[-1:] != (len(VARIABLES),) or states.ndim > 2:
        raise ValueError(f"wanted states [n, {{len(VARIABLES)}}] of {{VARIABLES}}, got {{states.shape}}")
    return _act(states) if states.ndim == 2 else _act(states[None])[0]

'''
DRAWN = """
# The likeliest actions alone do not hold the return. Give a seed for the same actions again.
_RNG = np.random.default_rng()

"""
NETWORK = """
def _act(states):
    hidden = {inputs}
{labels}{hidden}    outputs = hidden @ _A["weights_{last}"] + _A["bias_{last}"]{drawn}
    return {answer}

"""
SCALED = """(states - _A["center"]).astype(np.float32)
    hidden /= _A["scale"]
    np.minimum(np.maximum(hidden, np.float32(-{clip!r}), out=hidden), np.float32({clip!r}), out=hidden)"""
LABELS = """    carried = states[:, _A["labels"][0].astype(np.int64)] == _A["labels"][1]
    hidden = np.concatenate([hidden, carried.astype(np.float32)], axis=1)
"""
HIDDEN = """    hidden = hidden @ _A["weights_{i}"]
    hidden += _A["bias_{i}"]
    {activation}
"""
TABLE = """
def _act(states):
    rows = np.ravel_multi_index(tuple((states.astype(np.int64) - _A["first"]).T), tuple(_A["levels"]))
    return _A["best"][rows].astype(np.int64)

"""
TAIL = """
def _read(text):
    with np.load(io.BytesIO(base64.b64decode(text))) as file:
        return {{name: file[name] for name in file.files}}


_A = _read(
{lines}
)
"""
SQUASHED = (
    '_A["bounds"][0] + np.float32(0.5) * (np.tanh(outputs) + np.float32(1)) '
    '* (_A["bounds"][1] - _A["bounds"][0])'
)
ACTIVATIONS = {"relu": "np.maximum(hidden, 0, out=hidden)", "tanh": "np.tanh(hidden, out=hidden)"}
WIDTH = 100


def numpy_source(policy: Policy, variables: Sequence[str], columns: Sequence[int], title: str) -> str:
    """The text of the file."""
    if isinstance(policy, NetworkPolicy):
        body, arrays = _network(policy)
    elif isinstance(policy, TabularPolicy):
        best = policy.values.argmax(axis=1) + policy.first_action
        best = best.astype(np.int8) if np.abs(best).max(initial=0) < 128 else best
        arrays = {"best": best, "first": np.array(policy.first), "levels": np.array(policy.levels)}
        body = TABLE
    else:
        raise BadTypeError(
            f"export: cannot write a {type(policy).__name__} as numpy; only networks and tables."
        )
    safe_title = title.replace("\\", "/").replace('"', "'")
    draws = isinstance(policy, NetworkPolicy) and policy.drawn
    action = "an action drawn for each" if draws else "the likeliest action of each"
    head = HEAD.format(title=safe_title, variables=tuple(variables), columns=tuple(columns), action=action)
    return head + DRAWN * draws + body + TAIL.format(lines=_as_text(arrays))


def load_source(source: str) -> Callable[[Array], Array]:
    """`act` of such a file; for timing and for checks, users import the file."""
    namespace: dict[str, Any] = {}
    exec(compile(source, "policy.py", "exec"), namespace)
    function: Callable[[Array], Array] = namespace["act"]
    return function


def _network(policy: NetworkPolicy) -> tuple[str, dict[str, Array]]:
    arrays = {f"weights_{i}": weights for i, (weights, _) in enumerate(policy.layers)}
    arrays |= {f"bias_{i}": bias for i, (_, bias) in enumerate(policy.layers)}
    inputs, last = "states.astype(np.float32)", len(policy.layers) - 1
    if policy.center is not None and policy.scale is not None:
        arrays |= {"center": policy.center, "scale": policy.scale}
        clip = policy.clip if np.isfinite(policy.clip) else float(np.finfo(np.float32).max)
        inputs = SCALED.format(clip=float(clip))
    labels = ""
    if policy.labels is not None:
        labels, arrays["labels"] = LABELS, policy.labels
    activation = ACTIVATIONS[policy.activation]
    hidden = "".join(HIDDEN.format(i=i, activation=activation) for i in range(last))
    answer = f"outputs.argmax(axis=1) + {policy.first_action}"
    if policy.spec.levels is not None:  # several choices, their logits side by side
        ends = np.cumsum(policy.spec.levels).tolist()
        parts = ", ".join(
            f"outputs[:, {end - n}:{end}].argmax(axis=1)"
            for end, n in zip(ends, policy.spec.levels, strict=True)
        )
        answer = f"np.stack([{parts}], axis=1) + {policy.first_action}"
    if not policy.spec.is_discrete:
        answer = "outputs"
        if policy.bounds is not None:
            arrays["bounds"] = policy.bounds
            answer = SQUASHED if policy.squash else 'np.clip(outputs, _A["bounds"][0], _A["bounds"][1])'
    drawn = ""
    if policy.drawn and policy.spec.is_discrete:  # the largest logit with Gumbel noise: a draw of the softmax
        drawn = f" + _RNG.gumbel(size=(len(states), {policy.layers[-1][1].size}))"
    elif policy.drawn and policy.log_std is not None:
        arrays["spread"] = np.exp(policy.log_std)
        drawn = ' + _A["spread"] * _RNG.standard_normal((len(states), _A["spread"].size), np.float32)'
    body = NETWORK.format(inputs=inputs, labels=labels, hidden=hidden, last=last, answer=answer, drawn=drawn)
    return body, arrays


def _as_text(arrays: dict[str, Array]) -> str:
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]
    text = base64.b64encode(stream.getvalue()).decode("ascii")
    return "\n".join(f'    "{text[i : i + WIDTH]}"' for i in range(0, len(text), WIDTH))
