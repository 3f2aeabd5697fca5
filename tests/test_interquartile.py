"""The interquartile mean against hand counts and scipy; the band against theory."""

import numpy as np
import pytest
from scipy import stats

from terc.interquartile import bootstrap_band, interquartile_mean


@pytest.mark.parametrize("runs", [4, 8, 40])
def test_equals_the_trimmed_mean_where_quarters_are_whole(runs, seed):
    values = np.random.default_rng(seed).normal(size=(runs, 7))
    np.testing.assert_allclose(interquartile_mean(values), stats.trim_mean(values, 0.25, axis=0))


def test_by_hand_where_they_are_not():
    assert interquartile_mean([5.0]) == 5.0
    assert interquartile_mean([1.0, 3.0]) == 2.0
    assert interquartile_mean([0.0, 6.0, 100.0]) == pytest.approx((0.25 * 0 + 6 + 0.25 * 100) / 1.5)
    assert interquartile_mean([0, 1, 2, 3, 100]) == pytest.approx((0.75 * 1 + 2 + 0.75 * 3) / 2.5)


def test_one_wild_run_of_eight_does_not_move_it():
    calm = np.arange(8.0)
    wild = np.append(calm[:-1], 1e6)
    assert interquartile_mean(calm) == interquartile_mean(wild)


def test_works_along_any_axis():
    values = np.random.default_rng(1).normal(size=(3, 5, 4))
    np.testing.assert_allclose(interquartile_mean(values, axis=1)[2, 3], interquartile_mean(values[2, :, 3]))


def test_band_holds_the_truth_about_as_often_as_it_says(seed):
    rng = np.random.default_rng(seed)
    inside = 0
    for _ in range(150):
        low, high = bootstrap_band(rng.normal(size=(24, 1)), rng=rng, draws=300)
        inside += low[0] <= 0.0 <= high[0]
    assert 0.84 <= inside / 150 <= 1.0


def test_band_narrows_with_more_runs():
    rng = np.random.default_rng(0)
    widths = []
    for runs in (5, 80):
        low, high = bootstrap_band(rng.normal(size=(runs, 3)), rng=rng)
        assert (low <= high).all()
        widths.append((high - low).mean())
    assert widths[1] < widths[0] / 2
