"""How probable an action is under a network's outputs: the last layer of every predictive estimator."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from terc.entropy.inputs import standard_scores
from terc.trajectories.columns import FloatArray, IntArray

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories

MOST_CLASSES = 16
MOST_LEVELS = 256
RESOLUTION = 0.02
SMALLEST_LOG_SCALE = -6.0
HISTOGRAM_BINS = 100


class Likelihood(Protocol):
    """Loss and residual of the actions for outputs `[nets, batch, n_outputs]` and rows `[nets, batch]`."""

    @property
    def known(self) -> Tensor:
        """What is known of the actions, as numbers `[n, q]`: themselves, or what was to be expected."""

    def drawn(self) -> FloatArray:
        """Variance `[q]` that drawing an action adds to what is known of it; 0 where that is itself."""

    @property
    def n_outputs(self) -> int:
        """Outputs of the network that the likelihood reads."""

    def first_bias(self) -> Tensor:
        """Output bias `[n_outputs]` from which training starts."""

    def loss(self, outputs: Tensor, rows: Tensor) -> Tensor:
        """Minus log probability of each action, nats, `[nets, batch]`."""

    def residual(self, outputs: Tensor, rows: Tensor) -> Tensor:
        """Observed minus expected action, `[nets, batch, q]`."""

    def unconditional(self, folds: IntArray) -> tuple[FloatArray, FloatArray]:
        """Losses `[n]` and residuals `[n, q]` of a prediction that reads nothing, from the other folds."""


@dataclass(frozen=True, eq=False)
class Categorical:
    """Softmax over few action levels; `target` holds one-hot rows or the policy's own probabilities `[n, K]`.

    With the probabilities in hand the loss is the cross-entropy of the policy itself, free of the luck of the
    draw.
    """

    target: Tensor

    @property
    def known(self) -> Tensor:
        """The target."""
        return self.target

    def drawn(self) -> FloatArray:
        """Variance of one draw from each row; nothing for one-hot rows."""
        return (self.target * (1 - self.target)).double().mean(0).numpy()

    @property
    def n_outputs(self) -> int:
        """One logit per level."""
        return self.target.shape[1]

    def first_bias(self) -> Tensor:
        """Log of the observed shares."""
        return torch.log(self.target.mean(0) + 1e-6)

    def loss(self, outputs: Tensor, rows: Tensor) -> Tensor:
        """Cross-entropy against the target."""
        return -(self.target[rows] * functional.log_softmax(outputs, -1)).sum(-1)

    def residual(self, outputs: Tensor, rows: Tensor) -> Tensor:
        """Target minus predicted probabilities."""
        return self.target[rows] - functional.softmax(outputs, -1)

    def unconditional(self, folds: IntArray) -> tuple[FloatArray, FloatArray]:
        """Frequencies of the levels in the other folds."""
        target = self.target.numpy().astype(np.float64)
        expected = np.empty_like(target)
        for fold in range(int(folds.max()) + 1):
            counts = target[folds != fold].sum(0) + 0.5
            expected[folds == fold] = counts / counts.sum()
        return -(target * np.log(expected)).sum(1), target - expected


@dataclass(frozen=True, eq=False)
class LogisticMixture:
    """Each action dimension as a mixture of discretised logistic densities, the later ones given the earlier.

    The probability of a bin is sigmoid(up) - sigmoid(down), taken in logs as
    log(1 - e^(down - up)) + log sigmoid(up) + log sigmoid(-down). Bins make integers and continuous actions
    alike, and keep the information of a deterministic policy finite.

    Attributes:
        target: Standardised actions `[n, k]`.
        half_width: Half a bin, in standard deviations, `[k]`.
        n_components: Logistics per dimension.
        expected: Mean and variance of the action by the policy's probabilities `[n, 2]`, or None; residuals
            of means are free of the luck of the draw.
    """

    target: Tensor
    half_width: Tensor
    n_components: int = 3
    expected: Tensor | None = None

    @property
    def known(self) -> Tensor:
        """The actions, or their means."""
        return self.target if self.expected is None else self.expected[:, :1]

    def drawn(self) -> FloatArray:
        """Mean variance of one draw."""
        if self.expected is None:
            return np.zeros(self.target.shape[1])
        return self.expected[:, 1:].double().mean(0).numpy()

    @property
    def n_outputs(self) -> int:
        """Weight, place and scale per component, and the coupling of later dimensions to earlier ones."""
        k = self.target.shape[1]
        return 3 * self.n_components * k + k * (k - 1) // 2

    def first_bias(self) -> Tensor:
        """Components spread over the range, moderately wide."""
        k = self.target.shape[1]
        bias = torch.zeros(k, 3, self.n_components)
        bias[:, 1] = torch.linspace(-1, 1, self.n_components) if self.n_components > 1 else 0.0
        bias[:, 2] = -0.7
        return torch.cat([bias.flatten(), torch.zeros(k * (k - 1) // 2)])

    def _parts(self, outputs: Tensor, actions: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        k = actions.shape[-1]
        size = 3 * self.n_components * k
        weight, place, scale = outputs[..., :size].unflatten(-1, (k, 3, self.n_components)).unbind(-2)
        if k > 1:
            place = place + _coupling(outputs[..., size:], actions).unsqueeze(-1)
        return functional.log_softmax(weight, -1), place, scale.clamp(min=SMALLEST_LOG_SCALE)

    def loss(self, outputs: Tensor, rows: Tensor) -> Tensor:
        """Minus log probability of the bin, summed over dimensions."""
        actions = self.target[rows]
        weight, place, scale = self._parts(outputs, actions)
        inverse = torch.exp(-scale)
        middle = (actions.unsqueeze(-1) - place) * inverse
        half = self.half_width.unsqueeze(-1) * inverse
        up, down = middle + half, middle - half
        bin_mass = (
            functional.logsigmoid(up) + functional.logsigmoid(-down) + torch.log(-torch.expm1(-2 * half))
        )
        return -torch.logsumexp(weight + bin_mass, -1).sum(-1)

    def residual(self, outputs: Tensor, rows: Tensor) -> Tensor:
        """Action, or its mean, minus the mean of the mixture."""
        weight, place, _ = self._parts(outputs, self.target[rows])
        return self.known[rows] - (weight.exp() * place).sum(-1)

    def unconditional(self, folds: IntArray) -> tuple[FloatArray, FloatArray]:
        """A histogram of each dimension in the other folds, less what the earlier dimensions predict."""
        target, width = self.target.numpy().astype(np.float64), 2 * self.half_width.numpy()
        losses = np.zeros(len(target))
        for j, bin_width in enumerate(width):
            before = target[:, :j]
            column = target[:, j] - before @ np.linalg.lstsq(before, target[:, j], rcond=None)[0]
            losses -= np.log(np.minimum(_histogram_density(column, folds, float(bin_width)) * bin_width, 1.0))
        known = self.known.numpy().astype(np.float64)
        return losses, known - known.mean(0)


def _coupling(coefficients: Tensor, actions: Tensor) -> Tensor:
    """Shift of each dimension's place by the earlier ones of the same action (chain rule of entropy)."""
    k = actions.shape[-1]
    later, earlier = torch.tril_indices(k, k, -1)
    shift = torch.zeros_like(actions)
    return shift.index_add(-1, later, coefficients * actions[..., earlier])


