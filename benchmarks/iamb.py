"""IAMB with G-tests: the classical way to a Markov boundary, as a rival on the same rows."""

from __future__ import annotations

import numpy as np
from scipy import stats

from terc.entropy.counting import compact, encode
from terc.trajectories.data import Trajectories


def iamb(data: Trajectories, alpha: float = 0.01) -> tuple[str, ...]:
    """Grow by the strongest association given what is in, then shrink by tests; alpha as usually chosen.

    Args:
        data: Discrete variables and action.
        alpha: Level of each test.
    """
    codes = [compact(column.astype(np.int64)) for column in data.states.T]
    action = compact(np.asarray(data.actions, dtype=np.int64))
    inside: list[int] = []
    while True:
        tests = {
            j: _g_test(action, codes[j], _joint(codes, inside)) for j in range(len(codes)) if j not in inside
        }
        sure = {j: gain for j, (p, gain) in tests.items() if p < alpha}
        if not sure:
            break
        inside.append(max(sure, key=lambda j: sure[j]))
    for j in list(inside):
        rest = [i for i in inside if i != j]
        if _g_test(action, codes[j], _joint(codes, rest))[0] >= alpha:
            inside = rest
    return tuple(data.names[j] for j in sorted(inside))


def _joint(codes: list[np.ndarray], columns: list[int]) -> np.ndarray:
    if not columns:
        return np.zeros(len(codes[0]), dtype=np.int64)
    return encode(np.stack([codes[j] for j in columns], axis=1))


def _g_test(action: np.ndarray, x: np.ndarray, given: np.ndarray) -> tuple[float, float]:
    """p-value of G with the degrees of freedom of the occupied strata, and G itself for ranking."""
    levels_a, levels_x, strata = action.max() + 1, x.max() + 1, given.max() + 1
    table = np.bincount((given * levels_x + x) * levels_a + action, minlength=strata * levels_x * levels_a)
    table = table.reshape(strata, levels_x, levels_a).astype(float)
    row, column, total = (
        table.sum(2, keepdims=True),
        table.sum(1, keepdims=True),
        table.sum((1, 2), keepdims=True),
    )
    expected = np.divide(row * column, total, out=np.zeros_like(table), where=total > 0)
    ratio = np.divide(table, expected, out=np.ones_like(table), where=(table > 0) & (expected > 0))
    g = 2 * float((table * np.log(ratio)).sum())
    freedom = float((((row > 0).sum((1, 2)) - 1).clip(0) * ((column > 0).sum((1, 2)) - 1).clip(0)).sum())
    return (float(stats.chi2.sf(g, freedom)), g) if freedom else (1.0, 0.0)
