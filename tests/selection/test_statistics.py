"""Error rates over many data sets: nothing kept from noise but in the agreed share, real links found."""

import numpy as np
import pytest
from scipy import stats

import terc
from terc import synthetic


def at_most(rate, trials):
    """The largest count that a test with this error rate exceeds in less than one case of 100."""
    return int(stats.binom.isf(0.01, trials, rate))


def test_counted_noise_is_kept_as_rarely_as_alpha_says():
    """120 data sets, because counting is cheap: the rate itself is measured."""
    wrong = 0
    for seed in range(120):
        rng = np.random.default_rng(seed)
        x, a = rng.integers(0, 2, (300, 3)), rng.integers(0, 2, 300)
        data = terc.Trajectories(x, a, episodes=np.arange(300))
        wrong += bool(terc.select(data, "plugin", alpha=0.2, min_effect=0.0, seed=seed).kept)
    assert wrong <= at_most(0.2, 120)


def test_counted_noise_beside_a_needed_bit():
    wrong = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x = rng.integers(0, 2, (400, 4))
        data = terc.Trajectories(x, x[:, 0] ^ (rng.random(400) < 0.2), episodes=np.arange(400))
        kept = terc.select(data, seed=seed).kept
        assert "x_0" in kept
        wrong += kept != ("x_0",)
    assert wrong <= at_most(0.05, 20)


@pytest.mark.parametrize("make", [synthetic.pure_noise, synthetic.drifting_noise])
def test_noise_is_left_alone(make):
    kept = [terc.select(make(400, seed=seed, noise=4).data, seed=seed).kept for seed in range(5)]
    assert sum(map(bool, kept)) <= at_most(0.05, 5)


def test_links_worth_a_few_hundredths_of_a_nat_are_found():
    found = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        x = rng.integers(0, 2, (2000, 3))
        # p = 0.5 +- 0.12: I(A; x_0) = 0.029 nats.
        action = (rng.random(2000) < 0.38 + 0.24 * x[:, 0]).astype(int)
        data = terc.Trajectories(x, action, episodes=np.arange(2000))
        found += terc.select(data, seed=seed).kept == ("x_0",)
    assert found >= 9


def test_more_alpha_finds_no_less():
    for seed in range(15):
        rng = np.random.default_rng(seed)
        x = rng.integers(0, 2, (600, 3))
        action = (rng.random(600) < 0.3 + 0.3 * x[:, 0] + 0.12 * x[:, 1]).astype(int)
        data = terc.Trajectories(x, action, episodes=np.arange(600))
        strict, lax = (set(terc.select(data, "plugin", alpha=alpha).kept) for alpha in (1e-4, 0.2))
        assert strict <= lax
