"""Mutual information from nearest neighbours, for continuous, discrete and mixed columns.

Kraskov, Stoegbauer and Grassberger (2004), with the treatment of ties of Gao et al. (2017), which makes it
exact counting where everything is discrete. All in nats. Distances are maxima over columns. The conditional
form is in `entropy.nearest_neighbours`.
"""

from collections.abc import Collection

import numpy as np
import numpy.typing as npt
from scipy import special
from scipy.spatial import cKDTree

from terc.errors import BadValueError

Reals = npt.NDArray[np.float64]

NEIGHBOURS = 5
FAR = 1e6
"""Distance between two labels: farther than any two numbers after `comparable`."""


def comparable(columns: npt.ArrayLike, labels: Collection[int] | bool = ()) -> Reals:
    """Columns on one scale: numbers become normal scores of their ranks, labels lie far apart.

    Mutual information does not change under increasing maps of single columns, and this makes the estimate
    the same for all of them: no answer depends on a unit, and no outlier decides who is a neighbour.

    Args:
        columns: `[n]` or `[n, k]`.
        labels: Which columns hold labels (nominal codes); True for all.

    Example:
        >>> comparable([10.0, 30.0, 20.0]).round(2).ravel().tolist()
        [-0.97, 0.97, 0.0]
    """
    table = np.asarray(columns, dtype=np.float64)
    table = table[:, None] if table.ndim == 1 else table
    nominal = range(table.shape[1]) if labels is True else (labels or ())
    scaled = [column * FAR if k in nominal else _normal_scores(column) for k, column in enumerate(table.T)]
    return np.stack(scaled, axis=1) if scaled else np.zeros((len(table), 0))


def _normal_scores(column: Reals) -> Reals:
    _, inverse, counts = np.unique(column, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - counts / 2
    scores: Reals = special.ndtri(middle / len(column))[inverse.reshape(-1)]
    return scores


def differential_entropy(x: npt.ArrayLike, *, k: int = NEIGHBOURS) -> float:
    """Entropy of a density in nats (Kozachenko and Leonenko 1987); moves with the unit, may be negative.

    Example:
        >>> x = np.random.default_rng(0).uniform(0, 2, 4000)
        >>> bool(abs(differential_entropy(x) - np.log(2)) < 0.05)
        True
    """
    points = np.asarray(x, dtype=np.float64)
    points = points[:, None] if points.ndim == 1 else points
    n, dimensions = points.shape
    reach = cKDTree(points).query(points, k=[k + 1], p=np.inf)[0][:, 0]
    apart = reach > 0
    if not apart.any():
        return -np.inf
    logs = np.log(2 * reach[apart]).mean()
    return float(special.digamma(n) - special.digamma(k) + dimensions * logs)


def local_mutual_information(x: Reals, y: Reals, *, k: int = NEIGHBOURS) -> Reals:
    """What each step adds to I(x; y) in nats `[n]`; the mean is the estimate, below zero by error at times.

    Args:
        x: `[n, p]` on one scale (`comparable`).
        y: `[n, q]` likewise.
        k: Neighbours; more lower the variance and raise the bias.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> bit = comparable(rng.integers(0, 2, 2000), labels=True)
        >>> bool(abs(local_mutual_information(bit, bit).mean() - np.log(2)) < 0.01)
        True
    """
    n = _checked(x, y, k)
    reach, tied = _reach(np.hstack([x, y]), k)
    local: Reals = special.digamma(tied) + np.log(n)
    local -= special.digamma(_within(x, reach)) + special.digamma(_within(y, reach))
    return local


def _checked(x: Reals, y: Reals, k: int) -> int:
    if len(x) != len(y):
        raise BadValueError(f"ksg: wanted as many rows in x as in y, got {len(x)} and {len(y)}.")
    if not 1 <= k < len(x):
        raise BadValueError(
            f"ksg: k must lie between 1 and the number of rows minus one, got k={k}, {len(x)} rows."
        )
    return len(x)


def _reach(points: Reals, k: int) -> tuple[Reals, Reals]:
    """Distance to the k-th neighbour, and how many points count as that near: k, or all that coincide."""
    tree = cKDTree(points)
    reach = tree.query(points, k=[k + 1], p=np.inf)[0][:, 0]
    near = np.full(len(points), float(k))
    tied = reach == 0
    if tied.any():
        _, inverse, counts = np.unique(points[tied], axis=0, return_inverse=True, return_counts=True)
        near[tied] = counts[inverse.reshape(-1)]
    return reach, near


def _within(points: Reals, reach: Reals) -> Reals:
    """Points nearer than `reach` to each, itself included; where `reach` is zero those that coincide."""
    if points.shape[1] == 0:
        return np.full(len(points), float(len(points)))
    inner = reach * (1 - 1e-10)
    if points.shape[1] == 1:
        ordered = np.sort(points[:, 0])
        upper = np.searchsorted(ordered, points[:, 0] + inner, side="right")
        return np.asarray(
            upper - np.searchsorted(ordered, points[:, 0] - inner, side="left"), dtype=np.float64
        )
    counts = cKDTree(points).query_ball_point(points, inner, p=np.inf, return_length=True)
    return np.asarray(counts, dtype=np.float64)
