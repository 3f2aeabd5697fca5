"""The cut that the scoring baselines share."""

import numpy as np
import pytest

from terc.baselines.scored import RepeatedScores, cut


def test_the_papers_rule_to_the_letter():
    runs, null = np.array([[1.0, 2.0, 3.0]]), np.array([0.0, 0.1, 0.2])
    judged = cut(RepeatedScores(runs, [null]))
    assert judged.low[0] == pytest.approx(2 - 2 / np.sqrt(3))
    assert judged.null_high == pytest.approx(0.1 + 2 * 0.1 / np.sqrt(3))
    assert judged.kept == [True]


def test_draws_that_differ_raise_the_bar():
    runs = np.array([[0.5, 0.5, 0.5]])
    assert cut(RepeatedScores(runs, [np.array([0.1, 0.1])])).kept == [True]
    assert cut(RepeatedScores(runs, [np.array([0.0, 0.0]), np.array([0.4, 0.4])])).kept == [False]


def test_an_error_rate_over_many_variables_is_stricter(seed):
    rng = np.random.default_rng(seed)
    scores = RepeatedScores(rng.standard_normal((100, 10)), [rng.standard_normal(10)])
    assert cut(scores, 0.05).null_high > cut(scores).null_high
    assert sum(cut(scores, 0.05).kept) <= sum(cut(scores).kept)


def test_noise_rarely_passes(seed):
    rng = np.random.default_rng(seed)
    scores = RepeatedScores(rng.standard_normal((400, 10)), [rng.standard_normal(10)])
    assert np.mean(cut(scores).kept) < 0.05
