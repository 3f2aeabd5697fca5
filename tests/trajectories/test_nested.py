"""Cells of lists and records, named indices and columns that pyarrow does not know: in frames as in files."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import terc
from terc.errors import BadTypeError, BadValueError, UnknownNameError

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
