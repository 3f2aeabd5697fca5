"""Recordings that are opened, read by column and row group, and sampled by whole episodes."""

import weakref
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import terc
from terc.errors import BadTypeError, BadValueError, DataFileError, UnknownNameError
from terc.trajectories import csv_table, files, folder, inputs
from terc.trajectories.columns import Column
from terc.trajectories.files import open_table
from terc.trajectories.recorded import Recorded
from terc.trajectories.roles import Roles

N, LENGTH = 3_000, 50


def frame(n=N):
    rng = np.random.default_rng(0)
    x = rng.normal(size=n)
    return pd.DataFrame(
        {
            "x": x,
            "y": rng.integers(-40, 40, n).astype(np.float32) / 8,
            "cell": rng.choice(["low", "mid", "high"], n),
            "id": np.arange(n) % 7 + 2**40,
            "a": (x > 0).astype(int),
            "ep": [f"run {i // LENGTH}" for i in range(n)],
        }
    )


def write(table, path):
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pandas(table), path, row_group_size=170)
    elif path.suffix == ".csv":
        table.to_csv(path, index=False)
    elif path.suffix == ".npz":
        np.savez(
            path,
            **{
                k: v.to_numpy(dtype="U9" if v.dtype == object or v.dtype == "str" else None)
                for k, v in table.items()
            },
        )
    else:
        import h5py

        with h5py.File(path, "w") as file:
            for name, values in table.items():
                text = name in ("cell", "ep")
                file[name] = values.to_numpy(dtype="S9") if text else values.to_numpy()
    return path


@pytest.fixture(
    params=["steps.parquet", "steps.csv", "steps.npz", "steps.hdf5", "folder", "csvs", "large.csv"]
)
def path(request, tmp_path, monkeypatch):
    if request.param in ("folder", "csvs"):
        (tmp_path / "folder" / "data").mkdir(parents=True)
        suffix = "parquet" if request.param == "folder" else "csv"
        for k in range(3):
            part = frame().iloc[k * 1000 : (k + 1) * 1000]
            write(part, tmp_path / "folder" / "data" / f"train-{k:05d}.{suffix}")
        return tmp_path / "folder"
    if request.param == "large.csv":
        monkeypatch.setattr(csv_table, "LARGE_FILE", 10)
        monkeypatch.setattr(csv_table, "BLOCK", 4096)
    return write(frame(), tmp_path / request.param)


def recording(path, **roles):
    return Recorded.of(open_table(path), Roles(("a",), "ep", **roles))


def test_every_format_reads_the_same(path):
    read = terc.load(path, action="a", episode="ep")  # .hdf5 has no order of its own
    assert read.only(["x", "y", "cell", "id"]) == terc.Trajectories.from_frame(
        frame(), action="a", episode="ep"
    )


def test_a_sample_is_whole_episodes_of_the_recording(path):
    whole = terc.load(path, action="a", episode="ep")
    part = terc.load(path, action="a", episode="ep", steps=400, seed=3)
    assert len(part) == 400
    x = whole.column("x")
    rows = np.flatnonzero(np.isin(whole.states[:, x], part.states[:, x]))
    assert part == whole.rows(rows)
    assert part.n_episodes == 8
    assert (np.bincount(whole.episodes[rows])[np.unique(whole.episodes[rows])] == LENGTH).all()
    assert part == terc.load(path, action="a", episode="ep", steps=400, seed=3)
    assert part != terc.load(path, action="a", episode="ep", steps=400, seed=4)
    (note,) = [note for note in part.notes if note.code == "steps"]
    assert note.kind == "fact"
    assert note.text.startswith("400 of 3,000 steps were read: 8 of 60 whole episodes, drawn with seed 3;")


