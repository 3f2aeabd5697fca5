"""`NetworkPolicy`: a trained network as arrays; acts without any framework and saves without pickle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from terc.agents.heads import sample_categorical
from terc.agents.network import activate, rescale, with_labels
from terc.agents.policy import PolicySpec, write_policy
from terc.agents.spaces import as_states
from terc.arrays import Array
from terc.errors import BadValueError
from terc.flattening.old_gym import without_gaps
from terc.networks.heads import softmax

if TYPE_CHECKING:
    import torch

# Arrays that a policy may lack.
OPTIONAL = ("center", "scale", "log_std", "bounds", "labels")


@dataclass(frozen=True, eq=False)
class NetworkPolicy:
    """Dense network over the states: a softmax over discrete actions, or a normal around continuous ones.

    Where `spec.levels` is set an action is several choices, and the outputs are their logits side by side.

    Attributes:
        spec: What it was made for.
        layers: (weights `[a, b]`, bias `[b]`) from input to output.
        activation: "relu" or "tanh" between the layers.
        center: Subtracted from the states `[d]`.
        scale: Then divided by `[d]`; the result is cut at +-`clip`.
        clip: See `scale`; infinite when states go in as they are.
        log_std: Log standard deviation of each continuous action number `[k]`; None when discrete.
        bounds: Lowest and highest continuous action `[2, k]`; actions are cut there. None when discrete.
        first_action: The number of the first discrete action (`Discrete.start`).
        squash: Continuous actions are the tanh of the outputs, stretched to the bounds (SAC, TD3).
        deterministic: Sampled actions are the likeliest ones too, and there are no probabilities: the outputs
            are values of the actions (DQN), or how the model draws is not held here.
        drawn: Actions are drawn where the likeliest are asked for, too: a distilled agent whose likeliest
            actions do not hold the return.
        labels: Column and value `[2, k]` of each further input, which is 1 where the column has that value
            and else 0: for variables whose numbers are choices. None where every variable is a quantity.

    Example:
        >>> layers = ((np.array([[0.0, 1.0]], np.float32), np.zeros(2, np.float32)),)
        >>> policy = NetworkPolicy(PolicySpec(None, 1, n_actions=2), layers)
        >>> policy.act(np.array([[3.0], [-3.0]])), policy.probabilities(np.array([[0.0]]))
        (array([1, 0]), array([[0.5, 0.5]], dtype=float32))
    """

    spec: PolicySpec
    layers: tuple[tuple[Array, Array], ...]
    activation: str = "relu"
    center: Array | None = None
    scale: Array | None = None
    clip: float = float("inf")
    log_std: Array | None = None
    bounds: Array | None = None
    first_action: int = 0
    squash: bool = False
    deterministic: bool = False
    labels: Array | None = None
    drawn: bool = False

    def __repr__(self) -> str:
        widths = "-".join(str(bias.size) for _, bias in self.layers)
        return f"NetworkPolicy({self.layers[0][0].shape[0]}-{widths} {self.activation}, {self.spec})"

    def outputs(self, states: Array) -> Array:
        """What the last layer says `[n, K]`: logits, or the mean of the continuous action."""
        states, _ = as_states(states)
        if states.ndim != 2 or states.shape[1] != self.spec.n_variables:
            raise BadValueError(
                f"policy: wanted states [n, {self.spec.n_variables}], got an array of shape {states.shape}."
            )
        without_gaps(states, "policy: a state")
        if self.center is None or self.scale is None:
            hidden = states.astype(np.float32)
        else:
            hidden = rescale(states, self.center, self.scale, self.clip)
        hidden = with_labels(hidden, states, self.labels)
        for weights, bias in self.layers[:-1]:
            hidden = hidden @ weights
            hidden += bias
            activate(hidden, self.activation)
        weights, bias = self.layers[-1]
        return np.asarray(hidden @ weights + bias)

    def act(self, states: Array, *, rng: np.random.Generator | None = None, greedy: bool = True) -> Array:
        """Actions for states `[n, d]`, or that of one state `[d]`; see `Policy.act`."""
        states, single = as_states(states)
        if single:
            return self.act(states, rng=rng, greedy=greedy)[0]
        greedy = greedy and not self.drawn
        if not greedy and rng is None:
            raise BadValueError("policy: drawing actions needs rng=; pass a numpy Generator.")
        outputs = self.outputs(states)
        if self.spec.levels is not None:
            return self._choices(outputs, None if greedy else rng)
        greedy = greedy or self.deterministic
        if self.spec.n_actions is not None:
            if greedy or rng is None:
                return outputs.argmax(axis=1) + self.first_action
            return sample_categorical(softmax(outputs), rng=rng) + self.first_action
        if not greedy and rng is not None and self.log_std is not None:
            noise = rng.standard_normal(outputs.shape, dtype=np.float32)
            outputs = outputs + noise * np.exp(self.log_std)
        if self.squash and self.bounds is not None:
            low, high = self.bounds
            return low + np.float32(0.5) * (np.tanh(outputs) + np.float32(1)) * (high - low)
        return outputs if self.bounds is None else np.clip(outputs, self.bounds[0], self.bounds[1])

    def probabilities(self, states: Array) -> Array | None:
        """Softmax over the actions `[n, K]`; None when actions are continuous or several choices."""
        draws = self.spec.n_actions is not None and not self.deterministic
        return softmax(self.outputs(states)) if draws else None

    def choice_probabilities(self, states: Array) -> Array | None:
        """For several choices the softmax of each, side by side `[n, sum of levels]`; else None."""
        if self.spec.levels is None:
            return None
        return np.concatenate([softmax(part) for part in self._parts(self.outputs(states))], axis=1)

    def _parts(self, outputs: Array) -> list[Array]:
        return np.split(outputs, np.cumsum(self.spec.levels or ())[:-1], axis=1)

    def _choices(self, outputs: Array, rng: np.random.Generator | None) -> Array:
        parts = self._parts(outputs)
        if rng is None:
            chosen = [part.argmax(axis=1) for part in parts]
        else:
            chosen = [sample_categorical(softmax(part), rng=rng) for part in parts]
        return np.stack(chosen, axis=1) + self.first_action

    def save(self, path: str | Path) -> None:
        """Write an `.npz` that `load_policy` reads."""
        write_policy(path, "network", self.spec, *self.as_settings())

    def as_settings(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Settings and arrays from which `restore` makes the policy again."""
        arrays = {f"weights_{i}": weights for i, (weights, _) in enumerate(self.layers)}
        arrays |= {f"bias_{i}": bias for i, (_, bias) in enumerate(self.layers)}
        optional = {name: getattr(self, name) for name in OPTIONAL}
        arrays |= {name: array for name, array in optional.items() if array is not None}
        settings = {
            "activation": self.activation,
            "clip": self.clip if np.isfinite(self.clip) else None,
            "first_action": self.first_action,
            "squash": self.squash,
            "deterministic": self.deterministic,
            "drawn": self.drawn,
        }
        return settings, arrays

    @classmethod
    def restore(
        cls, spec: PolicySpec, settings: Mapping[str, Any], arrays: Mapping[str, Array]
    ) -> NetworkPolicy:
        """The policy that `save` wrote."""
        depth = sum(name.startswith("weights_") for name in arrays)
        layers = tuple((arrays[f"weights_{i}"], arrays[f"bias_{i}"]) for i in range(depth))
        clip = float("inf") if settings["clip"] is None else float(settings["clip"])
        optional: dict[str, Any] = {name: arrays.get(name) for name in OPTIONAL}
        known = ("first_action", "squash", "deterministic", "drawn")
        plain = {name: settings[name] for name in known if name in settings}
        return cls(spec, layers, settings["activation"], clip=clip, **plain, **optional)

    def to_torch(self) -> torch.nn.Module:
        """The same network as a torch module from raw states to `outputs`, for timing and export.

        The scaling of the states is folded into the first layer; the cut at +-`clip` is left out.
        """
        import torch

        modules: list[torch.nn.Module] = [] if self.labels is None else [_torch_labels(self.labels)]
        for number, (weights, bias) in enumerate(self._raw_layers()):
            linear = torch.nn.Linear(*weights.shape)
            with torch.no_grad():
                linear.weight.copy_(torch.from_numpy(np.ascontiguousarray(weights.T)))
                linear.bias.copy_(torch.from_numpy(bias))
            modules.append(linear)
            if number < len(self.layers) - 1:
                modules.append(torch.nn.ReLU() if self.activation == "relu" else torch.nn.Tanh())
        return torch.nn.Sequential(*modules)

    def _raw_layers(self) -> list[tuple[Array, Array]]:
        layers = list(self.layers)
        if self.center is not None and self.scale is not None:
            weights, bias = layers[0]
            numbers = slice(len(self.scale))  # labels come after them, as they are
            folded = weights.copy()
            folded[numbers] /= self.scale[:, None]
            layers[0] = (folded, (bias - (self.center / self.scale) @ weights[numbers]).astype(np.float32))
        return layers


def _torch_labels(labels: Array) -> torch.nn.Module:
    """`with_labels` as a torch module."""
    import torch

    class Labels(torch.nn.Module):
        """Beside the states a 1 for each label that they carry."""

        def forward(self, states: torch.Tensor) -> torch.Tensor:
            carried = states[:, columns] == values
            return torch.cat([states, carried.to(states.dtype)], dim=1)

    columns = torch.from_numpy(labels[0].astype(np.int64))
    values = torch.from_numpy(labels[1].astype(np.float32))
    return Labels()
