import json
import os
import pickle
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import terc
from terc.errors import BadTypeError, BadValueError, DataFileError, UnknownNameError
from terc.trajectories import Trajectories, files
from terc.trajectories.files import write_text_atomically

SUFFIXES = [".parquet", ".csv", ".npz"]
N = 12


def rich(**changes):
    rng = np.random.default_rng(1)
    columns = {
        "x": rng.normal(size=N) * 1e-3 + 1e6,
        "cell": list("abca") * 3,
        "code": [3, 3, 7, 9] * 3,
        "1": ["1", "", "2.0"] * 4,
        "two\nlines": range(N),
        'größe "q", 位': rng.normal(size=N) * 1e300,
        "action": [True, False] * 6,
    }
    frame = pd.DataFrame(columns)
    arguments = {
        "actions": [0, 1, 1] * 4,
        "episodes": list("xxxxyyyyzzzz"),
        "rewards": rng.normal(size=N),
        "progress": np.linspace(0, 1, N),
        "probabilities": np.tile([0.25, 0.75], (N, 1)),
        "nominal": ["code"],
    } | changes
    return Trajectories(frame, arguments.pop("actions"), **arguments)


def frame():
    return pd.DataFrame({"x": [0.5, 1.5, 2.5], "y": [1, 2, 3], "a": ["l", "r", "l"], "ep": [4, 4, 2]})


