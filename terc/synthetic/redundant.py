"""Redundancy and synergy: the paper's two data sets, disguised copies, parity, and a table of labels."""

import numpy as np

from terc.seeding import generator
from terc.synthetic import series
from terc.synthetic.columns import family, labelled, numbered, one_of, softmax
from terc.synthetic.labelled import Answer, Labelled


@family
def four_redundant(n: int = 10_000, *, seed: int = 0) -> Labelled:
    """The paper's Four Redundant Variables: A = x1 xor x2 xor x3, and x4, x5, x6 are copies of x1.

    Example:
        >>> four_redundant(100).is_exact(["x2", "x3", "x6"])
        True
    """
    return _xor_with_copies(n, seed, (("x1", "x4", "x5", "x6"), ("x2",), ("x3",)))


@family
def two_triplets(n: int = 10_000, *, seed: int = 0) -> Labelled:
    """The paper's Two Redundant Triplets: A = x1 xor x2 xor x3, and x4, x5, x6 copy x1, x2, x3.

    Example:
        >>> two_triplets(100).is_exact(["x1", "x5", "x3"]), two_triplets(100).is_exact(["x1", "x4", "x3"])
        (True, False)
    """
    return _xor_with_copies(n, seed, (("x1", "x4"), ("x2", "x5"), ("x3", "x6")))


def _xor_with_copies(n: int, seed: int, copies: Answer) -> Labelled:
    bits = generator(seed).integers(0, 2, (n, 3))
    columns = {name: bits[:, k] for k, names in enumerate(copies) for name in names}
    return labelled({name: columns[name] for name in sorted(columns)}, bits.sum(axis=1) % 2, copies)


@family
def parity(n: int = 10_000, *, seed: int = 0, bits: int = 16, needed: int = 4) -> Labelled:
    """The action is the parity of `needed` fair bits among `bits`: no smaller subset carries information."""
    rng = generator(seed)
    states = rng.integers(0, 2, (n, bits))
    chosen = np.sort(rng.choice(bits, needed, replace=False))
    actions = states[:, chosen].sum(axis=1) % 2
    return labelled(numbered("bit_", states), actions, [f"bit_{k}" for k in chosen])


_DISGUISES = {
    "linear": lambda x, rng: 3 * x + 2,
    "cube": lambda x, rng: x**3,
    "noisy": lambda x, rng: x + 0.01 * rng.standard_normal(x.shape),
}


@series.kind()
def copies(steps: series.Steps, kind: str = "linear", noise: int = 4) -> Labelled:
    """Three needed normal variables, each with a disguised copy, beside `noise` noise columns.

    The copy is 3 X + 2 ("linear"), X^3 ("cube") or X with 1 % noise ("noisy"). The action has three
    levels and is noisy, so that the 1 % disturbance is worth less than 1e-4 nats: either of a pair
    will do, both is one too many.
    """
    one_of("copies", "kind", kind, _DISGUISES)
    x = steps.rng.standard_normal((steps.n, 3))
    columns = numbered("x", x)
    columns |= {f"copy_{k}": _DISGUISES[kind](x[:, k], steps.rng) for k in range(3)}
    columns |= {f"noise_{k}": steps.rng.standard_normal(steps.n) for k in range(noise)}
    logits = np.column_stack([1.2 * x[:, 0] + 0.8 * x[:, 1], -1.2 * x[:, 1], 1.2 * x[:, 2]])
    return steps.drawn(columns, [(f"x{k}", f"copy_{k}") for k in range(3)], softmax(logits))


@series.kind()
def nominal_codes(steps: series.Steps, distractors: int = 9) -> Labelled:
    """Three label-coded variables decide by a random table over their 120 combinations; the others do not.

    One of four actions is right for each combination and is taken in 85 % of steps, otherwise any. Codes
    are drawn without order, so treating them as numbers misleads.
    """
    rng, levels = steps.rng, (6, 5, 4)
    needed = {f"label_{k}": rng.integers(0, count, steps.n) for k, count in enumerate(levels)}
    right = rng.integers(0, 4, levels)[tuple(needed.values())]
    columns = needed | {f"other_{k}": rng.integers(0, 3 + k % 5, steps.n) for k in range(distractors)}
    return steps.drawn(columns, needed, np.where(np.eye(4)[right] == 1, 0.85, 0.05), nominal=columns)
