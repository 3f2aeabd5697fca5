"""Markov boundaries by others: IAMB with G-tests, and one who knows the boundary and tests each member."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import stats
from sklearn.linear_model import LogisticRegression

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


def shown(data: Trajectories, boundary: Sequence[str], alpha: float = 0.05) -> tuple[str, ...]:
    """The members of a known boundary that the rows can show: what no search can be expected to exceed.

    A likelihood-ratio test of two softmax regressions, on all members and on all but one, at alpha over the
    number of variables. Members that act only together with others are beyond it.
    """
    codes = {name: _compact(data.states[:, data.column(name)].astype(np.int64)) for name in boundary}
    full, freedom = _regression(data, [codes[name] for name in boundary])
    found = []
    for name in boundary:
        fewer, left = _regression(data, [codes[other] for other in boundary if other != name])
        if stats.chi2.sf(2 * (full - fewer), freedom - left) * len(data.names) < alpha:
            found.append(name)
    return tuple(found)


def _regression(data: Trajectories, columns: Sequence[Codes]) -> tuple[float, int]:
    """Log likelihood and parameters of a softmax regression of the action on the levels of some columns."""
    hot = np.concatenate([np.ones((len(data), 1)), *(np.eye(c.max() + 1)[c][:, 1:] for c in columns)], axis=1)
    model = LogisticRegression(C=1e4, max_iter=2000, fit_intercept=False).fit(hot, data.actions)
    chances = model.predict_log_proba(hot)
    acted = np.searchsorted(model.classes_, data.actions)
    return float(np.take_along_axis(chances, acted[:, None], 1).sum()), hot.shape[1] * (
        len(model.classes_) - 1
    )


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
