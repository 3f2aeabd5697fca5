"""Adam with decoupled weight decay, in place; torch's own imports its compiler first, for two seconds."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

FORGET_MEAN, FORGET_SQUARE, TINY = 0.9, 0.999, 1e-8


class Adam:
    """First and second moments of the gradients of some parameters.

    Example:
        >>> weight = torch.tensor([4.0], requires_grad=True)
        >>> adam = Adam([weight])
        >>> for _ in range(400):
        ...     adam.step(torch.autograd.grad((weight**2).sum(), [weight]), rate=0.05)
        >>> bool(weight.abs() < 0.01)
        True
    """

    def __init__(self, parameters: Sequence[Tensor], weight_decay: float = 0.0) -> None:
        self.parameters, self.weight_decay, self.steps = list(parameters), weight_decay, 0
        self.means = [torch.zeros_like(parameter) for parameter in parameters]
        self.squares = [torch.zeros_like(parameter) for parameter in parameters]

    @torch.no_grad()
    def step(self, gradients: Sequence[Tensor], rate: float) -> None:
        """Move every parameter against its gradient, at most about `rate` far."""
        self.steps += 1
        first = rate / (1 - FORGET_MEAN**self.steps)
        second = (1 - FORGET_SQUARE**self.steps) ** 0.5
        for parameter, gradient, mean, square in zip(
            self.parameters, gradients, self.means, self.squares, strict=True
        ):
            mean.lerp_(gradient, 1 - FORGET_MEAN)
            square.mul_(FORGET_SQUARE).addcmul_(gradient, gradient, value=1 - FORGET_SQUARE)
            parameter.mul_(1 - rate * self.weight_decay)
            parameter.addcdiv_(mean, square.sqrt().div_(second).add_(TINY), value=-first)
