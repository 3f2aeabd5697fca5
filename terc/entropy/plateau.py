"""When critics have been trained long enough."""

from dataclasses import dataclass

import numpy as np

from terc.arrays import Array


@dataclass(frozen=True)
class Plateau:
    """When training may end before its cap: the bound, averaged over windows of updates, has stopped to rise.

    Attributes:
        window: Updates per window.
        patience: Windows in a row without a new best before a critic counts as trained.
        tolerance: Nats by which a window must exceed the best so far to be a new best.
        share: The same as a share of the best so far; the larger of the two counts. On Cart Pole and Lunar
            Lander the bound rises by another 1 % between 1,000 and 4,000 updates, noise of the minibatches
            included.
        fewest: Updates that are made in any case; parities rest at zero before they rise.

    Example:
        >>> Plateau(window=50).fewest
        1000
    """

    window: int = 100
    patience: int = 5
    tolerance: float = 1e-3
    fewest: int = 1000
    share: float = 0.005


class Watch:
    """Averages the bounds over windows and tells which critics have stopped to rise."""

    def __init__(self, plateau: Plateau, m: int) -> None:
        self.plateau = plateau
        self.best, self.stale, self.sum = np.full(m, -np.inf), np.zeros(m), np.zeros(m)

    def see(self, values: Array, step: int) -> Array | None:
        """Mask of the critics that end with this update, or None."""
        self.sum += values
        if step % self.plateau.window:
            return None
        mean, self.sum = self.sum / self.plateau.window, np.zeros_like(self.sum)
        rise = np.maximum(self.plateau.share * self.best, self.plateau.tolerance)  # -inf before the first
        risen = mean > self.best + rise
        self.best = np.where(risen, mean, self.best)
        self.stale = np.where(risen, 0, self.stale + 1)
        ended = self.stale >= self.plateau.patience
        if step < self.plateau.fewest or not ended.any():
            return None
        self.best, self.stale, self.sum = self.best[~ended], self.stale[~ended], self.sum[~ended]
        return ended
