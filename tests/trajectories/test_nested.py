"""Cells of lists and records, named indices and columns that pyarrow does not know: in frames as in files."""

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import terc
from terc.errors import BadTypeError, BadValueError, TercWarning, UnknownNameError
from terc.trajectories.lists import numbers_in

N = 40
RNG = np.random.default_rng(0)
OBS, ACTIONS = RNG.normal(size=(N, 3)), RNG.normal(size=(N, 2))
ROLES = {"action": "act", "episode": "ep"}


def nested():
    """As robot recordings lie: a record of a vector and a number, and a vector of actions."""
    seen = [{"state": row[:2].tolist(), "gripper": row[2]} for row in OBS]
    return pa.table({"ep": np.arange(N) // 10, "observation": seen, "act": ACTIONS.tolist()})


@pytest.mark.parametrize("kind", ["pyarrow", "polars", "lazy", "parquet"])
def test_lists_and_records_become_columns(kind, tmp_path):
    if kind == "parquet":
        pq.write_table(nested(), tmp_path / "steps.parquet")
        data = terc.load(tmp_path / "steps.parquet", **ROLES)
    else:
        frame = nested() if kind == "pyarrow" else pl.from_arrow(nested())
        data = terc.Trajectories.from_frame(frame.lazy() if kind == "lazy" else frame, **ROLES)
    assert data.names == ("observation.state_0", "observation.state_1", "observation.gripper")
    np.testing.assert_array_equal(data.states, OBS)
    np.testing.assert_array_equal(data.actions, ACTIONS)


def test_arrays_in_the_cells_of_a_pandas_frame():
    frame = pd.DataFrame({"obs": list(OBS), "act": list(ACTIONS), "t": np.arange(N)})
    data = terc.Trajectories.from_frame(frame, action="act", ignore="t")
    assert data.names == ("obs_0", "obs_1", "obs_2") and data.actions.shape == (N, 2)
    assert terc.Trajectories.from_frame(frame, action="act", ignore=["obs", "t"][1:]).names == data.names
    ragged = frame.assign(obs=[row[: 2 + k % 2] for k, row in enumerate(OBS)])
    with pytest.raises(BadTypeError, match="whose lists differ in length; wanted 2 each"):
        terc.Trajectories.from_frame(ragged, action="act", ignore="t")


def test_an_index_labels_the_rows(tmp_path):
    frame = pd.DataFrame({"x": OBS[:, 0], "y": OBS[:, 1], "a": np.arange(N) % 2, "ep": np.arange(N) // 10})
    frame = frame.set_index("ep")
    frame.to_parquet(tmp_path / "steps.parquet")
    for given in (
        terc.Trajectories.from_frame(frame, action="a", episode="ep"),
        terc.load(tmp_path / "steps.parquet", action="a", episode="ep"),
    ):
        assert given.names == ("x", "y") and given.n_episodes == 4 and not given.notes
    for given in (
        terc.Trajectories.from_frame(frame, action="a"),
        terc.load(tmp_path / "steps.parquet", action="a"),
    ):
        (note,) = [note for note in given.notes if note.code == "index"]
        assert given.names == ("x", "y") and "reset_index" in note.text
    assert terc.Trajectories(frame[["x", "y"]], frame["a"]).names == ("x", "y")


def test_what_pandas_has_and_pyarrow_has_not():
    frame = pd.DataFrame({0: OBS[:, 0], 1: pd.arrays.SparseArray((OBS[:, 1] > 1) * 1.0), 2: np.arange(N) % 2})
    data = terc.Trajectories.from_frame(frame, action=2)
    assert data.names == ("0", "1")
    np.testing.assert_array_equal(data.states[:, 1], OBS[:, 1] > 1)
    with pytest.raises(UnknownNameError, match="no column named '7'"):
        terc.Trajectories.from_frame(frame, action=7)


def test_all_that_cannot_be_used_is_said_at_once():
    frame = pd.DataFrame({"x": OBS[:, 0], "when": pd.date_range("2024", periods=N), "c": OBS[:, 1] + 1j})
    frame = frame.assign(a=np.arange(N) % 2, since=pd.to_timedelta(np.arange(N), unit="s"))
    frame.loc[3, "x"] = np.nan
    wanted = r"each of the columns 'when', 'since' holds dates.*sort=.*'c' holds complex128.*'x' \(1 NaN\)"
    with pytest.raises(BadTypeError, match=wanted):
        terc.Trajectories.from_frame(frame, action="a")
    with pytest.raises(BadValueError, match=r"'x' \(1 NaN\)"):
        terc.Trajectories.from_frame(frame, action="a", ignore=["when", "since", "c"])


TEXTS = {
    "numpy": np.array_str,
    "list": lambda row: str(row.tolist()),
    "scalars": lambda row: str(list(row)),
    "tuple": lambda row: str(tuple(row.tolist())),
    "repr": repr,
    "bare": lambda row: " ".join(map(str, row)),
}


@pytest.mark.parametrize("written", TEXTS)
@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
def test_lists_as_text_become_columns(kind, written, tmp_path, monkeypatch):
    lists = {"obs": list(map(TEXTS[written], OBS)), "act": list(map(TEXTS[written], ACTIONS))}
    frame = pd.DataFrame({"ep": np.arange(N) // 10, **lists})
    if kind == "frame":
        data = terc.Trajectories.from_frame(frame, **ROLES)
    else:
        path = tmp_path / f"steps.{kind}"
        frame.to_csv(path, index=False) if kind == "csv" else frame.to_parquet(path)
        data = terc.load(path, **ROLES)
        monkeypatch.setattr("terc.trajectories.csv_table.LARGE_FILE", 0)
        assert terc.load(path, **ROLES) == data
    assert data.names == ("obs_0", "obs_1", "obs_2") and not data.levels
    np.testing.assert_allclose(data.states, OBS, atol=1e-7)
    np.testing.assert_allclose(data.actions, ACTIONS, atol=1e-7)


def test_lists_as_text_that_cannot_be_columns(tmp_path):
    path, frame = tmp_path / "steps.csv", pd.DataFrame({"x": OBS[:, 0], "act": np.arange(N) % 2})
    rows = {
        r"whose lists differ in length; wanted 2 each, got '\[1.5, 1.5, 1.5\]': leave it out": [
            [1.5] * (2 + k % 2) for k in range(N)
        ],
        r"numpy cut short \('...'\); save them": [np.arange(2000.0)] * N,
    }
    for said, cells in rows.items():
        frame.assign(obs=cells).to_csv(path, index=False)
        with pytest.raises(BadTypeError, match=said):
            terc.load(path, action="act")
        assert terc.load(path, action="act", ignore="obs").names == ("x",)
    broken = frame.assign(obs=["error", *(str([k / 7, 1.0]) for k in range(N - 1))])
    with pytest.raises(
        BadTypeError, match=r"'obs' holds lists of numbers, and 'error' in 1 step\(s\); delete"
    ):
        terc.Trajectories.from_frame(broken, action="act")
    frame.assign(
        cell=[f"({k % 3}, {k % 2})" for k in range(N)], ep=[f"({k // 9}, 1)" for k in range(N)]
    ).to_csv(path)
    labels = terc.load(path, action="act", nominal="cell", episode="ep")
    assert set(labels.levels) == {"cell"} and labels.n_episodes == 5


@pytest.mark.parametrize(
    "texts",
    [
        ("pull(1)", "push(1)", "pull(2)"),
        ("5 (3)", "4 (1)", "4 (3)"),
        ("1_2 3_4", "1_2 3_5", "1_1 3_4"),
        ("A(1) B(2)", "A(2) B(2)", "A(1) B(1)"),
        ("(0.0, 1.5]", "(1.5, 3.0]", "(3.0, 4.5]"),  # of pandas.cut
        ("[0, 1)", "[1, 2)", "[2, 3)"),
        ("[1] [2]", "[1] [3]", "[2] [2]"),
        ("(7)", "(8)", "(9)"),
        ("[a(1)]", "[b(1)]", "[a(2)]"),
        ("[1-2]", "[1-3]", "[2-3]"),
    ],
)
def test_labels_with_brackets_are_no_lists(texts, tmp_path):
    cells = [texts[k % 3] for k in range(N)]
    frame = pd.DataFrame({"x": OBS[:, 0], "seen": cells, "act": cells})
    frame.to_csv(tmp_path / "steps.csv", index=False)
    data = terc.load(tmp_path / "steps.csv", action="act")
    assert data.names == ("x", "seen") and set(data.levels["seen"]) == set(data.action_labels) == set(texts)
    assert data == terc.Trajectories.from_frame(frame, action="act")


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("tensor([1., 2.], device='cuda:0', requires_grad=True)", [1, 2]),
        ("[tensor(1), tensor(True)]", [1, 1]),
        ("[np.True_, np.False_]", [1, 0]),
        ("[array([1, 2]), array([3], dtype=int8)]", [1, 2, 3]),
        ("(np.float64(1.5), float32(2))", [1.5, 2]),
        ("Array([[1. 2.]\n [3. 4.]], dtype=float32)", [1, 2, 3, 4]),
        ("[-1e-3 .5 inf]", [-0.001, 0.5, np.inf]),
        ("(7,)", [7]),
    ],
)
def test_what_libraries_write_around_numbers(text, numbers):
    assert numbers_in(text) == numbers


def test_a_sample_of_only_empty_lists(tmp_path):
    cells = [None if k >= 200 else "[1, 2]" for k in range(2_000)]
    table = pa.table(
        {"x": np.arange(2_000) % 7, "obs": cells, "act": np.arange(2_000) % 2, "ep": np.arange(2_000) // 100}
    )
    pq.write_table(table, tmp_path / "steps.parquet")
    shown = [
        terc.load(
            tmp_path / "steps.parquet", action="act", episode="ep", steps=100, seed=seed, missing="indicator"
        )
        for seed in range(8)
    ]
    assert {data.names[1:3] for data in shown} == {("obs_0", "obs_1")}
    assert any("empty" in {note.code for note in data.notes} for data in shown)


def test_a_cell_that_is_no_list_far_below_lists_can_be_a_label(tmp_path):
    cells = ["1 2"] * 120 + ["none"] * 10
    frame = pd.DataFrame({"x": np.arange(130) % 7, "obs": cells, "act": np.arange(130) % 2})
    frame.to_csv(tmp_path / "steps.csv", index=False)
    with pytest.raises(BadTypeError, match=r"got 'none': .*, or say that it holds labels, nominal="):
        terc.load(tmp_path / "steps.csv", action="act")
    data = terc.load(tmp_path / "steps.csv", action="act", nominal="obs")
    assert data.levels["obs"] == ("1 2", "none")


@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
def test_the_parts_of_a_list_take_no_name_that_is_there(kind, tmp_path):
    lists = [f"[{k}, 1]" for k in range(N)]
    frame = pd.DataFrame({"obs": lists, "obs_0": OBS[:, 0], "map_a": lists, "map_a_1": 0, "act": [0, 1] * 20})
    path = tmp_path / f"steps.{kind}"
    if kind != "frame":
        frame.to_csv(path, index=False) if kind == "csv" else frame.to_parquet(path)
    load = partial(terc.Trajectories.from_frame, frame) if kind == "frame" else partial(terc.load, path)
    assert load(action="act", ignore=["obs", "map_*"]).names == ("obs_0",)
    assert load(action="act", drop=["obs", "obs_0"], ignore="map_a_1", nominal="map_a").names == ("map_a",)
    with pytest.warns(TercWarning, match="'obs' has 40 different labels"):
        data = load(action="act", ignore="map_*")
    assert data.names == ("obs", "obs_0") and set(data.levels) == {"obs"}
    alone = frame.drop(columns=["obs_0", "map_a", "map_a_1"])
    assert terc.Trajectories.from_frame(alone, action="act", ignore="obs_0").names == ("obs_1",)


def in_rows(lengths):
    """A table with a whole episode in each row, as data sets of Hugging Face have it."""
    rng = np.random.default_rng(0)
    rows = [
        {
            "speed": rng.normal(size=n).tolist(),
            "push": rng.integers(0, 2, n).tolist(),
            "rewards": np.ones(n).tolist(),
            "trial": k,
        }
        for k, n in enumerate(lengths)
    ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize("roles", [{}, {"rewards": "rewards"}, {"drop": "rewards"}])
@pytest.mark.parametrize("lengths", [(5, 7), (5, 6)])
def test_of_a_row_that_is_a_whole_episode_the_message_makes_rows_of_steps(roles, lengths):
    with pytest.raises(terc.TercError, match=r"one row per step: frame.explode\(...\) of pandas or polars"):
        terc.Trajectories.from_frame(in_rows(lengths), action="push", episode="trial", **roles)
    steps = in_rows(lengths).explode(["speed", "push", "rewards"])
    data = terc.Trajectories.from_frame(steps, action="push", rewards="rewards", episode="trial")
    assert (len(data), data.n_episodes, data.names) == (sum(lengths), 2, ("speed",))


def test_episodes_of_equal_length_in_one_row_each_are_doubted():
    table = in_rows((6, 6, 6)).drop(columns="rewards")
    (note,) = terc.Trajectories.from_frame(table, action="push", episode="trial").notes
    assert (note.kind, note.code) == ("doubt", "episode-rows")
    assert "each row is an episode and holds 6 numbers of 'push' and of 'speed'" in note.text
    assert not terc.Trajectories.from_frame(
        table.drop(columns="trial"), action="push"
    ).notes  # six torques, say
    nested = pd.DataFrame({"seen": [[[0.1, 0.2], [0.3, 0.4]]], "push": [[0, 1]]})
    with pytest.raises(terc.TercError, match="frame.explode"):
        terc.Trajectories.from_frame(nested, action="push")
