"""Probabilities that are not those from which the actions taken were drawn."""

import numpy as np
import pytest

import terc
from terc.errors import BadValueError

N = 2000
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 2))
UP = 1 / (1 + np.exp(-2 * X[:, 0]))
CHANCES = np.stack([1 - UP, UP], 1)
DRAWN = (RNG.random(N) < UP).astype(int)


def doubts(probabilities, actions=DRAWN, states=X):
    data = terc.Trajectories(states, actions, probabilities=probabilities)
    return [(note.kind, note.code) for note in data.notes if note.kind == "doubt"]


@pytest.mark.parametrize("digits", [2, 3, 4, 16])
def test_probabilities_that_are_right_are_no_reason_for_a_note(digits):
    sharp = 1 / (1 + np.exp(-8 * X[:, 0]))  # many are rounded to 0 and 1
    drawn = (np.random.default_rng(1).random(N) < sharp).astype(int)
    assert doubts(np.round(np.stack([1 - sharp, sharp], 1), digits), drawn) == []
    assert doubts(np.round(CHANCES, digits).astype(np.float32)) == []


def test_an_action_without_a_chance_is_refused():
    with pytest.raises(BadValueError, match=r"2000 of 2000 actions taken have chance 0, first in row 0"):
        doubts(np.eye(2)[1 - DRAWN])
    some = CHANCES.copy()
    some[7:17] = np.eye(2)[1 - DRAWN[7:17]]
    with pytest.raises(BadValueError, match="10 of 2000 actions taken have chance 0, first in row 7"):
        doubts(some)
    with pytest.raises(BadValueError, match="are rows shifted, or columns in another order"):
        doubts(np.roll(np.eye(2)[DRAWN], 1, axis=0))
    labels = np.array(["up", "down"])[1 - DRAWN]  # sorted: down, up
    with pytest.raises(BadValueError, match="chance 0"):
        doubts(np.eye(2)[1 - DRAWN], labels)
    assert doubts(np.eye(2)[DRAWN]) == []


@pytest.mark.parametrize(
    "wrong", [np.roll(CHANCES, 1, axis=0), CHANCES[:, ::-1], CHANCES[RNG.permutation(N)]]
)
def test_probabilities_of_other_steps_or_actions_are_doubted(wrong):
    assert doubts(wrong) == [("doubt", "unlikely-actions")]
    data = terc.Trajectories(X, DRAWN, probabilities=wrong, episodes=np.arange(N) // 20)
    notes = terc.select(data).notes
    (text,) = (note.text for note in notes if note.code == "unlikely-actions")
    assert "less likely by these probabilities than by their shares alone" in text


def test_a_false_doubt_is_rare():
    """Also where steps depend on each other, and where probabilities say next to nothing."""
    found = 0
    for draw in range(300):
        rng = np.random.default_rng(draw)
        chances = rng.dirichlet([200.0] * 3, size=1).repeat(200, 0)
        drawn = (rng.random((200, 1)) > chances.cumsum(1)).sum(1)
        found += bool(doubts(chances, drawn, np.zeros((200, 1))))
    assert found <= 2


def test_several_policies_of_which_one_rounds_its_probabilities(tmp_path):
    sharp = 1 / (1 + np.exp(-4 * X[:, 0]))
    drawn = (np.random.default_rng(1).random(N) < sharp).astype(int)
    exact = np.stack([1 - sharp, sharp], 1)
    rounded = np.round(exact, 2)
    assert (rounded[np.arange(N), drawn] == 0).any()
    episodes = np.arange(N) // 20
    given = ((X, rounded), (np.stack([X[:, 0], -X[:, 1]], 1), exact))
    both = [terc.Trajectories(x, drawn, probabilities=p, episodes=episodes) for x, p in given]
    joined = terc.Trajectories.concat(both)
    assert terc.select(joined).kept == ("x_0",)
    # What was read once is read again, also the one episode in which rounding shows.
    never = int(np.flatnonzero(rounded[np.arange(N), drawn] == 0)[0])
    for number, data in enumerate([joined, both[0].rows(episodes == episodes[never])]):
        data.save(tmp_path / f"{number}.npz")
        assert terc.load(tmp_path / f"{number}.npz") == data
