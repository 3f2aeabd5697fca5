"""Episodes that come back step by step count once; what comes back by itself is left alone."""

import numpy as np
import pytest

import terc
from terc.selection.copies import without_copies


def recorded(states, actions, length):
    return terc.Trajectories(states, actions, episodes=np.arange(len(states)) // length)


def test_noise_that_was_recorded_twice_is_not_needed():
    rng = np.random.default_rng(1)
    states, actions = rng.normal(size=(1500, 4)), rng.integers(0, 3, 1500)
    found = terc.select(recorded(np.r_[states, states], np.r_[actions, actions], 30))
    assert found.kept == ()
    assert "50 of 100 episodes are copies of others" in next(
        note.text for note in found.notes if note.code == "copied-episodes"
    )


@pytest.mark.parametrize("change", ["state", "action", "order", "length"])
def test_an_episode_that_differs_in_one_step_is_no_copy(change):
    rng = np.random.default_rng(0)
    states, actions = rng.normal(size=(20, 2)), rng.integers(0, 2, 20)
    other, acted = states.copy(), actions.copy()
    if change == "state":
        other[7, 1] += 1e-9
    if change == "action":
        acted[7] = 1 - acted[7]
    if change == "order":
        other, acted = other[::-1], acted[::-1]
    lengths = [20, 19] if change == "length" else [20, 20]
    rows = np.r_[np.arange(20), 20 + np.arange(lengths[1])]
    data = terc.Trajectories(
        np.r_[states, other][rows], np.r_[actions, acted][rows], episodes=np.repeat([0, 1], lengths)
    )
    assert without_copies(data) is data


@pytest.mark.parametrize("length", [1, 5])
def test_bits_and_places_come_back_by_themselves(length):
    place = np.random.default_rng(0).integers(0, 50, 400)
    start = np.repeat(place[::length], length)[:400]
    data = recorded((start + np.arange(400) % length)[:, None], start % 2, length)
    assert without_copies(data) is data


def test_of_many_copies_one_is_left_in_its_place():
    rng = np.random.default_rng(0)
    states = rng.normal(size=(3, 10, 2))[[0, 1, 0, 2, 0, 1]].reshape(60, 2)
    once = without_copies(recorded(states, states[:, 0] > 0, 10))
    assert np.array_equal(once.states, states[[*range(20), *range(30, 40)]])
    assert once.n_episodes == 3


def test_a_recording_given_twice_counts_once():
    rng = np.random.default_rng(0)
    data = recorded(rng.normal(size=(600, 4)), rng.random(600) > 0.5, 10)
    found = terc.select(terc.Trajectories.concat([data, data]))
    assert found.kept == ()
    assert [note.text[:8] for note in found.notes if note.code == "copied-episodes"] == ["60 of 12"]


def test_policies_that_often_do_the_same_keep_their_episodes():
    rng = np.random.default_rng(0)
    starts = rng.normal(size=(600, 2))
    one = recorded(starts, starts[:, 0] > 0, 20)
    other = recorded(starts, np.where(np.arange(600) < 520, starts[:, 0] > 0, starts[:, 1] > 0), 20)
    found = terc.select(terc.Trajectories.concat([one, other]), policies="all")
    assert found.kept == ("x_0",)
    assert not [note for note in found.notes if note.code == "copied-episodes"]