def write_foreign(path):
    if path.suffix == ".parquet":
        frame().to_parquet(path)
    elif path.suffix == ".csv":
        frame().to_csv(path, index=False)
    else:
        np.savez(
            path, **{name: frame()[name].to_numpy(dtype=None if name != "a" else "U1") for name in frame()}
        )


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"actions": ["up", "down", "1"] * 4, "probabilities": np.tile([0.25, 0.25, 0.5], (N, 1))},
        {"actions": np.linspace(-1, 1, N), "probabilities": None},
        {"actions": np.linspace(-1, 1, 2 * N).reshape(N, 2), "probabilities": None, "rewards": None},
        {"actions": [[0, 1], [1, 1], [0, 0]] * 4, "probabilities": None, "progress": None},
        {"actions": [0.5, 0.25, 0.5] * 4, "action_kind": "discrete", "probabilities": None, "episodes": None},
        {"actions": [0, 1, 1] * 4, "action_kind": "continuous", "probabilities": None},
    ],
)
def test_save_and_load_restore_everything(tmp_path, suffix, changes):
    data = rich(**changes)
    data.save(tmp_path / f"steps{suffix}")
    assert terc.load(tmp_path / f"steps{suffix}") == data
    assert terc.load(str(tmp_path / f"steps{suffix}")) == data


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_labels_that_no_step_has_any_more_survive(tmp_path, suffix):
    data = rich().rows(np.arange(3))
    assert data.levels["code"] == (3, 7, 9)
    data.save(tmp_path / f"steps{suffix}")
    assert terc.load(tmp_path / f"steps{suffix}") == data


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(
    values=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5),
    name=st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8),
)
@example(values=[0.0], name=" 0\r")  # a header that is two lines to whoever splits at carriage returns
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_number_and_any_name_survive(tmp_path, suffix, values, name):
    data = Trajectories(np.array(values)[:, None], [0] * len(values), names=[name])
    data.save(tmp_path / f"steps{suffix}")
    again = terc.load(tmp_path / f"steps{suffix}")
    assert again.names == (name,)
    assert again.states.tobytes() == data.states.tobytes()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_files_of_others(tmp_path, suffix):
    path = tmp_path / f"steps{suffix}"
    write_foreign(path)
    data = terc.load(path, action="a", episode="ep")
    assert data == Trajectories.from_frame(frame(), action="a", episode="ep")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_files_of_others_need_an_action(tmp_path, suffix):
    path = tmp_path / f"steps{suffix}"
    write_foreign(path)
    with pytest.raises(
        BadValueError,
        match=r"name the column of the actions, action=... .*\. Available: x, y, a, ep",
    ):
        terc.load(path)
    with pytest.raises(UnknownNameError, match=r"no column named 'act'. Available: x, y, a, ep"):
        terc.load(path, action="act")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_damaged_files_are_told_in_one_sentence(tmp_path, suffix):
    path = tmp_path / f"steps{suffix}"
    write_foreign(path)
    whole = path.read_bytes()
    contents = [b"", b"\x00\xff\xfe garbage \x80" * 40]
    if suffix != ".csv":  # half a table of text is a shorter table
        contents += [whole[: len(whole) // 2], whole[:-7], whole[:3]]
    for content in contents:
        path.write_bytes(content)
        with pytest.raises(DataFileError) as caught:
            terc.load(path, action="a")
        text = str(caught.value)
        assert text.startswith(f"load: {path} ")
        assert "\n" not in text


def test_a_ragged_csv_is_told_in_one_sentence(tmp_path):
    path = tmp_path / "steps.csv"
    path.write_text("x,a\n1,0\n2,1,5\n")
    with pytest.raises(DataFileError, match="may be damaged .*Expected 2 columns, got 3"):
        terc.load(path, action="a")


def test_a_csv_that_changes_kind_late_is_read_whole(tmp_path):
    path = tmp_path / "steps.csv"
    rows = ["1,0"] * 400_000 + ["1.5,1"]
    path.write_text("x,a\n" + "\n".join(rows) + "\n")
    assert path.stat().st_size > 1 << 20
    assert terc.load(path, action="a").states[-1, 0] == 1.5


def test_a_csv_of_only_a_header_has_no_step(tmp_path):
    path = tmp_path / "steps.csv"
    path.write_text("x,a\n")
    with pytest.raises(BadValueError, match="wanted at least one step"):
        terc.load(path, action="a")


def test_gaps_in_a_csv(tmp_path):
    path = tmp_path / "steps.csv"
    path.write_text("x,y,a\n1,nan,0\n,inf,1\n3,2,0\n")
    with pytest.raises(BadValueError, match=r"'x' \(1 empty\), 'y' \(1 (NaN, 1 infinite|empty)"):
        terc.load(path, action="a")


@pytest.mark.parametrize("suffix", [".xlsx", ".json", "", ".pkl"])
def test_other_suffixes_are_refused(tmp_path, suffix):
    (tmp_path / f"steps{suffix}").touch()
    with pytest.raises(
        DataFileError, match=r"should end in one of .parquet, .csv.* Save a sheet of Excel as .csv"
    ):
        terc.load(tmp_path / f"steps{suffix}", action="a")
    with pytest.raises(DataFileError, match="should end in one of .parquet, .csv, .npz"):
        rich().save(tmp_path / f"steps{suffix}")


def test_no_file_and_no_folder(tmp_path):
    with pytest.raises(DataFileError, match="there is no file .*missing.csv"):
        terc.load(tmp_path / "missing.csv", action="a")
    (tmp_path / "steps.parquet").write_bytes(b"")
    with pytest.raises(DataFileError, match=r"no file .*missing.csv. In its folder: steps.parquet"):
        terc.load(tmp_path / "missing.csv", action="a")
    with pytest.raises(DataFileError, match="no file .*step.parquet. Did you mean 'steps.parquet'"):
        terc.load(tmp_path / "step.parquet", action="a")
    with pytest.raises(BadTypeError, match="got DataFrame. A frame goes into terc.Trajectories.from_frame"):
        terc.load(pd.DataFrame({"a": [1]}), action="a")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(DataFileError, match="the folder .*folder.csv holds no recording; wanted files that"):
        terc.load(tmp_path / "folder.csv", action="a")
    with pytest.raises(BadTypeError, match="wanted the path of a file, got int"):
        terc.load(3, action="a")
    with pytest.raises(DataFileError, match="cannot write .*steps.npz .No such file or directory"):
        rich().save(tmp_path / "nowhere" / "steps.npz")


class Trap:
    opened = False

    def __reduce__(self):
        return (setattr, (Trap, "opened", True))


def test_pickled_arrays_are_refused_unopened(tmp_path):
    path = tmp_path / "steps.npz"
    np.savez(path, x=np.array([Trap()], dtype=object), y=np.ones(1), a=np.zeros(1))
    with pytest.raises(BadTypeError, match="'x' holds pickled objects, which can run any code.*--ignore"):
        terc.load(path, action="a")
    assert terc.load(path, action="a", ignore="x").names == ("y",)
    path.write_bytes(pickle.dumps({"x": Trap()}))
    with pytest.raises(DataFileError, match="steps.npz"):
        terc.load(path, action="a")
    assert not Trap.opened


def test_a_single_array_is_not_an_npz(tmp_path):
    np.save(tmp_path / "steps.npy", np.zeros(3))
    os.rename(tmp_path / "steps.npy", tmp_path / "steps.npz")
    with pytest.raises(DataFileError, match="is a single array, not an .npz file"):
        terc.load(tmp_path / "steps.npz", action="a")


def test_tables_in_an_npz_are_blocks_of_columns(tmp_path):
    path = tmp_path / "steps.npz"
    np.savez(
        path,
        observations=np.arange(6.0).reshape(3, 2),
        actions=np.ones((3, 2)) / 2,
        r=np.ones(3),
        cube=np.ones((3, 1, 1)),
    )
    data = terc.load(path, action="actions", rewards="r", drop="cube")
    assert data.names == ("observations_0", "observations_1")
    assert data.actions.shape == (3, 2)
    assert terc.load(path, action="actions_0", rewards="r", drop=["cube", "observations"]).names == (
        "actions_1",
    )
    with pytest.raises(BadTypeError, match=r"'cube' has shape \(3, 1, 1\)"):
        terc.load(path, action="actions")


def test_arrays_of_different_lengths_in_an_npz(tmp_path):
    path = tmp_path / "steps.npz"
    np.savez(path, y=np.zeros(4), x=np.zeros(3), a=np.zeros(3))  # whatever comes first
    with pytest.raises(BadValueError, match="y: wanted one for each of the 3 steps, got 4; .*--ignore y"):
        terc.load(path, action="a")
    assert len(terc.load(path, action="a", ignore="y")) == 3


def test_there_are_as_many_steps_as_actions_in_an_npz(tmp_path):
    path = tmp_path / "steps.npz"
    of_episodes = {name: np.arange(10.0) for name in ("returns", "lengths", "seeds")}
    np.savez(path, **of_episodes, obs=np.arange(2000.0).reshape(1000, 2), act=np.arange(1000) % 2)
    assert len(terc.load(path, action="act", ignore=list(of_episodes))) == 1000
    with pytest.raises(BadValueError, match="returns: wanted one for each of the 1000 steps, got 10"):
        terc.load(path, action="act")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_keywords_go_before_what_a_saved_file_says(tmp_path, suffix):
    path = tmp_path / f"steps{suffix}"
    data = rich()
    data.save(path)
    assert (
        terc.load(path, drop=["x", "code"]).names
        == data.only(["cell", "1", "two\nlines", 'größe "q", 位', "action"]).names
    )
    other = terc.load(path, action="x")
    assert other.action_kind == "continuous"
    assert other.probabilities is None
    assert other.names == (*data.names[1:], "_action")


def test_a_saved_csv_that_was_changed_is_not_trusted(tmp_path):
    path = tmp_path / "steps.csv"
    data = Trajectories([[1.0], [2.0]], [0, 1])
    data.save(path)
    path.write_text(path.read_text().replace("2", "3"))
    with pytest.raises(DataFileError, match="has changed since steps.csv.terc.json described it"):
        terc.load(path)
    (tmp_path / "steps.csv.terc.json").unlink()
    assert terc.load(path, action="action", episode="episode").states.tolist() == [[1], [3]]


def test_a_file_of_a_later_version_is_refused(tmp_path):
    path = tmp_path / "steps.csv"
    Trajectories([[1.0], [2.0]], [0, 1]).save(path)
    beside = tmp_path / "steps.csv.terc.json"
    beside.write_text(json.dumps(json.loads(beside.read_text()) | {"format": 99}))
    with pytest.raises(DataFileError, match="another version of terc .format 99"):
        terc.load(path)
    beside.write_text("[1]")
    with pytest.raises(DataFileError, match="describes itself in a way that cannot be read"):
        terc.load(path)


def test_parquet_is_readable_by_others(tmp_path):
    rich().save(tmp_path / "steps.parquet")
    frame = pd.read_parquet(tmp_path / "steps.parquet")
    assert frame["cell"].tolist() == list("abca") * 3
    assert frame["code"].tolist() == [3, 3, 7, 9] * 3
    assert {"_action", "episode", "reward", "progress", "probability_0"} <= set(frame.columns)


def test_loading_what_was_saved_does_not_warn(tmp_path):
    data = Trajectories([[str(i)] for i in range(30)], [0, 1] * 15, nominal=[0])
    data.save(tmp_path / "steps.npz")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert terc.load(tmp_path / "steps.npz") == data


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_failed_write_leaves_the_old_file(tmp_path, suffix, monkeypatch):
    path = tmp_path / f"steps{suffix}"
    rich().save(path)
    before = path.read_bytes()

    def breaks(_data, sink):
        sink.write(b"half")
        raise OSError("disk full")

    monkeypatch.setitem(files.WRITERS, suffix, breaks)
    with pytest.raises(DataFileError, match="cannot write .*disk full"):
        rich(rewards=None).save(path)
    assert path.read_bytes() == before
    assert terc.load(path) == rich()
    assert not [name for name in os.listdir(tmp_path) if "unfinished" in name]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_reader_in_the_middle_keeps_the_old_file(tmp_path, suffix):
    path = tmp_path / f"steps{suffix}"
    rich().save(path)
    before = path.read_bytes()
    with path.open("rb") as reader:
        start = reader.read(10)
        rich(rewards=None).save(path)
        assert start + reader.read() == before
    assert terc.load(path) == rich(rewards=None)


def test_text_is_written_through_links_and_with_the_usual_rights(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_text_atomically(tmp_path / "link", "größer\n")
    assert (tmp_path / "real").read_text(encoding="utf8") == "größer\n"
    Path(tmp_path / "plain").touch()
    assert (tmp_path / "real").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(DataFileError, match="there is no file or folder .*recordings"):
        terc.load(tmp_path / "recordings", action="a")
