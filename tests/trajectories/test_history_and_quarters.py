import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from terc.errors import BadTypeError, BadValueError
from terc.trajectories import Trajectories


def walk(lengths, **more):
    n = sum(lengths)
    states = np.column_stack([np.arange(n), -np.arange(n)])
    return Trajectories(
        states,
        np.arange(n) % 2,
        names=["v", "w"],
        episodes=np.repeat(np.arange(len(lengths)), lengths),
        **more,
    )


def by_hand(data, length):
    """The definition, one step and one variable at a time."""
    rows = []
    for t in range(len(data)):
        if t - length >= 0 and data.episodes[t - length] == data.episodes[t]:
            rows.append([data.states[t - lag, j] for j in range(2) for lag in range(length + 1)])
    return rows


@given(lengths=st.lists(st.integers(1, 6), min_size=1, max_size=5), length=st.integers(0, 5))
def test_history_is_what_the_definition_says(lengths, length):
    data = walk(lengths)
    if max(lengths) <= length:
        with pytest.raises(BadValueError, match=f"the longest has {max(lengths)}"):
            data.with_history(length)
        return
    past = data.with_history(length)
    assert past.states.tolist() == by_hand(data, length)
    assert np.array_equal(past.actions, past.states[:, 0] % 2)
    sizes = [size - length for size in lengths if size > length]
    assert past.episodes.tolist() == np.repeat(np.arange(len(sizes)), sizes).tolist()


def test_names_of_past_values():
    assert walk([5]).with_history(2).names == ("v", "v[t-1]", "v[t-2]", "w", "w[t-1]", "w[t-2]")
    assert walk([5]).with_history(0) == walk([5])


def test_past_values_of_labels_are_labels():
    data = Trajectories([["b"], ["a"], ["b"]], [0, 1, 0], names=["cell"]).with_history(1)
    assert data.nominal == {"cell", "cell[t-1]"}
    assert data.levels["cell[t-1]"] == ("a", "b")


def test_history_carries_rewards_progress_and_probabilities():
    data = walk([4, 4], rewards=np.arange(8), progress=np.arange(8) / 7, probabilities=np.full((8, 2), 0.5))
    past = data.with_history(3)
    assert past.rewards.tolist() == [3, 7]
    assert past.progress.tolist() == [3 / 7, 1]
    assert past.probabilities.shape == (2, 2)


def test_a_name_that_looks_like_a_past_value_is_refused():
    data = Trajectories(np.zeros((4, 2)), [0, 1, 0, 1], names=["v", "v[t-1]"])
    with pytest.raises(BadValueError, match=r"with_history: names must differ.*'v\[t-1\]'"):
        data.with_history(1)


@pytest.mark.parametrize(
    ("length", "error"), [(-1, BadValueError), (1.5, BadTypeError), (True, BadTypeError)]
)
def test_bad_length(length, error):
    with pytest.raises(error, match="with_history: length must be a whole number of at least 0"):
        walk([5]).with_history(length)


def test_quarters_by_progress():
    progress = np.array([0.0, 0.3, 0.25, 0.6, 0.2499, 0.75, 1.0, 0.5])
    quarters = walk([8], progress=progress).quarters()
    assert [part.states[:, 0].tolist() for part in quarters] == [[0, 4], [1, 2], [3, 7], [5, 6]]
    # Steps 0 and 4 were no neighbours: no history may join them.
    assert quarters[0].episodes.tolist() == [0, 1]


def test_quarters_without_progress_deal_out_whole_episodes():
    data = walk([3, 1, 4, 2, 2, 4])
    quarters = data.quarters()
    found = np.concatenate([part.states[:, 0] for part in quarters])
    assert found.tolist() == list(range(16))
    for part in quarters:
        starts = part.states[:, 0][np.r_[True, np.diff(part.episodes) > 0]]
        assert set(starts) <= {0, 3, 4, 8, 10, 12}


def test_quarters_of_few_episodes_are_cut_by_rows():
    assert [len(part) for part in walk([8]).quarters()] == [2, 2, 2, 2]
    assert [len(part) for part in walk([2, 6]).quarters()] == [2, 2, 2, 2]


@pytest.mark.parametrize("data", [walk([3]), walk([20, 1, 1, 1]), walk([8], progress=np.full(8, 0.4))])
def test_an_empty_quarter_is_an_error(data):
    with pytest.raises(BadValueError, match="quarters: no step falls in quarter"):
        data.quarters()