def likelihood_of(data: Trajectories) -> Likelihood:
    """The likelihood that fits the actions: of levels if they are few or labels, else of numbers.

    Example:
        >>> from terc.trajectories.data import Trajectories
        >>> type(likelihood_of(Trajectories(np.eye(4), [0, 1, 1, 0]))).__name__
        'Categorical'
        >>> type(likelihood_of(Trajectories(np.eye(4), [0.1, 1.5, 1.7, 0.2]))).__name__
        'LogisticMixture'
    """
    known, labels = data.probabilities, data.action_labels
    if known is not None and (known.shape[1] <= MOST_CLASSES or labels is not None):
        return Categorical(torch.tensor(known, dtype=torch.float32))
    if data.action_kind == "discrete":
        levels, codes = np.unique(data.actions, return_inverse=True)
        if known is None and (len(levels) <= MOST_CLASSES or labels is not None):
            return Categorical(functional.one_hot(torch.as_tensor(codes)).float())
    mixture = _mixture(np.asarray(data.actions, dtype=np.float64).reshape(len(data), -1))
    return mixture if known is None else replace(mixture, expected=_expected(mixture, data.actions, known))


def _expected(mixture: LogisticMixture, actions: NDArray[Any], probabilities: FloatArray) -> Tensor:
    """Mean and variance `[n, 2]` of the standardised action under the probabilities of actions 0, 1, ..."""
    levels, first = np.unique(actions, return_index=True)
    places = np.interp(np.arange(probabilities.shape[1]), levels, mixture.target[first, 0].numpy())
    mean = probabilities @ places
    return torch.as_tensor(np.stack([mean, probabilities @ places**2 - mean**2], 1), dtype=torch.float32)


def _mixture(actions: FloatArray) -> LogisticMixture:
    scores = np.stack([standard_scores(column) for column in actions.T], axis=1)
    # Bins as wide as the smallest gap where the values are few (integers), else a fiftieth of the spread.
    gaps = [_smallest_gap(column) for column in scores.T]
    half = np.maximum(np.array(gaps), RESOLUTION) / 2
    return LogisticMixture(
        torch.as_tensor(scores, dtype=torch.float32), torch.as_tensor(half, dtype=torch.float32)
    )


def _histogram_density(column: FloatArray, folds: IntArray, bin_width: float) -> FloatArray:
    """Density at each value by a histogram of the other folds, in multiples of `bin_width`."""
    low, span = column.min() - bin_width / 2, np.ptp(column) + bin_width
    width = bin_width * max(1, round(span / bin_width / HISTOGRAM_BINS))
    place = ((column - low) / width + 1e-9).astype(np.int64)
    density = np.empty(len(column))
    for fold in range(int(folds.max()) + 1):
        counts = np.bincount(place[folds != fold], minlength=int(place.max()) + 1) + 0.5
        density[folds == fold] = (counts / counts.sum() / width)[place[folds == fold]]
    return density


def _smallest_gap(scores: FloatArray) -> float:
    levels = np.unique(np.round(scores, 9))
    return float(np.diff(levels).min()) if 1 < len(levels) <= MOST_LEVELS else RESOLUTION
