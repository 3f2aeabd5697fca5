"""Nulls: nothing to find, whatever moves together by chance."""

from __future__ import annotations

import numpy as np
import pytest

from terc.errors import BadValueError, UnknownNameError
from terc.synthetic import NULLS, NULLS_SET_ASIDE, nulls


def test_forty_two_and_ten_cases() -> None:
    assert len(NULLS) == 44
    assert len(NULLS_SET_ASIDE) == 10
    assert not set(NULLS) & set(NULLS_SET_ASIDE)


@pytest.mark.parametrize("name", NULLS | NULLS_SET_ASIDE)
def test_a_null_is_what_its_name_says(name: str) -> None:
    found = (NULLS | NULLS_SET_ASIDE)[name](1_200, seed=3)
    assert found.answers == ()
    assert found.is_exact([])
    data = found.data
    assert int(data.episodes.max()) + 1 == int(name.split(", ")[1].split()[0])
    assert data.action_kind == ("continuous" if "continuous" in name else "discrete")
    inside = np.diff(data.episodes) == 0
    held = (np.diff(data.states, axis=0)[inside] == 0).all(axis=0)
    still = name.startswith(("constant", "labels"))
    assert held.all() if still else held.any() == name.startswith("mixed")


def _episode_means(actions: np.ndarray, episodes: np.ndarray) -> np.ndarray:
    return np.bincount(episodes, actions) / np.bincount(episodes)


def test_an_effect_moves_whole_episodes_and_a_drift_their_neighbours() -> None:
    plain, effect, drift = (
        nulls(20_000, seed=1, episodes=200, **settings).data
        for settings in ({}, {"effect": 1.0}, {"drift": 1.0})
    )
    spread = [_episode_means(data.actions, data.episodes).std() for data in (plain, effect, drift)]
    assert spread[0] < 0.07
    assert spread[1] > 0.14
    means = _episode_means(drift.actions, drift.episodes)
    assert np.corrcoef(means[1:], means[:-1])[0, 1] > 0.6


def test_slow_actions_are_autocorrelated() -> None:
    actions = nulls(20_000, seed=1, episodes=1, columns="walk", slow=0.97).data.actions
    assert np.corrcoef(actions[1:], actions[:-1])[0, 1] > 0.15


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="nulls: no columns named 'square'. Available: "):
        nulls(columns="square")
    with pytest.raises(BadValueError, match="episodes must be at least 1, got 0"):
        nulls(episodes=0)
