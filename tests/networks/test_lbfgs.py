"""L-BFGS beside scipy's."""

import numpy as np
from scipy.optimize import minimize

from terc.networks.lbfgs import minimised


def test_it_ends_where_scipys_does():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((300, 8)), rng.random(300) < 0.3

    def loss(w):
        score = x @ w
        chance = 1 / (1 + np.exp(-score))
        return float(np.logaddexp(0, score).sum() - score[y].sum() + w @ w), x.T @ (chance - y) + 2 * w

    theirs = minimize(loss, np.zeros(8), jac=True, method="L-BFGS-B", options={"ftol": 1e-12})
    ours = minimised(loss, np.zeros(8), iterations=100, converged=1e-12)
    assert np.allclose(ours, theirs.x, atol=1e-4)


def test_it_stays_where_nothing_falls():
    start = np.array([1.0, 2.0])
    assert minimised(lambda x: (0.0, np.zeros_like(x)), start, iterations=5, converged=0.0).tolist() == [1, 2]
