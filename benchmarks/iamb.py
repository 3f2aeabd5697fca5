"""IAMB with G-tests: the classical way to a Markov boundary, as a rival on the same rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import stats

from terc.entropy.base import Array
from terc.entropy.counting import compact, encode
from terc.trajectories.data import Trajectories

ROWS_PER_FREEDOM = 5


def iamb(data: Trajectories, alpha: float = 0.01) -> tuple[str, ...]:
    """Grow by the strongest association given what is in, then shrink by tests, as it is usually run.

    Args:
        data: Discrete variables and action.
        alpha: Level of each test.
    """
    codes = [compact(column.astype(np.int64)) for column in data.states.T]
    action = compact(np.asarray(data.actions, dtype=np.int64))
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


def _g_test(action: Array, codes: Sequence[Array], j: int, given: Sequence[int]) -> tuple[float, float]:
    """p-value and statistic of the G-test of A and X_j given some columns.

    Degrees of freedom are those of the whole table, occupied or not; tables with fewer than five rows per
    degree count as independent. Both are the usual conventions.
    """
    strata = (
        encode(np.stack([codes[i] for i in given], axis=1))
        if given
        else np.zeros(len(action), dtype=np.int64)
    )
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
