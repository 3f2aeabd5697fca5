"""What a newcomer gives first: each refusal says what is wrong, and each choice that was made is noted."""

import numpy as np
import pandas as pd
import pytest

import terc
from terc.errors import BadTypeError, BadValueError, DataFileError

N = 60


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame({"x": rng.normal(size=N), "a": rng.integers(0, 2, N), "ep": np.arange(N) // 10})


def test_other_recordings_beside_parquet_files_are_named(frame, tmp_path):
    frame.to_parquet(tmp_path / "a.parquet")
    frame.to_csv(tmp_path / "b.csv", index=False)
    data = terc.load(tmp_path, action="a", episode="ep")
    assert len(data) == N
    assert [note.text for note in data.notes if note.code == "other-files"] == [
        "of the folder only the .parquet files were read, and not b.csv."
    ]


def test_ends_within_labelled_episodes_are_noted(frame):
    frame["done"] = np.arange(N) % 7 == 6
    data = terc.Trajectories.from_frame(frame, action="a", episode="ep", done="done")
    (note,) = [note.text for note in data.notes if note.code == "episode-ends"]
    assert "'done' cut the 6 episodes that 'ep' labels into 14" in note
    frame["done"] = np.arange(N) % 10 == 9
    data = terc.Trajectories.from_frame(frame, action="a", episode="ep", done="done")
    assert not [note for note in data.notes if note.code == "episode-ends"]


def test_a_column_without_a_name_is_refused(frame):
    with pytest.raises(BadValueError, match="every variable needs a name"):
        terc.Trajectories(frame.rename(columns={"x": None}), np.arange(N) % 2)


def test_bytes_are_text(frame):
    frame["x"] = [b"left", b"right"] * (N // 2)
    data = terc.Trajectories.from_frame(frame, action="a", episode="ep")
    assert data.levels["x"] == ("left", "right")
    assert terc.Trajectories(np.zeros((N, 1)), np.array([b"a", b"b"] * (N // 2))).action_labels == ("a", "b")


def test_unsorted_arrays_are_told_how_arrays_are_sorted():
    with pytest.raises(BadValueError, match="numpy.argsort.episodes, kind='stable'"):
        terc.Trajectories(np.zeros((4, 1)), [0, 1, 0, 1], episodes=[5, 7, 5, 7])


def test_images_in_a_file_are_the_trouble_not_the_actions(tmp_path):
    np.savez(tmp_path / "steps.npz", observations=np.zeros((N, 8, 8, 3)), actions=np.arange(N) % 2)
    with pytest.raises(BadTypeError, match=r"'observations' has shape \(60, 8, 8, 3\)"):
        terc.load(tmp_path / "steps.npz")


def test_dates_are_no_actions(frame):
    with pytest.raises(BadTypeError, match="dates or durations; actions are numbers or labels"):
        terc.Trajectories(frame[["x"]], pd.date_range("2026-01-01", periods=N).to_numpy())


def test_an_address_is_no_file():
    with pytest.raises(DataFileError, match="https://example.com/x.csv is an address; download"):
        terc.load("https://example.com/x.csv")


def test_recordings_are_joined_as_a_list(frame):
    data = terc.Trajectories.from_frame(frame, action="a", episode="ep")
    with pytest.raises(BadTypeError, match="it takes recordings"):
        terc.Trajectories.concat(data, data)


def test_a_history_longer_than_the_episodes_names_the_argument(frame):
    data = terc.Trajectories.from_frame(frame, action="a", episode="ep")
    with pytest.raises(BadValueError, match=r"max_length \(--max-length\) 50 needs an episode"):
        terc.history_length(data, 50)
