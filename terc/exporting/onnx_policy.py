"""A policy as an ONNX graph from states to actions, written out by hand: a few operations, no exporter."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from terc.agents.network_policy import NetworkPolicy
from terc.agents.policy import Policy
from terc.errors import BadTypeError, extra_module

# Old enough for any runtime of the last years.
OPSET, IR_VERSION = 13, 8


def onnx_bytes(policy: Policy, variables: Sequence[str], title: str) -> bytes:
    """The model file: input `states` (float32 `[n, d]`, as environments give them), output `actions`.

    Actions are int64 `[n]` or float32 `[n, k]`. Where states are scaled they are centred in double precision,
    which matters for variables far from zero. The names of the variables stand in the model's metadata.
    """
    if not isinstance(policy, NetworkPolicy):
        raise BadTypeError(f"export: cannot write a {type(policy).__name__} as ONNX; export it to numpy.")
    onnx = extra_module("onnx", "export: an ONNX file", "export")
    graph = _Graph(policy)
    kind = onnx.TensorProto.INT64 if policy.spec.is_discrete else onnx.TensorProto.FLOAT
    shape: list[str | int | None] = ["n"]
    if policy.spec.n_actions is None:
        shape.append(len(policy.spec.levels) if policy.spec.levels else policy.layers[-1][1].size)
    tensor, width = onnx.helper.make_tensor_value_info, policy.spec.n_variables
    states, actions = tensor("states", onnx.TensorProto.FLOAT, ["n", width]), tensor("actions", kind, shape)
    body = onnx.helper.make_graph(graph.nodes, "policy", [states], [actions], graph.constants)
    opset = onnx.helper.make_opsetid("", OPSET)
    model = onnx.helper.make_model(body, opset_imports=[opset], producer_name="terc", doc_string=title)
    model.ir_version = IR_VERSION
    onnx.helper.set_model_props(model, {"variables": "\n".join(variables)})
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString())


class _Graph:
    """Nodes and constants of the graph, in order."""

    def __init__(self, policy: NetworkPolicy) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        value = self._labelled(policy, self._scaled(policy))
        for number, (weights, bias) in enumerate(policy.layers):
            w, b = self._constant(f"weights_{number}", weights), self._constant(f"bias_{number}", bias)
            value = self._node("Gemm", f"layer_{number}", value, w, b)
            if number < len(policy.layers) - 1:
                kind = "Relu" if policy.activation == "relu" else "Tanh"
                value = self._node(kind, f"hidden_{number}", value)
        self._answer(policy, self._drawn(policy, value) if policy.drawn else value)

    def _scaled(self, policy: NetworkPolicy) -> str:
        value = "states"
        if policy.center is not None and policy.scale is not None:
            center = self._constant("center", np.asarray(policy.center, np.float64))
            value = self._node("Cast", "double", value, to=11)  # 11: float64
            value = self._node("Sub", "centred", value, center)
            value = self._node("Cast", "single", value, to=1)  # 1: float32
            value = self._node("Div", "scaled", value, self._constant("scale", policy.scale))
        if np.isfinite(policy.clip):
            low = self._constant("low", np.float32(-policy.clip))
            high = self._constant("high", np.float32(policy.clip))
            value = self._node("Clip", "cut", value, low, high)
        return value

    def _labelled(self, policy: NetworkPolicy, value: str) -> str:
        """A further input for each label: 1 where the state carries it."""
        if policy.labels is None:
            return value
        columns = self._constant("label_columns", policy.labels[0].astype(np.int64))
        labels = self._constant("labels", policy.labels[1].astype(np.float32))
        found = self._node("Gather", "label_values", "states", columns, axis=1)
        carried = self._node("Cast", "carried", self._node("Equal", "equal", found, labels), to=1)
        return self._node("Concat", "labelled", value, carried, axis=1)

    def _drawn(self, policy: NetworkPolicy, value: str) -> str:
        """Outputs with noise: of the largest logit plus Gumbel noise, or of the mean plus normal noise."""
        if not policy.spec.is_discrete:
            if policy.log_std is None:
                return value
            spread = self._constant("spread", np.exp(policy.log_std).astype(np.float32))
            noise = self._node("RandomNormalLike", "normal", value)
            return self._node("Add", "drawn", value, self._node("Mul", "noise", noise, spread))
        chance = self._node("RandomUniformLike", "uniform", value, low=1e-7, high=0.9999999)
        waiting = self._node("Neg", "waiting", self._node("Log", "log", chance))
        return self._node("Sub", "drawn", value, self._node("Log", "gumbel", waiting))

    def _answer(self, policy: NetworkPolicy, value: str) -> None:
        if policy.spec.levels is not None:
            self._choices(policy, policy.spec.levels, value)
        elif policy.spec.is_discrete:
            best = self._node("ArgMax", "best", value, axis=1, keepdims=0)
            self._node("Add", "actions", best, self._constant("first_action", np.int64(policy.first_action)))
        elif policy.bounds is None:
            self._node("Identity", "actions", value)
        elif policy.squash:
            low, high = (np.asarray(end, np.float64) for end in policy.bounds)
            half = self._constant("half", ((high - low) / 2).astype(np.float32))
            middle = self._constant("middle", ((high + low) / 2).astype(np.float32))
            value = self._node("Mul", "stretched", self._node("Tanh", "squashed", value), half)
            self._node("Add", "actions", value, middle)
        else:
            lowest, highest = np.asarray(policy.bounds, np.float32)
            above = self._node("Max", "above", value, self._constant("lowest", lowest))
            self._node("Min", "actions", above, self._constant("highest", highest))

    def _choices(self, policy: NetworkPolicy, levels: Sequence[int], value: str) -> None:
        """Several choices: the logits of each stand side by side."""
        best, end = [], 0
        for number, count in enumerate(levels):
            begin, end = end, end + count
            ends = [
                self._constant(f"{what}_{number}", np.array([place], np.int64))
                for what, place in (("begin", begin), ("end", end), ("axis", 1))
            ]
            part = self._node("Slice", f"part_{number}", value, *ends)
            best.append(self._node("ArgMax", f"best_{number}", part, axis=1, keepdims=1))
        chosen = self._node("Concat", "chosen", *best, axis=1)
        self._node("Add", "actions", chosen, self._constant("first_action", np.int64(policy.first_action)))

    def _node(self, kind: str, name: str, *inputs: str, **attributes: Any) -> str:
        from onnx import helper

        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def _constant(self, name: str, value: Any) -> str:
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name
