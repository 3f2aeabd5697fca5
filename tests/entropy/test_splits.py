"""Folds and clusters: whole episodes, balanced, and honest about what cannot be split."""

import numpy as np
import pytest

from terc.entropy.splits import FEW_EPISODES, MANY_FOLDS, MIN_CLUSTERS, N_FOLDS, split


def episodes_of(lengths):
    return np.repeat(np.arange(len(lengths)), lengths)


@pytest.fixture
def rng(seed):
    return np.random.default_rng(seed)


def test_a_fold_holds_whole_episodes_and_its_share_of_the_steps(rng):
    for n_episodes in rng.integers(60, 200, 20):
        lengths = rng.integers(1, 60, n_episodes)
        splits = split(episodes_of(lengths), rng=rng)
        assert all(len(np.unique(splits.folds[splits.clusters == e])) == 1 for e in range(len(lengths)))
        sizes = np.bincount(splits.folds)
        assert len(sizes) == splits.n_folds == (MANY_FOLDS if n_episodes < FEW_EPISODES else N_FOLDS)
        assert np.ptp(sizes) <= lengths.max()


def test_many_episodes_are_the_clusters(rng):
    episodes = episodes_of(rng.integers(1, 9, MIN_CLUSTERS))
    splits = split(episodes, rng=rng)
    np.testing.assert_array_equal(splits.clusters, episodes)
    assert splits.n_clusters == MIN_CLUSTERS
    assert splits.note == ""


@pytest.mark.parametrize("count", [1, 2, 5, 6, 20, MIN_CLUSTERS - 1])
def test_few_episodes_are_cut_into_enough_blocks_and_the_note_says_so(count, rng):
    episodes = episodes_of(rng.integers(100, 400, count))
    splits = split(episodes, rng=rng)
    assert splits.n_clusters >= MIN_CLUSTERS
    assert np.bincount(splits.clusters).max() <= len(episodes) // MIN_CLUSTERS
    assert all(len(np.unique(episodes[splits.clusters == c])) == 1 for c in range(splits.n_clusters))
    assert f"{splits.n_clusters} blocks of consecutive steps" in splits.note
    whole = count >= 2 * N_FOLDS
    units = episodes if whole else splits.clusters
    assert all(len(np.unique(splits.folds[units == unit])) == 1 for unit in range(units.max() + 1))
    assert ("held out" in splits.note) == (not whole)


@pytest.mark.parametrize(("count", "folds"), [(1, 6), (6, 3), (9, 4), (12, 6), (99, 6), (100, 3)])
def test_few_episodes_make_more_folds_of_two_at_least(count, folds, rng):
    assert split(episodes_of([100] * count), rng=rng).n_folds == folds
    assert split(episodes_of([20_000] * count), rng=rng).n_folds == 3


def test_one_single_episode_is_named_as_such(rng):
    note = split(np.zeros(1000, dtype=int), rng=rng).note
    assert note.startswith("one single episode: counted and held out in 50 blocks")


def test_clusters_are_numbered_in_order_of_the_rows(rng):
    splits = split(episodes_of([30, 500, 7, 90]), rng=rng)
    assert set(np.diff(splits.clusters)) == {0, 1}
    starts = splits.cluster_starts
    assert starts[0] == 0
    assert len(starts) == splits.n_clusters
    np.testing.assert_array_equal(splits.clusters[starts], np.arange(splits.n_clusters))
    lengths = np.diff([*starts, len(splits.clusters)])
    np.testing.assert_array_equal(lengths, np.bincount(splits.clusters))


def test_the_draw_depends_on_rng_alone():
    episodes = episodes_of([5] * 80)
    first, again, other = (split(episodes, rng=np.random.default_rng(k)).folds for k in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_as_few_steps_as_blocks(rng):
    splits = split(np.zeros(MIN_CLUSTERS, dtype=int), rng=rng)
    assert splits.n_clusters == MIN_CLUSTERS
    assert np.ptp(np.bincount(splits.folds)) <= 1
