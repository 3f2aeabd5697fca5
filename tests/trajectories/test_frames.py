import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from terc.errors import BadTypeError, BadValueError, UnknownNameError
from terc.trajectories import Trajectories

COLUMNS = {
    "x": [0.5, 1.5, 2.5, 3.5],
    "count": [1, 2, 3, 4],
    "on": [True, False, True, True],
    "cell": ["b", "a", "b", "c"],
    "a": ["left", "right", "left", "left"],
    "ep": ["first", "first", "second", "second"],
}
LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_library_gives_the_same_data(library):
    data = Trajectories.from_frame(LIBRARIES[library](COLUMNS), action="a", episode="ep")
    assert data.names == ("x", "count", "on", "cell")
    assert data.states.tolist() == [[0.5, 1, 1, 1], [1.5, 2, 0, 0], [2.5, 3, 1, 1], [3.5, 4, 1, 2]]
    assert data.levels == {"cell": ("a", "b", "c")}
    assert data.action_labels == ("left", "right")
    assert data.episodes.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("library", LIBRARIES)
def test_gaps_are_named_and_counted(library):
    frame = LIBRARIES[library](COLUMNS | {"x": [0.5, None, None, 1.0], "cell": [None, "a", "b", "c"]})
    with pytest.raises(BadValueError, match=r"'x' \(2 (empty|NaN)\), 'cell' \(1 empty\)"):
        Trajectories.from_frame(frame, action="a", episode="ep")


def test_nan_of_pandas_is_called_nan():
    frame = pd.DataFrame({"x": [np.nan, 1.0], "a": [0, 1]})
    with pytest.raises(BadValueError, match=r"'x' \(1 NaN\)"):
        Trajectories.from_frame(frame, action="a")


def test_the_order_of_categories_is_kept_and_unused_ones_go():
    cell = pd.Categorical(["high", "low", "low"], categories=["low", "mid", "high"])
    data = Trajectories.from_frame(pd.DataFrame({"cell": cell, "a": [0, 1, 0]}), action="a")
    assert data.levels["cell"] == ("low", "high")
    assert data.states[:, 0].tolist() == [1, 0, 0]


def test_categories_of_numbers_are_nominal():
    frame = pd.DataFrame({"cell": pd.Categorical([30, 10, 30]), "a": [0, 1, 0]})
    assert Trajectories.from_frame(frame, action="a").levels == {"cell": (10, 30)}


def test_enumerations_of_polars_keep_their_order():
    frame = pl.DataFrame({"cell": pl.Series(["hi", "lo"], dtype=pl.Enum(["lo", "hi"])), "a": [0, 1]})
    assert Trajectories.from_frame(frame, action="a").levels == {"cell": ("lo", "hi")}


def test_nullable_and_arrow_columns_of_pandas():
    frame = pd.DataFrame(
        {
            "n": pd.array([1, 2, 3], dtype="Int64"),
            "s": pd.array(["a", "b", "a"], dtype="string"),
            "f": pd.array([1.0, 2.0, 3.0], dtype="float64[pyarrow]"),
            "a": [0, 1, 0],
        }
    )
    data = Trajectories.from_frame(frame, action="a")
    assert data.states.tolist() == [[1, 0, 1], [2, 1, 2], [3, 0, 3]]
    frame["n"] = pd.array([1, None, 3], dtype="Int64")
    with pytest.raises(BadValueError, match=r"'n' \(1 empty\)"):
        Trajectories.from_frame(frame, action="a")


def test_decimals_are_numbers():
    table = pa.table({"x": [decimal.Decimal("1.5"), decimal.Decimal("2.25")], "a": [0, 1]})
    assert Trajectories.from_frame(table, action="a").states[:, 0].tolist() == [1.5, 2.25]


def test_chunks_are_joined():
    table = pa.concat_tables(
        [pa.table({"c": ["a", "b"], "a": [0, 1]}), pa.table({"c": ["c", "a"], "a": [1, 0]})]
    )
    assert Trajectories.from_frame(table, action="a").states[:, 0].tolist() == [0, 1, 2, 0]


@pytest.mark.parametrize("library", LIBRARIES)
def test_dates_are_refused_unless_dropped_or_episode_labels(library):
    days = [datetime.datetime(2024, 1, day) for day in (1, 1, 2, 2)]
    frame = LIBRARIES[library]({"when": days, "x": [1.0, 2, 3, 4], "a": [0, 1, 0, 1]})
    with pytest.raises(BadTypeError, match="column 'when' holds dates or durations"):
        Trajectories.from_frame(frame, action="a")
    assert Trajectories.from_frame(frame, action="a", drop="when").names == ("x",)
    assert Trajectories.from_frame(frame, action="a", episode="when").episodes.tolist() == [0, 0, 1, 1]


