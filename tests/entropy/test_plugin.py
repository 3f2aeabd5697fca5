"""Counting against brute force, and the held-out losses against sums done by hand."""

from collections import Counter
from itertools import combinations
from math import log

import numpy as np
import pytest

from terc.entropy.plugin import PluginEstimator
from terc.errors import BadValueError
from terc.predictors.splits import split
from terc.trajectories.data import Trajectories


def brute_force(states, actions, subset):
    """H(A | subset) by the definition, over a dictionary of rows."""
    cells = Counter(tuple(row[list(subset)]) for row in states)
    pairs = Counter((tuple(row[list(subset)]), a) for row, a in zip(states, actions, strict=True))
    return -sum(count / len(states) * log(count / cells[cell]) for (cell, _), count in pairs.items())


def test_every_subset_of_random_tables_equals_brute_force(rng):
    for _ in range(15):
        d, n = int(rng.integers(1, 5)), int(rng.integers(20, 300))
        states = np.column_stack([rng.integers(0, rng.integers(1, 5), n) for _ in range(d)])
        actions = (states.sum(1) + rng.integers(0, 3, n)) % 4
        subsets = [s for k in range(d + 1) for s in combinations(range(d), k)]
        data = Trajectories(states, actions, action_kind="discrete")
        h = PluginEstimator(held_out=False).conditional_entropies(data, subsets, rng=rng)
        np.testing.assert_allclose(h, [brute_force(states, actions, s) for s in subsets], atol=1e-6)


def test_held_out_losses_come_near_the_truth_from_both_sides_of_a_copy(rng):
    x = rng.integers(0, 2, (4000, 3))
    actions = x[:, 0] ^ x[:, 1] ^ (rng.random(4000) < 0.1)
    data = Trajectories(x, actions, episodes=np.arange(4000))
    h = PluginEstimator().conditional_entropies(data, [(), (0, 1), (0, 1, 2)], rng=rng)
    noise = -0.1 * log(0.1) - 0.9 * log(0.9)
    np.testing.assert_allclose(h, [log(2), noise, noise], atol=0.02)


def test_a_step_is_coded_by_the_other_folds_alone(rng):
    states, actions = rng.integers(0, 3, (60, 1)), rng.integers(0, 2, 60)
    data = Trajectories(states, actions, episodes=np.arange(60))
    folds = split(data.episodes, rng=np.random.default_rng(5)).folds
    losses = PluginEstimator(smoothing=2.0).losses(data, [(0,)], rng=np.random.default_rng(5))[0, 0]
    for t in range(60):
        others = folds != folds[t]
        prior = (np.bincount(actions[others], minlength=2) + 0.5) / (others.sum() + 1)
        cell = np.bincount(actions[others & (states[:, 0] == states[t, 0])], minlength=2)
        smoothed = (cell + 2.0 * prior) / (cell.sum() + 2.0)
        assert losses[t] == pytest.approx(-log(smoothed[actions[t]]), abs=1e-5)


def test_a_state_never_seen_costs_what_nothing_known_costs(rng):
    actions = np.resize([0, 0, 1], 90)
    states = np.array([[7], *([[1], [2]] * 45)][:90])
    data = Trajectories(states, actions, episodes=np.arange(90))
    losses = PluginEstimator().losses(data, [(), (0,)], rng=rng)[:, 0]
    assert losses[1, 0] == pytest.approx(losses[0, 0], abs=0.01)


def test_probabilities_are_counted_as_they_are(rng):
    x = rng.integers(0, 2, (500, 1))
    soft = np.where(x == 1, [[0.9, 0.1]], [[0.2, 0.8]])
    drawn = (rng.random(500) < soft[:, 1]).astype(int)
    data = Trajectories(x, drawn, probabilities=soft)
    exact = PluginEstimator(held_out=False).conditional_entropies(data, [(0,)], rng=rng)[0]
    assert exact == pytest.approx(-(soft * np.log(soft)).sum(1).mean(), abs=1e-6)


def test_continuous_actions_cannot_be_counted(rng):
    data = Trajectories(rng.integers(0, 2, (100, 1)), rng.standard_normal(100))
    with pytest.raises(BadValueError, match="needs discrete actions.*estimator='predictive' or 'auto'"):
        PluginEstimator().losses(data, [(0,)], rng=rng)


def test_continuous_columns_cannot_be_counted(rng):
    states = np.column_stack([rng.integers(0, 2, 100), rng.standard_normal(100)])
    data = Trajectories(states, rng.integers(0, 2, 100), names=["bit", "speed"])
    with pytest.raises(BadValueError, match=r"at most 64 different values.*\['speed'\] has more"):
        PluginEstimator().losses(data, [(0,)], rng=rng)


def test_labels_may_be_many(rng):
    labels = np.repeat(np.arange(100), 5)
    data = Trajectories(labels[:, None], labels % 2, nominal=[0])
    exact = PluginEstimator(held_out=False).conditional_entropies(data, [(0,)], rng=rng)
    assert exact[0] == pytest.approx(0, abs=1e-6)
