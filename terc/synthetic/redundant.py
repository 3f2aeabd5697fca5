"""Redundancy and synergy: the paper's two data sets, disguised copies, and parity."""

import numpy as np

from terc.arrays import Floats
from terc.seeding import generator
from terc.synthetic import series
from terc.synthetic.columns import labelled, one_of, softmax
from terc.synthetic.labelled import Labelled, singles


def four_redundant(n: int = 10_000, *, seed: int = 0) -> Labelled:
    """The paper's Four Redundant Variables: A = x1 xor x2 xor x3, and x4, x5, x6 are copies of x1.

    Example:
        >>> four_redundant(100).is_exact(["x2", "x3", "x6"])
        True
    """
    bits = generator(seed).integers(0, 2, (n, 3))
    return _xor_with_copies(bits.astype(np.float64), [0, 0, 0])


def two_triplets(n: int = 10_000, *, seed: int = 0) -> Labelled:
    """The paper's Two Redundant Triplets: A = x1 xor x2 xor x3, and x4, x5, x6 copy x1, x2, x3.

    Example:
        >>> two_triplets(100).is_exact(["x1", "x5", "x3"]), two_triplets(100).is_exact(["x1", "x4", "x3"])
        (True, False)
    """
    bits = generator(seed).integers(0, 2, (n, 3))
    return _xor_with_copies(bits.astype(np.float64), [0, 1, 2])


def _xor_with_copies(bits: Floats, copied: list[int]) -> Labelled:
    source = [0, 1, 2, *copied]
    columns = {f"x{k + 1}": bits[:, origin] for k, origin in enumerate(source)}
    answers = tuple(
        tuple(f"x{k + 1}" for k, origin in enumerate(source) if origin == needed) for needed in range(3)
    )
    return labelled(columns, (bits.sum(axis=1) % 2).astype(np.int64), answers)


def parity(n: int = 10_000, *, seed: int = 0, bits: int = 16, needed: int = 4) -> Labelled:
    """The action is the parity of `needed` fair bits among `bits`: no smaller subset carries information."""
    rng = generator(seed)
    states = rng.integers(0, 2, (n, bits))
    chosen = np.sort(rng.choice(bits, needed, replace=False))
    columns = {f"bit_{k}": states[:, k].astype(np.float64) for k in range(bits)}
    actions = states[:, chosen].sum(axis=1) % 2
    return labelled(columns, actions, singles(f"bit_{k}" for k in chosen))


_DISGUISES = {
    "linear": lambda x, rng: 3 * x + 2,
    "cube": lambda x, rng: x**3,
    "noisy": lambda x, rng: x + 0.01 * rng.standard_normal(x.shape),
}


@series.kind
def copies(n: int, rng: series.Rng, kind: str = "linear", noise: int = 4) -> series.Acted:
    """Three needed normal variables, each with a disguised copy, beside `noise` noise columns.

    The copy is 3 X + 2 ("linear"), X^3 ("cube") or X with 1 % noise ("noisy"). The action has three
    levels and is noisy, so that the 1 % disturbance is worth less than 1e-4 nats: either of a pair
    will do, both is one too many.
    """
    one_of("copies", "kind", kind, _DISGUISES)
    x = rng.standard_normal((n, 3))
    columns = {f"x{k}": x[:, k] for k in range(3)}
    columns |= {f"copy_{k}": _DISGUISES[kind](x[:, k], rng) for k in range(3)}
    columns |= {f"noise_{k}": rng.standard_normal(n) for k in range(noise)}
    logits = np.column_stack([1.2 * x[:, 0] + 0.8 * x[:, 1], -1.2 * x[:, 1], 1.2 * x[:, 2]])
    return series.Acted(columns, softmax(logits), tuple((f"x{k}", f"copy_{k}") for k in range(3)))