def test_lists_and_mixed_objects_are_refused():
    with pytest.raises(BadTypeError, match="column 'x' holds list<.*in each cell"):
        Trajectories.from_frame(pa.table({"x": [["b"], ["c"]], "a": [0, 1]}), action="a")
    with pytest.raises(BadTypeError, match="column 'x' holds objects of type int, str"):
        Trajectories.from_frame(pd.DataFrame({"x": [1, "b"], "a": [0, 1]}, dtype=object), action="a")
    with pytest.raises(BadTypeError, match="holds complex"):
        Trajectories.from_frame(pd.DataFrame({"x": [1j, 2j], "a": [0, 1]}), action="a")


@pytest.mark.parametrize("role", ["action", "episode", "rewards", "progress", "drop", "probabilities"])
def test_unknown_columns_list_what_there_is(role):
    with pytest.raises(UnknownNameError, match=r"no column named 'torque'. Available: x, count, on"):
        Trajectories.from_frame(pd.DataFrame(COLUMNS), **({"action": "a"} | {role: "torque"}))


def test_a_column_has_one_role():
    with pytest.raises(BadValueError, match=r"only one role.*'a'"):
        Trajectories.from_frame(pd.DataFrame(COLUMNS), action="a", episode="a")


def test_no_variable_left():
    with pytest.raises(BadValueError, match="no variable is left beside"):
        Trajectories.from_frame(pd.DataFrame({"a": [0, 1]}), action="a")
    with pytest.raises(BadValueError, match="name the column of the actions"):
        Trajectories.from_frame(pd.DataFrame(COLUMNS), action=[])


@pytest.mark.parametrize("library", LIBRARIES)
def test_no_rows(library):
    frame = LIBRARIES[library](COLUMNS)[:0] if library != "pyarrow" else pa.table(COLUMNS).slice(0, 0)
    with pytest.raises(BadValueError, match="wanted at least one step"):
        Trajectories.from_frame(frame, action="a")


def test_repeated_column_names():
    frame = pd.DataFrame([[1.0, 2.0, 0], [2.0, 3.0, 1]], columns=["x", "x", "a"])
    with pytest.raises(BadValueError, match=r"these come more than once: \['x'\]"):
        Trajectories.from_frame(frame, action="a")


def test_numbered_columns_get_names():
    data = Trajectories.from_frame(pd.DataFrame([[1.0, 2.0, 0], [2.0, 3.0, 1]]), action="2")
    assert data.names == ("0", "1")


def test_roles_of_columns():
    frame = pd.DataFrame(
        {
            "x": [1.0, 2.0],
            "u": [0.1, 0.2],
            "v": [0.3, 0.4],
            "r": [5.0, 6.0],
            "t": [0.0, 1.0],
            "junk": [None, None],
        }
    )
    data = Trajectories.from_frame(frame, action=["u", "v"], rewards="r", progress="t", drop=["junk"])
    assert data.actions.tolist() == [[0.1, 0.3], [0.2, 0.4]]
    assert data.rewards.tolist() == [5, 6]
    assert data.progress.tolist() == [0, 1]
    chances = pd.DataFrame({"x": [1.0, 2.0], "a": [0, 1], "p0": [0.5, 0.25], "p1": [0.5, 0.75]})
    data = Trajectories.from_frame(chances, action="a", probabilities=["p0", "p1"])
    assert data.probabilities.tolist() == [[0.5, 0.5], [0.25, 0.75]]


def test_frames_serve_as_states_too():
    frame = pd.DataFrame({"x": [1.0, 2.0], "cell": ["a", "b"]})
    data = Trajectories(frame, pd.Series([0, 1]), episodes=pd.Series(["e", "e"]))
    assert data.names == ("x", "cell")
    assert data.nominal == {"cell"}
    assert Trajectories(frame, [0, 1], names=["p", "q"]).names == ("p", "q")


@pytest.mark.parametrize("wrong", [{"x": [1]}, np.zeros((2, 2)), None, pd.Series([1])])
def test_not_a_frame(wrong):
    with pytest.raises(BadTypeError, match="wanted a pandas, polars or pyarrow frame"):
        Trajectories.from_frame(wrong, action="a")


def test_whole_numbers_beyond_64_bits_are_numbers():
    frame = pd.DataFrame({"x": [0, 1, 2**63, -(2**70)], "a": [0, 1, 0, 1]})
    data = Trajectories.from_frame(frame, action="a")
    assert data.states[:, 0].tolist() == [0.0, 1.0, 2.0**63, -(2.0**70)]


def test_what_pandas_cut_into_intervals_has_their_labels():
    x = np.arange(90) % 3
    frame = pd.DataFrame({"x": pd.cut(x, [-1, 0.5, 1.5, 3]), "a": pd.cut(x, [-1, 1.5, 3])})
    data = Trajectories.from_frame(frame, action="a")
    assert data.levels["x"] == ("(-1.0, 0.5]", "(0.5, 1.5]", "(1.5, 3.0]")
    assert data.action_labels == ("(-1.0, 1.5]", "(1.5, 3.0]")
