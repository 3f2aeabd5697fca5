"""Columns within episodes."""

from __future__ import annotations

import numpy as np
import pytest

from terc.synthetic.series import distractors, in_order, lagged, mostly, runs, smooth, sticky


def test_runs_are_stationary_and_begin_anew() -> None:
    series = smooth((50, 4_000, 1), 0.9, rng=np.random.default_rng(0))[:, :, 0]
    assert series[0].std() == pytest.approx(1, abs=0.05)
    assert series[-1].std() == pytest.approx(1, abs=0.05)
    assert np.corrcoef(series[10], series[11])[0, 1] == pytest.approx(0.9, abs=0.02)


def test_sticky_bits_stay_and_are_fair() -> None:
    bits = sticky((40, 3_000, 1), 0.95, rng=np.random.default_rng(0))[:, :, 0]
    assert bits.mean() == pytest.approx(0.5, abs=0.02)
    assert (bits[1:] == bits[:-1]).mean() == pytest.approx(0.95, abs=0.005)


def test_order_and_lags_keep_to_the_episode() -> None:
    count, episodes = runs(5, 3)
    series = np.arange(5)[:, None] + 10 * np.arange(count)
    assert episodes.tolist() == [0, 0, 0, 1, 1]
    assert in_order(lagged(series, 0, 3), 5).tolist() == [2, 3, 4, 12, 13]
    assert in_order(lagged(series, 2, 3), 5).tolist() == [0, 1, 2, 10, 11]


def test_distractors_are_of_six_kinds() -> None:
    columns = distractors(600, 60, 7, rng=np.random.default_rng(0))
    assert [len(np.unique(values)) for values in columns.values()][2:5:2] == [2, 7]
    assert len(columns) == 7


def test_slips_go_anywhere() -> None:
    assert mostly(np.array([2]), 4, 0.2)[0] == pytest.approx([0.05, 0.05, 0.85, 0.05])
