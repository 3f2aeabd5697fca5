import numpy as np
import pytest

from terc.entropy.contingency import corrected_for_groups, groups_of_steps, loss_by_counts
from terc.entropy.counting import CountedEntropies, compact, join


def permuted_within(actions, strata, rng):
    order, shuffled = np.argsort(strata, kind="stable"), np.lexsort((rng.random(len(actions)), strata))
    result = actions.copy()
    result[order] = actions[shuffled]
    return result


def a_table(rng, n, strata, cells, share):
    coarse = compact(rng.integers(0, strata, n))
    fine = join(coarse, compact(rng.integers(0, cells, n)))
    return compact((rng.random(n) < share).astype(np.int64)), coarse, fine


def test_the_loss_is_the_difference_of_the_entropies(rng):
    actions, coarse, fine = a_table(rng, 300, 5, 4, 0.4)
    loss = loss_by_counts(actions, coarse, fine)
    counted = CountedEntropies(np.stack([coarse, fine], axis=1), actions)
    assert loss.nats == pytest.approx(counted.h([0]) - counted.h([1]), abs=1e-12)
    assert 0 <= loss.excess <= loss.nats


def test_merged_rows_give_the_same_test(rng):
    actions, coarse, fine = a_table(rng, 400, 3, 3, 0.4)
    merged, index, counts = np.unique(join(fine, actions), return_index=True, return_counts=True)
    short = loss_by_counts(actions[index], coarse[index], fine[index], weights=counts.astype(float))
    full = loss_by_counts(actions, coarse, fine)
    assert short.p_value == pytest.approx(full.p_value, rel=1e-9)
    assert short.nats == pytest.approx(full.nats, abs=1e-12)


@pytest.mark.parametrize("strata, cells, share", [(3, 4, 0.5), (10, 10, 0.2), (1, 60, 0.3)])
def test_five_percent_of_the_permutations_within_strata_lie_in_the_tail(strata, cells, share, rng):
    actions, coarse, fine = a_table(rng, 120, strata, cells, share)
    p_values = [
        loss_by_counts(permuted_within(actions, coarse, rng), coarse, fine).p_value for _ in range(500)
    ]
    assert np.mean(np.array(p_values) < 0.05) == pytest.approx(0.05, abs=0.03)
    assert np.mean(np.array(p_values) < 0.2) == pytest.approx(0.2, abs=0.06)


@pytest.mark.parametrize("strata, cells, share", [(4, 2, 0.5), (50, 50, 0.5), (200, 4, 0.01), (1, 500, 0.5)])
def test_false_alarms_come_as_often_as_promised_however_sparse_the_table(strata, cells, share, rng):
    p_values = [loss_by_counts(*a_table(rng, 600, strata, cells, share)).p_value for _ in range(600)]
    assert np.mean(np.array(p_values) < 0.05) < 0.08
    assert np.mean(np.array(p_values) < 0.01) < 0.03


def test_steps_that_depend_on_each_other_do_not_fool_it(rng):
    alarms = {"steps": 0, "groups": 0}
    for _ in range(80):
        episodes = np.repeat(np.arange(40), 60)
        drift = (rng.integers(0, 4, (40, 1)) + np.cumsum(rng.random((40, 60)) < 0.1, axis=1)) % 4
        action = (rng.integers(0, 2, (40, 1)) + np.cumsum(rng.random((40, 60)) < 0.1, axis=1)) % 2
        fine, actions = compact(drift.ravel()), compact(action.ravel())
        coarse = np.zeros(len(fine), dtype=np.int64)
        loss = loss_by_counts(actions, coarse, fine)
        groups = groups_of_steps(episodes)
        alarms["steps"] += loss.p_value < 0.05
        alarms["groups"] += corrected_for_groups(loss, actions, coarse, fine, groups=groups).p_value < 0.05
    assert alarms["steps"] > 30
    assert alarms["groups"] < 12


def test_a_clear_signal_survives_the_correction(rng):
    bit = compact(rng.integers(0, 2, 4000))
    action = bit ^ (rng.random(4000) < 0.3)
    coarse = np.zeros(4000, dtype=np.int64)
    groups = groups_of_steps(np.repeat(np.arange(10), 400))
    loss = corrected_for_groups(loss_by_counts(action, coarse, bit), action, coarse, bit, groups=groups)
    assert loss.p_value < 1e-8
    assert "nats (p = " in str(loss)


def test_a_constant_action_or_a_single_cell_shows_nothing():
    same = np.zeros(50, dtype=np.int64)
    cells = np.arange(50) % 5
    assert loss_by_counts(same, same, cells).p_value == 1.0
    assert loss_by_counts(cells, same, same).p_value == 1.0


def test_groups_keep_episodes_whole_or_cut_few_long_ones():
    whole = groups_of_steps(np.repeat(np.arange(200), 5))
    assert whole.max() == 39
    assert all(len(set(whole[k : k + 5])) == 1 for k in range(0, 1000, 5))
    assert groups_of_steps(np.repeat(np.arange(12), 80)).max() == 11
    assert groups_of_steps(np.zeros(1000, dtype=np.int64)).max() == 23


def test_the_excess_of_a_clear_loss_is_the_loss_and_that_of_noise_nothing(rng):
    bit, noise, nothing = (
        compact(rng.integers(0, 2, 2000)),
        compact(rng.integers(0, 9, 2000)),
        np.zeros(2000, int),
    )
    clear, chance = loss_by_counts(bit, nothing, bit), loss_by_counts(bit, nothing, noise)
    assert clear.excess == pytest.approx(np.log(2), abs=0.002)
    assert chance.excess < 0.4 * chance.nats + 0.001
    unique = loss_by_counts(bit, nothing, np.arange(2000))
    assert (unique.nats, unique.excess) == (pytest.approx(np.log(2), abs=0.01), pytest.approx(0, abs=1e-9))


def test_the_error_is_that_of_repeated_draws(rng):
    found = []
    for _ in range(200):
        bit = compact(rng.integers(0, 2, 500))
        action = bit ^ (rng.random(500) < 0.2)
        found.append(loss_by_counts(action, np.zeros(500, dtype=np.int64), bit))
    assert np.mean([f.error for f in found]) == pytest.approx(np.std([f.excess for f in found]), rel=0.2)
