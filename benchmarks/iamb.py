"""IAMB with G-tests: the classical way to a Markov boundary, as a rival on the same rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import stats

from terc.trajectories.data import Trajectories

Codes = npt.NDArray[np.int64]

ROWS_PER_FREEDOM = 5


def iamb(data: Trajectories, alpha: float = 0.01) -> tuple[str, ...]:
    """Grow by the strongest association given what is in, then shrink by tests, as it is usually run.

    Args:
        data: Discrete variables and action.
        alpha: Level of each test.
    """
    codes = [_compact(column.astype(np.int64)) for column in data.states.T]
    action = _compact(np.asarray(data.actions, dtype=np.int64))
    inside: list[int] = []
    while True:
        tests = {j: _g_test(action, codes, j, inside) for j in range(len(codes)) if j not in inside}
        sure = {j: gain for j, (p, gain) in tests.items() if p < alpha}
        if not sure:
            break
        inside.append(max(sure, key=lambda j: sure[j]))
    for j in list(inside):
        rest = [i for i in inside if i != j]
        if _g_test(action, codes, j, rest)[0] >= alpha:
            inside = rest
    return tuple(data.names[j] for j in sorted(inside))


def _g_test(action: Codes, codes: Sequence[Codes], j: int, given: Sequence[int]) -> tuple[float, float]:
    """p-value and statistic of the G-test of A and X_j given some columns.

    Degrees of freedom are those of the whole table, occupied or not; tables with fewer than five rows per
    degree count as independent. Both are the usual conventions.
    """
    strata = np.zeros(len(action), dtype=np.int64)
    for i in given:
        strata = _compact(strata * (int(codes[i].max()) + 1) + codes[i])
    shape = (int(strata.max()) + 1, int(codes[j].max()) + 1, int(action.max()) + 1)
    cells = (strata * shape[1] + codes[j]) * shape[2] + action
    table = np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape).astype(float)
    row, column, total = (
        table.sum(2, keepdims=True),
        table.sum(1, keepdims=True),
        table.sum((1, 2), keepdims=True),
    )
    expected = np.divide(row * column, total, out=np.zeros_like(table), where=total > 0)
    ratio = np.divide(table, expected, out=np.ones_like(table), where=(table > 0) & (expected > 0))
    g = 2 * float((table * np.log(ratio)).sum())
    freedom = float(np.prod([codes[i].max() + 1.0 for i in given])) * (shape[1] - 1) * (shape[2] - 1)
    if freedom == 0 or len(action) < ROWS_PER_FREEDOM * freedom:
        return 1.0, 0.0
    return float(stats.chi2.sf(g, freedom)), g


def _compact(codes: Codes) -> Codes:
    """The codes renumbered 0..K-1 in the order of their values."""
    shifted = codes - codes.min()
    return np.asarray((np.cumsum(np.bincount(shifted) > 0) - 1)[shifted], dtype=np.int64)
