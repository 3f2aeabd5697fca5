"""The cut that the scoring baselines share."""

import numpy as np
import pytest

from terc import Trajectories
from terc.baselines.scored import Made, by_null_model


def cut(values, null, alpha=None):
    data = Trajectories(np.tile([[0], [1]], (1, len(values))), [0, 1])
    return by_null_model(data, range(len(values)), values, null, Made("test", "scores", {}), alpha)


def test_the_papers_rule_to_the_letter():
    runs, null = np.array([[1.0, 2.0, 3.0]]), np.array([0.0, 0.1, 0.2])
    (row,) = cut(runs, [null]).verdicts
    assert row.low == pytest.approx(2 - 2 / np.sqrt(3)) and row.high == pytest.approx(2 + 2 / np.sqrt(3))
    assert row.null_high == pytest.approx(0.1 + 2 * 0.1 / np.sqrt(3))
    assert row.kept


def test_draws_that_differ_raise_the_bar():
    runs = np.array([[0.5, 0.5, 0.5]])
    assert cut(runs, [np.array([0.1, 0.1])]).kept
    assert not cut(runs, [np.array([0.0, 0.0]), np.array([0.4, 0.4])]).kept


def test_an_error_rate_over_many_variables_is_stricter(seed):
    rng = np.random.default_rng(seed)
    scores, null = rng.standard_normal((100, 10)), [rng.standard_normal(10)]
    strict, usual = cut(scores, null, 0.05), cut(scores, null)
    assert strict.verdicts[0].null_high > usual.verdicts[0].null_high
    assert len(strict.kept) <= len(usual.kept)


def test_noise_rarely_passes(seed):
    rng = np.random.default_rng(seed)
    assert len(cut(rng.standard_normal((400, 10)), [rng.standard_normal(10)]).kept) < 0.05 * 400
