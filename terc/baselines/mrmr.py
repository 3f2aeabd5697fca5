"""mRMR (Peng and others, 2005): greedily the variable that carries most and repeats least."""

import numpy as np
from scipy import special, stats

from terc.arrays import Booleans, Floats, Integers
from terc.baselines.scored import Made, answered, by_decision, check, own_stream
from terc.progress import Report
from terc.selection.result import Selection
from terc.trajectories.data import Trajectories

BINS = 10
SHUFFLES = 20


def mrmr(  # noqa: PLR0913  (one argument per setting; all but one have a default)
    data: Trajectories,
    count: int | None = None,
    bins: int = BINS,
    alpha: float = 0.05,
    n_jobs: int = 1,
    seed: int = 0,
    progress: bool | Report = False,
) -> Selection:
    """Minimum redundancy, maximum relevance: I(A; X_j) minus the mean of I(X_j; X_s) over the chosen.

    The method has no stopping rule of its own. Without `count` it continues while the best candidate's
    relevance clears what its own shuffled rows reach and its score is above zero: what it repeats must not
    outweigh what it carries. Information is counted over quantile bins. It sees pairs only: XOR has no
    relevance. The few lines are our own; the packages that have it bring much else.

    Args:
        count: Variables to keep; None lets the null model decide.
        bins: Quantile bins of variables and actions with more levels than that.
        alpha: Error rate over all variables of the comparison with shuffled rows.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> x = rng.standard_normal((2000, 3))
        >>> x = np.column_stack([x, x[:, 0]])
        >>> data = Trajectories(x, x[:, 0] + x[:, 1], names=["a", "b", "noise", "copy of a"])
        >>> mrmr(data).kept
        ('a', 'b')
    """
    del n_jobs
    check("mrmr", alpha=alpha, bins=bins, count=count)
    config = {"count": count, "bins": bins, "alpha": float(alpha), "seed": seed}
    made, rng = Made("mrmr", "relevance minus mean redundancy", config), own_stream(seed)

    def find(data: Trajectories, candidates: list[int], report: Report) -> Selection:
        codes = [_codes(data.states[:, j], bins, data.names[j] in data.nominal) for j in candidates]
        action = _action_codes(data, bins)
        relevance = np.array([mutual_information(column, action) for column in codes])
        sure = relevance > _bars(codes, action, alpha / len(codes), rng=rng) if count is None else None
        gains, chosen = _greedy(codes, relevance, sure, count or len(candidates), report)
        return by_decision(data, candidates, [k in chosen for k in range(len(codes))], gains, made)

    return answered(data, made, progress, find)


def _greedy(
    codes: list[Integers], relevance: Floats, sure: Booleans | None, count: int, report: Report
) -> tuple[Floats, list[int]]:
    """Scores when each variable was last asked, and those chosen, in order."""
    redundancy = np.zeros(len(codes))
    scores, chosen = relevance.copy(), list[int]()
    while len(chosen) < min(count, len(codes)):
        report(len(chosen), min(count, len(codes)), "mrmr")
        left = [k for k in range(len(codes)) if k not in chosen]
        scores[left] = relevance[left] - redundancy[left] / max(1, len(chosen))
        able = left if sure is None else [k for k in left if sure[k] and scores[k] > 0]
        if not able:
            break
        best = max(able, key=lambda k: float(scores[k]))
        chosen.append(best)
        redundancy += [mutual_information(column, codes[best]) for column in codes]
    return scores, chosen


def _bars(codes: list[Integers], action: Integers, alpha: float, *, rng: np.random.Generator) -> Floats:
    """What each variable's relevance must clear: a normal quantile of that of its shuffled rows."""
    shuffled = ([rng.permutation(column) for _ in range(SHUFFLES)] for column in codes)
    null = np.array([[mutual_information(one, action) for one in each] for each in shuffled])
    bars: Floats = null.mean(1) + stats.norm.isf(alpha) * null.std(1, ddof=1)
    return bars


def mutual_information(one: Integers, other: Integers) -> float:
    """I of two columns of codes by counting, less the bias of counting (Miller and Madow), in nats.

    Example:
        >>> bits = np.tile([0, 1], 5000)
        >>> round(mutual_information(bits, bits), 3)
        0.693
    """
    joint = one * (int(other.max()) + 1) + other
    return _entropy(one) + _entropy(other) - _entropy(joint)


def _entropy(codes: Integers) -> float:
    counts = np.bincount(codes)
    bias = (np.count_nonzero(counts) - 1) / (2 * len(codes))
    return float(special.entr(counts / len(codes)).sum() + bias)


def _codes(column: Floats, bins: int, nominal: bool) -> Integers:
    levels, codes = np.unique(column, return_inverse=True)
    if not nominal and len(levels) > bins:
        edges = np.unique(np.quantile(column, np.arange(1, bins) / bins))
        codes = np.searchsorted(edges, column, side="right")
    return codes.reshape(-1).astype(np.int64)


def _action_codes(data: Trajectories, bins: int) -> Integers:
    """The action as one column of codes; several continuous dimensions are binned in three each."""
    columns = np.asarray(data.actions, dtype=np.float64).reshape(len(data), -1)
    each = bins if columns.shape[1] == 1 else 3
    joint = np.zeros(len(data), dtype=np.int64)
    for column in columns.T:
        codes = _codes(column, each, data.action_labels is not None)
        joint = np.unique(joint * (int(codes.max()) + 1) + codes, return_inverse=True)[1].reshape(-1)
    return joint.astype(np.int64)