def test_samples_are_nested(path):
    opened = recording(path)
    assert (len(opened), opened.n_episodes) == (N, N // LENGTH)
    few, many = (set(opened.sample(steps, seed=1).only("x").states[:, 0]) for steps in (500, 1000))
    assert len(few) == 500
    assert few < many


def test_without_episodes_a_sample_is_long_stretches(tmp_path):
    n = 50_000
    pq.write_table(pa.table({"x": np.arange(n) / 7, "a": np.arange(n) % 2}), tmp_path / "steps.parquet")
    part = terc.load(tmp_path / "steps.parquet", action="a", steps=6_000)
    assert len(part) == 6_000
    assert 1 <= part.n_episodes <= 3
    jumps = np.round(np.diff(part.states[:, 0]) * 7).astype(int)
    assert ((jumps != 1) == (np.diff(part.episodes) == 1)).all()
    assert "stretches of 2,000 steps" in next(note.text for note in part.notes if note.code == "steps")


@pytest.mark.parametrize("steps", [None, "all", 3_000, 10**9])
def test_all_steps(tmp_path, steps):
    path = write(frame(), tmp_path / "steps.parquet")
    data = terc.load(path, action="a", episode="ep", steps=steps)
    assert len(data) == N
    assert not [note for note in data.notes if note.code == "steps"]


def test_bad_numbers_of_steps(tmp_path):
    path = write(frame(), tmp_path / "steps.parquet")
    with pytest.raises(BadValueError, match="steps must be a whole number of at least 1, got 0"):
        terc.load(path, action="a", steps=0)
    with pytest.raises(BadTypeError, match="steps must be a whole number of at least 1, got 'some'"):
        terc.load(path, action="a", steps="some")


def test_only_the_columns_asked_for_are_read(tmp_path, monkeypatch):
    path = write(frame(), tmp_path / "steps.parquet")
    asked = []
    plain = pq.ParquetFile.read_row_group

    def watched(self, group, columns=None, **more):
        asked.append((group, tuple(columns)))
        return plain(self, group, columns=columns, **more)

    monkeypatch.setattr(pq.ParquetFile, "read_row_group", watched)
    opened = Recorded.of(open_table(path), Roles(("a",), "ep", drop=("y",), ignore=("i*", "cell")))
    assert not asked
    opened.sample(50)
    assert {columns for _, columns in asked} == {("ep",), ("x", "a")}
    assert 1 <= sum(columns != ("ep",) for _, columns in asked) <= 2  # one episode: two row groups at most


def test_unsorted_steps_are_sorted_on_demand(tmp_path):
    rng = np.random.default_rng(5)
    table = frame().assign(t=np.arange(N) % LENGTH)
    mixed = table.iloc[rng.permutation(N)]
    path = write(mixed, tmp_path / "steps.parquet")
    with pytest.raises(BadValueError, match=r"starts again at row \d+; .*sort= \(--sort COLUMN"):
        terc.load(path, action="a", episode="ep")
    data = terc.load(path, action="a", episode="ep", sort="t")
    assert "t" not in data.names
    order = mixed["ep"].drop_duplicates().tolist()
    right = pd.concat([table[table["ep"] == label] for label in order])
    assert data.states[:, 0].tolist() == right["x"].tolist()
    part = terc.load(path, action="a", episode="ep", sort="t", steps=200)
    assert len(part) == 200 and part.n_episodes == 4
    first = table[table["x"] == part.states[0, 0]]["ep"].item()
    assert part.states[:LENGTH, 0].tolist() == table[table["ep"] == first]["x"].tolist()


def test_interleaved_episodes_are_brought_together():
    table = pd.DataFrame({"x": range(6), "a": [0, 1] * 3, "env": [1, 0] * 3})
    data = terc.Trajectories.from_frame(table, action="a", episode="env", sort="env")
    assert data.states[:, 0].tolist() == [0, 2, 4, 1, 3, 5]
    assert data.episodes.tolist() == [0, 0, 0, 1, 1, 1]


def test_the_order_of_letters_is_not_that_of_time():
    frame = pd.DataFrame({"x": [1, 2], "a": [0, 1], "when": ["31.01.2026", "01.02.2026"]})
    with pytest.raises(BadTypeError, match=r"sort: column 'when' holds text such as .*the year first"):
        terc.Trajectories.from_frame(frame, action="a", sort="when")
    frame["when"] = ["2026-02-01", "2026-01-31"]
    assert terc.Trajectories.from_frame(frame, action="a", sort="when").states[:, 0].tolist() == [2, 1]


def test_sorting_by_dates():
    when = pd.to_datetime(["2024-01-01 10:00", "2024-01-01 09:00:00.5", "2024-01-01 09:00"], format="ISO8601")
    data = terc.Trajectories.from_frame(
        pd.DataFrame({"x": [1, 2, 3], "a": [0, 1, 0], "when": when}), action="a", sort="when"
    )
    assert data.states[:, 0].tolist() == [3, 2, 1]


def test_ends_of_episodes_in_place_of_labels():
    table = pd.DataFrame(
        {"x": range(5), "a": [0, 1] * 2 + [0], "done": [0, 1, 0, 0, 0], "cut": [False] * 3 + [True, False]}
    )
    data = terc.Trajectories.from_frame(table, action="a", done=["done", "cut"])
    assert data.episodes.tolist() == [0, 0, 1, 1, 2]
    assert data.names == ("x",)


def test_labels_that_begin_anew_in_each_file(tmp_path):
    for k in range(2):
        table = pd.DataFrame({"x": np.arange(4.0) + 4 * k, "a": [0, 1, 0, 1], "ep": [0, 0, 1, 1]})
        table.to_parquet(tmp_path / f"{k}.parquet")
    data = terc.load(tmp_path, action="a", episode="ep")
    assert data.episodes.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert [note.code for note in data.notes] == ["episode-labels"]


@pytest.mark.parametrize("suffix", ["parquet", "csv", "npz"])
def test_a_folder_of_saved_parts(suffix, tmp_path):
    one = terc.Trajectories([["b"], ["a"]], [0, 1], names=["cell"])
    other = terc.Trajectories([["c"], ["b"]], [0, 1], names=["cell"])
    one.save(tmp_path / f"0.{suffix}")
    other.save(tmp_path / f"1.{suffix}")
    data = terc.load(tmp_path)
    assert data.episodes.tolist() == [0, 0, 1, 1]
    assert [data.levels["cell"][int(code)] for code in data.states[:, 0]] == ["b", "a", "c", "b"]


WRITERS = {
    "csv": partial(pd.DataFrame.to_csv, index=False),
    "jsonl": partial(pd.DataFrame.to_json, orient="records", lines=True),
}


@pytest.mark.parametrize("suffix", WRITERS)
def test_without_labels_each_file_of_a_folder_is_an_episode(suffix, tmp_path):
    for k, gears in enumerate((["N", "D", ""], ["R", "D"], ["7", "8"])):
        part = pd.DataFrame({"v": np.arange(len(gears)) + 0.5, "gear": gears, "a": np.arange(len(gears)) % 2})
        WRITERS[suffix](part, tmp_path / f"run_{k}.{suffix}")
    (tmp_path / "notes.txt").write_text("a dry day")
    data = terc.load(tmp_path, action="a")
    assert terc.load(tmp_path, action="a", ignore="gear").names == ("v",)
    assert data.episodes.tolist() == [0, 0, 0, 1, 1, 2, 2] and data.notes[-1].code == "file-episodes"
    assert data.levels["gear"] == ("", "7", "8", "D", "N", "R") and data.states[:3, 0].tolist() == [
        0.5,
        1.5,
        2.5,
    ]


@pytest.mark.parametrize("suffix", ["parquet", "pq"])
def test_shards_of_parquet_are_no_episodes(suffix, tmp_path):
    for k in range(3):
        table = frame(600).drop(columns="ep").iloc[200 * k : 200 * k + 200]
        table.to_parquet(tmp_path / f"train-{k:05d}-of-00003.{suffix}")
    data = terc.load(tmp_path, action="a")
    assert data.n_episodes == 1 and "file-episodes" not in {note.code for note in data.notes}


def test_steps_that_are_sorted_already_are_read_as_those_that_are_not(tmp_path):
    for name, order in {"sorted": [0, 1, 2, 3], "mixed": [1, 0, 3, 2]}.items():
        (tmp_path / name).mkdir()
        for k in range(2):
            part = pd.DataFrame({"x": range(4), "a": [0, 1] * 2, "ep": 7}).assign(t=np.arange(4) + 4 * k)
            part.iloc[order].to_csv(tmp_path / name / f"{k}.csv", index=False)
    for roles in ({"sort": "t", "drop": "ep"}, {"sort": "t", "episode": "ep"}):
        one, other = (terc.load(tmp_path / name, action="a", **roles) for name in ("sorted", "mixed"))
        assert one == other and one.n_episodes == 1 and one.notes == other.notes


class Watched(csv_table.CsvTable):
    """Counts the tables that are there at once, and says which columns and files are read."""

    there, most, read_names, read_files = 0, 0, set(), set()

    def __init__(self, path):
        super().__init__(path)
        Watched.there += 1
        Watched.most = max(Watched.most, Watched.there)
        weakref.finalize(self, Watched.close)

    @staticmethod
    def close():
        Watched.there -= 1

    def _read(self, names, rows):
        Watched.read_names |= {*self._whole.column_names}
        Watched.read_files |= {self.path.stem}
        return super()._read(names, rows)


def test_a_folder_that_is_larger_than_memory(tmp_path, monkeypatch):
    for k in range(20):
        frame(3_000).iloc[150 * k : 150 * k + 150].to_csv(tmp_path / f"{k:02d}.csv", index=False)
    roles = {"action": "a", "ignore": ["id", "ep"], "steps": 300, "seed": 1}
    wanted = terc.load(tmp_path, **roles)
    monkeypatch.setattr(folder, "LARGE_FILE", 10)
    monkeypatch.setitem(files.TABLES, ".csv", Watched)
    walks = []
    plain = Path.rglob
    monkeypatch.setattr(Path, "rglob", lambda *given, **more: walks.append(1) or plain(*given, **more))
    assert terc.load(tmp_path, **roles) == wanted and len(wanted) == 300
    assert Watched.most <= 3 and Watched.there == 0 and len(walks) == 1
    assert Watched.read_names == {"x", "y", "cell", "a"} and len(Watched.read_files) == 2


def test_what_any_file_of_a_folder_has_to_say_is_said_once(tmp_path):
    lines = ["obs,act", '"[1, 2]",größer', '"[3, 4]",kleiner']
    for name, some, encoding in (("0", lines[:1], "utf8"), ("1", lines, "utf8"), ("2", lines, "cp1252")):
        (tmp_path / f"{name}.csv").write_text("\n".join(some) + "\n", encoding=encoding)
    (tmp_path / "3.csv").write_bytes((tmp_path / "2.csv").read_bytes())
    data = terc.load(tmp_path, action="act")
    assert data.states.tolist() == [[1, 2], [3, 4]] * 3 and data.action_labels == ("größer", "kleiner")
    assert [note.code for note in data.notes].count("encoding") == 1


def test_files_of_a_folder_keep_what_a_column_is(tmp_path):
    for k, room in enumerate(([3, 7, 7], [9, 3, 9])):
        part = pd.DataFrame({"v": np.arange(3.0), "room": pd.Categorical(room), "a": [0, 1, 0]})
        part.assign(nothing=pd.array([None] * 3, "string")).to_feather(tmp_path / f"{k}.feather")
    data = terc.load(tmp_path, action="a")
    assert data.levels == {"room": (3, 7, 9)} and "'nothing'" in next(
        note.text for note in data.notes if note.code == "empty"
    )


@pytest.mark.parametrize("blank", [0, 1])
def test_a_file_whose_cells_are_blank_adds_no_label(blank, tmp_path):
    for k in range(2):
        gears = ["", "", ""] if k == blank else ["N", "D", "N"]
        pd.DataFrame({"v": np.arange(3.0), "gear": gears, "a": [0, 1, 0]}).to_csv(
            tmp_path / f"{k}.csv", index=False
        )
    data = terc.load(tmp_path, action="a", missing="indicator")
    assert data.names == ("v", "gear", "gear_missing") and data.levels == {"gear": ("D", "N")}
    assert data.only("gear_missing").states[:, 0].tolist() == [int(k // 3 == blank) for k in range(6)]


def test_a_folder_of_lists_as_text_and_of_an_empty_file(tmp_path):
    for k in range(2):
        (tmp_path / f"{k}.csv").write_text('obs,act\n"[1, 2]",0\n"[3, 4]",1\n')
    assert terc.load(tmp_path, action="act").states.tolist() == [[1, 2], [3, 4]] * 2
    (tmp_path / "2.csv").write_text("")
    with pytest.raises(DataFileError, match="2.csv cannot be read"):
        terc.load(tmp_path, action="act")


def test_files_of_several_kinds_are_not_one_recording(tmp_path):
    np.savez(tmp_path / "steps.npz", x=np.zeros(3), a=np.zeros(3))
    (tmp_path / "steps.csv").write_text("x,a\n0,1\n")
    with pytest.raises(DataFileError, match=r"several kinds \(.csv, .npz\); name one of them"):
        terc.load(tmp_path, action="a")
    write(frame(), tmp_path / "data.parquet")  # what lies beside it describes it
    assert len(terc.load(tmp_path, action="a", episode="ep")) == len(frame())


def test_the_root_of_a_data_set_of_lerobot(tmp_path):
    steps = pa.table(
        {"observation.state": [[0.0, 1.0]] * 4, "action": [0, 1, 0, 1], "episode_index": [0, 0, 1, 1]}
    )
    for name, table in {
        "data": steps,
        "meta/episodes": pa.table({"episode_index": [0, 1], "length": [2, 2]}),
    }.items():
        (tmp_path / name / "chunk-000").mkdir(parents=True)
        pq.write_table(table, tmp_path / name / "chunk-000" / "file-000.parquet")
    (tmp_path / "meta" / "tasks.jsonl").write_text("{}")
    assert terc.load(tmp_path) == terc.load(tmp_path / "data")


def test_columns_of_lists_are_blocks(tmp_path):
    table = pa.table(
        {
            "observation.state": pa.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], pa.list_(pa.float32())),
            "action": pa.array([[0.5], [1.5], [2.5]], pa.list_(pa.float32(), 1)),
            "episode_index": [0, 0, 1],
            "next.reward": [0.0, 1.0, 0.0],
            "next.done": [False, True, True],
            "task": ["a", "b", "c"],
        }
    )
    pq.write_table(table, tmp_path / "steps.parquet")
    data = terc.load(tmp_path)  # the names that LeRobot gives
    assert data.names == ("observation.state_0", "observation.state_1")
    assert data.states.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert data.actions.tolist() == [0.5, 1.5, 2.5]
    assert data.rewards.tolist() == [0, 1, 0]
    assert data.episodes.tolist() == [0, 0, 1]
    assert "left out: 'task'" in data.notes[0].text


def d4rl():
    return {
        "observations": np.arange(10.0).reshape(5, 2),
        "actions": np.linspace(-1, 1, 5)[:, None],
        "next_observations": np.arange(2.0, 12.0).reshape(5, 2),
        "rewards": np.ones(5),
        "terminals": np.array([False, True, False, False, False]),
        "timeouts": np.array([False, False, False, True, False]),
    }


@pytest.mark.parametrize("suffix", [".npz", ".hdf5"])
def test_arrays_with_the_names_of_d4rl(tmp_path, suffix):
    path = tmp_path / f"steps{suffix}"
    if suffix == ".npz":
        np.savez(path, **d4rl())
    else:
        import h5py

        with h5py.File(path, "w") as file:
            for name, values in d4rl().items():
                file[name] = values
            file["infos/qpos"] = np.zeros((5, 3))
            file["metadata/algorithm"] = "sac"
    data = terc.load(path)
    assert data.names == ("observations_0", "observations_1")
    assert data.episodes.tolist() == [0, 0, 1, 1, 2]
    assert data.rewards.tolist() == [1] * 5
    assert data.action_kind == "continuous"
    assert "ends of episodes 'terminals', 'timeouts'; left out: " in data.notes[0].text
    assert "'next_observations'" in data.notes[0].text


def test_arrays_with_the_names_of_rlds_have_no_action_in_the_last_step(tmp_path):
    np.savez(
        tmp_path / "steps.npz",
        observation=np.arange(6.0)[:, None],
        action=np.array([0, 1, 0, 1, 0, 0]),
        reward=np.zeros(6),
        discount=np.ones(6),
        is_first=np.array([1, 0, 0, 1, 0, 0], bool),
        is_last=np.array([0, 0, 1, 0, 0, 1], bool),
        is_terminal=np.zeros(6, bool),
    )
    data = terc.load(tmp_path / "steps.npz")
    assert data.states[:, 0].tolist() == [0, 1, 3, 4]
    assert data.actions.tolist() == [0, 1, 1, 0]
    assert data.episodes.tolist() == [0, 0, 1, 1]


def test_multi_index_columns():
    table = pd.DataFrame(
        np.arange(12).reshape(4, 3),
        columns=pd.MultiIndex.from_tuples([("arm", "x"), ("arm", "y"), ("a", "")]),
    )
    table[("a", "")] = [0, 1, 0, 1]
    assert terc.Trajectories.from_frame(table, action="a").names == ("arm.x", "arm.y")


def test_large_tables_are_single_precision_where_nothing_is_lost(monkeypatch):
    monkeypatch.setattr(inputs, "LARGE_CELLS", 100)
    rng = np.random.default_rng(0)
    fits = pd.DataFrame({"x": rng.normal(size=200), "n": rng.integers(0, 2**24, 200), "c": ["a", "b"] * 100})
    actions = rng.integers(0, 2, 200)
    data = terc.Trajectories(fits, actions)
    assert data.states.dtype == np.float32
    assert data.states[:, 1].tolist() == fits["n"].tolist()
    for name, values in {"clock": 1.7e9 + np.arange(200) / 50, "id": 2**24 + 1 + np.arange(200)}.items():
        assert terc.Trajectories(fits.assign(**{name: values}), actions).states.dtype == np.float64
        assert not inputs.fits_single(Column(name, np.asarray(values)))


def test_missing_values_with_indicators(tmp_path):
    table = frame(200)
    table.loc[:9, "x"] = np.nan
    table.loc[5:24, "cell"] = None
    path = write(table, tmp_path / "steps.parquet")
    with pytest.raises(
        BadValueError, match=r"'x' \(10 (empty|NaN)\), 'cell' \(20 empty\); .*--missing indicator"
    ):
        terc.load(path, action="a", episode="ep")
    data = terc.load(path, action="a", episode="ep", missing="indicator")
    assert data.names == ("x", "x_missing", "y", "cell", "cell_missing", "id")
    assert data.groups == (("x", "x_missing"), ("cell", "cell_missing"))
    assert data.states[:, 1].tolist() == [1] * 10 + [0] * 190
    present = np.sort(table["x"].dropna().to_numpy())
    assert data.states[0, 0] == present[95]
    assert data.levels["cell"] == ("high", "low", "mid")
    assert "'x' (10), 'cell' (20)" in next(note.text for note in data.notes if note.code == "missing")
    data.save(tmp_path / "again.parquet")
    assert terc.load(tmp_path / "again.parquet") == data
    assert data.only(["x", "y"]).groups == ()
    assert data.with_history(1).groups[1] == ("x[t-1]", "x_missing[t-1]")


def test_a_quantity_is_no_label_of_episodes():
    data = terc.Trajectories.from_frame(frame(), action="a", episode="x")
    assert "episode-quantity" in {note.code for note in data.notes if note.kind == "doubt"}
    for whole in (frame(), frame().assign(ep=np.arange(N) // LENGTH * 1.0)):
        codes = {note.code for note in terc.Trajectories.from_frame(whole, action="a", episode="ep").notes}
        assert "episode-quantity" not in codes


def test_folders_that_are_columns(tmp_path):
    table = frame(600).drop(columns="ep")
    for k in range(12):
        folder = tmp_path / "all" / f"site={'north%20sea' if k % 2 else 'B'}" / f"ep={k}"
        folder.mkdir(parents=True)
        write(table.iloc[50 * k : 50 * k + 50], folder / "part.parquet")
    read = terc.load(tmp_path / "all", action="a", episode="ep", ignore=["id", "cell"])
    assert read.names == ("x", "y", "site") and read.levels["site"] == ("B", "north sea")
    assert len(np.unique(read.episodes)) == 12 and np.bincount(read.episodes).tolist() == [50] * 12
    assert terc.load(tmp_path / "all" / "site=B", action="a", ignore=["id", "cell"]).names[-1] == "ep"
    part = terc.load(tmp_path / "all", action="a", episode="ep", ignore=["id", "cell"], steps=200)
    assert {tuple(row) for row in part.states} <= {tuple(row) for row in read.states}


def test_a_group_per_episode(tmp_path):
    import h5py

    x, a, lengths = frame(600)[["x", "y"]].to_numpy(), frame(600).a.to_numpy(), [30, 70] * 6
    ends = np.cumsum(lengths)
    with h5py.File(tmp_path / "demos.hdf5", "w") as file:
        for k, (end, length) in enumerate(zip(ends, lengths, strict=True)):
            part = slice(end - length, end)
            group = file.create_group(f"data/demo_{k}")
            group["obs/arm"], group["obs/hand"] = x[part], x[part, :1]
            group["next_obs/arm"], group["actions"] = x[part], a[part]
            group["states"] = x[part]  # of the simulator, which the agent does not see
        file["mask/train"] = np.arange(3)
    data = terc.load(tmp_path / "demos.hdf5")
    assert data == terc.load(tmp_path / "demos.hdf5", action="actions", ignore=["next_obs", "states"])
    assert data.names == ("obs/arm_0", "obs/arm_1", "obs/hand_0") and len(data) == 600
    assert np.bincount(data.episodes).tolist() == lengths
    assert np.array_equal(data.states[:, :2], x) and np.array_equal(data.actions, a)
    assert [note.text for note in data.notes if note.code == "groups"] == [
        "each of the 12 groups 'data/demo_0', ... is an episode."
    ]
    some = terc.load(tmp_path / "demos.hdf5", action="actions", steps=100)
    assert {tuple(row) for row in some.states} <= {tuple(row) for row in data.states}


def test_a_group_of_several_arrays_is_no_single_column(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "steps.hdf5", "w") as file:
        for name in ("observations", "actions"):
            file[name] = d4rl()[name]
        file["rewards/goal"], file["rewards/shape"], file["episode/id"] = np.ones((3, 5))
    data = terc.load(tmp_path / "steps.hdf5")
    assert data.names == ("observations_0", "observations_1") and data.rewards is None
    assert data.notes[0].text.endswith("actions 'actions', episodes 'episode'; left out: 'rewards'.")
    with pytest.raises(BadValueError, match="rewards wants one column, 'rewards' is 2; name one"):
        terc.load(tmp_path / "steps.hdf5", rewards="rewards")
    assert terc.load(tmp_path / "steps.hdf5", rewards="rewards/goal").rewards.tolist() == [1] * 5


def test_arrays_by_the_names_of_imitation(tmp_path):
    x, a = frame(600)[["x", "y"]].to_numpy(), frame(600).a.to_numpy()
    facts = np.array([{}] * 600, dtype=object)
    np.savez(tmp_path / "r.npz", obs=x, acts=a, next_obs=x, infos=facts, dones=np.arange(600) % 50 == 49)
    data = terc.load(tmp_path / "r.npz")
    assert data.names == ("obs_0", "obs_1") and len(np.unique(data.episodes)) == 12


def test_groups_with_the_state_after_the_last_action_are_episodes(tmp_path):
    h5py = pytest.importorskip("h5py")
    rng = np.random.default_rng(0)
    states = [rng.normal(size=(steps + 1, 2)) for steps in (5, 3)]
    with h5py.File(tmp_path / "mani.hdf5", "w") as file:
        for number, seen in enumerate(states):
            file[f"traj_{number}/obs"] = seen
            file[f"traj_{number}/actions"] = (seen[:-1, 0] > 0).astype(int)
    data = terc.load(tmp_path / "mani.hdf5", action="actions")
    assert data.episodes.tolist() == [0] * 5 + [1] * 3
    assert (data.states == np.concatenate([seen[:-1] for seen in states])).all()
    assert (data.actions == (data.states[:, 0] > 0)).all()


def test_parts_of_an_action_are_named_by_a_pattern_or_doubted(tmp_path):
    table = pd.DataFrame(
        np.random.default_rng(0).normal(size=(150, 4)), columns=["x_1", "tau_0", "tau_1", "tau"]
    )
    path = tmp_path / "steps.csv"
    table.to_csv(path, index=False)
    assert terc.load(path, action="tau_*").names == ("x_1", "tau")
    [doubt] = terc.load(path, action="tau_0", ignore="tau").notes
    assert doubt.code == "parts-of-action" and doubt.text.startswith(
        "'tau_1' may be of the action, as 'tau_0'"
    )
    assert not terc.load(path, action=["tau_0", "tau_1"], ignore="tau").notes
    table.columns = ["x0", "x1", "x2", "speed"]
    assert not terc.Trajectories.from_frame(table, action="x1").notes
    with pytest.raises(UnknownNameError, match="no column named 'u_\\*'"):
        terc.load(path, action="u_*")
