"""The paired test of two losses: its error, its rate of false alarms, its floor."""

import numpy as np
import pytest
from scipy import stats

from terc.entropy.evidence import Evidence, Level
from terc.entropy.loss_test import paired_evidence
from terc.predictors.splits import Splits, split

LEVEL = Level(alpha=0.05, tests=1, floor=0.0)


def independent(n):
    return Splits(np.arange(n) % 3, np.arange(n), np.zeros((n, 0)))


def test_gain_and_error_of_independent_steps(rng):
    difference = rng.normal(0.3, 2.0, 9000)
    found = paired_evidence(difference, independent(9000), LEVEL, "networks")
    assert found.gain == pytest.approx(difference.mean())
    assert found.error == pytest.approx(2 / np.sqrt(9000), rel=0.6)
    assert found.error >= 0.99 * difference.std() / np.sqrt(9000)
    assert (found.needed, found.instrument) == (True, "networks")
    low, high = found.interval
    assert high - low == pytest.approx(2 * 1.96 * found.error)


def test_steps_of_an_episode_count_once():
    rng = np.random.default_rng(0)
    per_episode = rng.standard_normal(100)
    difference = np.repeat(per_episode, 50)
    splits = split(np.repeat(np.arange(100), 50), rng=rng)
    found = paired_evidence(difference, splits, LEVEL, "")
    assert found.error >= 0.99 * per_episode.std(ddof=1) / 10


@pytest.mark.parametrize("episodes", [60, 600])
def test_false_alarms_are_as_rare_as_alpha_says(episodes):
    rng = np.random.default_rng(1)
    splits = split(np.repeat(np.arange(episodes), 600 // episodes), rng=rng)
    alarms = 0
    for _ in range(600):
        drift = np.repeat(rng.standard_normal(episodes), 600 // episodes)
        alarms += paired_evidence(drift + rng.standard_normal(600), splits, LEVEL, "").needed
    assert alarms / 600 < 0.07
    assert alarms > 3


def test_power():
    rng = np.random.default_rng(2)
    needed = [
        paired_evidence(rng.normal(0.2, 1, 900), split(np.arange(900), rng=rng), LEVEL, "").needed
        for _ in range(40)
    ]
    assert sum(needed) >= 35


def test_luck_of_one_fold_is_no_evidence():
    rng = np.random.default_rng(3)
    splits = independent(3000)
    # Two networks are equal, the third ended its training in a better place: sure by step, not by fold.
    difference = np.where(splits.folds == 0, 0.3, 0.0) + 0.1 * rng.standard_normal(3000)
    found = paired_evidence(difference, splits, LEVEL, "")
    assert found.gain / (difference.std() / np.sqrt(3000)) > 20
    assert not found.needed


def test_no_difference_at_all():
    found = paired_evidence(np.zeros(300), independent(300), LEVEL, "")
    assert (found.gain, found.error, found.p_value, found.needed) == (0.0, 0.0, 1.0, False)


def test_a_constant_difference_is_certain():
    found = paired_evidence(np.full(300, 0.5), independent(300), LEVEL, "")
    assert found.p_value < 1e-9
    assert found.needed
    assert not paired_evidence(np.full(300, -0.5), independent(300), LEVEL, "").needed


def test_p_is_one_sided_and_students(rng):
    difference = rng.normal(0, 1, 300)
    up, down = (paired_evidence(sign * difference, independent(300), LEVEL, "") for sign in (1, -1))
    assert up.p_value + down.p_value == pytest.approx(1)
    assert up.p_value == pytest.approx(stats.t.sf(up.gain / up.error, 299))


def test_a_level_wants_a_loss_both_sure_and_material():
    level = Level(alpha=0.05, tests=10, floor=0.01)
    assert level.passes(0.02, 0.004)
    assert not level.passes(0.02, 0.006)
    assert not level.passes(0.009, 0.0)
    assert level.passes(0.01, 0.0)


def test_the_null_line_is_where_noise_ends(rng):
    found = paired_evidence(rng.normal(0, 1, 3000), independent(3000), LEVEL, "")
    assert found.null_high == pytest.approx(1.645 * found.error, rel=1e-6)
    assert np.isnan(Evidence(0.0, 0.0, 1.0, False, "").null_high)


def test_what_is_held_throughout_a_cluster_is_half_as_sure(rng):
    splits = split(np.arange(900) // 3, rng=rng)
    difference = rng.normal(0.1, 1, 900)
    once, held = (paired_evidence(difference, splits, LEVEL, "", held=held) for held in (False, True))
    assert held.error == pytest.approx(2 * once.error)
    assert held.p_value > once.p_value
    columns = np.repeat(rng.integers(0, 9, (300, 1)), 3, axis=0)
    assert splits.hold(columns)
    assert not splits.hold(np.hstack([columns, np.arange(900)[:, None]]))
    assert not independent(900).hold(columns)
