"""Columns within episodes."""

from __future__ import annotations

import numpy as np
import pytest

from terc.synthetic.columns import mostly
from terc.synthetic.series import Steps


def steps(n: int, length: int) -> Steps:
    return Steps(n, length, np.random.default_rng(0))


def test_runs_are_stationary_and_begin_anew() -> None:
    series = steps(200_000, 50).smooth(0.9)[:, :, 0]
    assert series[0].std() == pytest.approx(1, abs=0.05)
    assert series[-1].std() == pytest.approx(1, abs=0.05)
    assert np.corrcoef(series[10], series[11])[0, 1] == pytest.approx(0.9, abs=0.02)


def test_sticky_bits_stay_and_are_fair() -> None:
    bits = steps(120_000, 40).sticky(0.95)[:, :, 0]
    assert bits.mean() == pytest.approx(0.5, abs=0.02)
    assert (bits[1:] == bits[:-1]).mean() == pytest.approx(0.95, abs=0.005)


def test_order_and_lags_keep_to_the_episode() -> None:
    five = steps(5, 3)
    series = np.arange(5)[:, None] + 10 * np.arange(five.count)
    assert five.episodes.tolist() == [0, 0, 0, 1, 1]
    assert five.in_order(series).tolist() == [2, 3, 4, 12, 13]
    assert five.in_order(series, 2).tolist() == [0, 1, 2, 10, 11]
    assert list(five.stack(2, a=series, b=series)) == ["a_0", "a_1", "b_0", "b_1"]


def test_noise_is_of_six_kinds() -> None:
    columns = steps(600, 60).noise(7)
    assert [len(np.unique(values)) for values in columns.values()][2:5:2] == [2, 7]
    assert len(columns) == 7


def test_slips_go_anywhere() -> None:
    assert mostly(np.array([2]), 4, 0.2)[0] == pytest.approx([0.05, 0.05, 0.85, 0.05])
