import pickle

import numpy as np
import pandas as pd
import pytest

from terc.errors import BadTypeError, BadValueError, TercWarning, UnknownNameError
from terc.trajectories import Trajectories
from terc.trajectories.columns import TOO_LARGE

N = 8


def make(**changes):
    arguments = {"states": np.arange(2.0 * N).reshape(N, 2), "actions": np.arange(N) % 2} | changes
    return Trajectories(arguments.pop("states"), arguments.pop("actions"), **arguments)


def test_numbers_are_kept_exactly():
    states = np.array([[1e300, 5e-324], [-1e-300, 0.1], [2.0**53, 1e-9]])
    assert make(states=states, actions=[0, 1, 0]).states.tolist() == states.tolist()


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float32", "longdouble"])
def test_real_kinds_are_accepted(dtype):
    states = np.array([[0], [1], [1]], dtype=dtype)
    data = make(states=states, actions=[0, 1, 0])
    assert data.states.dtype == np.float64
    assert data.states.tolist() == [[0], [1], [1]]
    assert not data.nominal


def test_the_callers_array_is_copied_and_ours_is_read_only():
    states = np.zeros((3, 1))
    data = make(states=states, actions=[0, 1, 0])
    states[0] = 9
    assert data.states[0] == 0
    with pytest.raises(ValueError, match="read-only"):
        data.states[0] = 1
    with pytest.raises(AttributeError):
        data.names = ("a",)


def test_default_names_and_a_single_episode():
    data = make()
    assert data.names == ("x_0", "x_1")
    assert data.episodes.tolist() == [0] * N
    assert len(data) == N


def test_one_step_is_enough_for_data():
    data = Trajectories([[1.0]], [0])
    assert len(data) == 1
    assert data.n_episodes == 1


@pytest.mark.parametrize("name", ["größe", "位置", "two\nlines", 'quote"comma,', "a b", " ", "x[-1]"])
def test_any_text_can_be_a_name(name):
    assert make(names=[name, "other"]).column(name) == 0


@pytest.mark.parametrize(
    ("states", "names", "message"),
    [
        ([[np.nan, 1], [np.nan, np.inf], [0, 2]], ["speed", "x"], r"'speed' \(2 NaN\), 'x' \(1 infinite\)"),
        ([[None, 1.0], [2.0, 3.0]], ["speed", "x"], r"'speed' \(1 empty\)"),
        ([["a", None], ["b", "c"]], ["speed", "x"], r"'x' \(1 empty\)"),
    ],
)
def test_gaps_are_refused_with_their_columns_and_counts(states, names, message):
    with pytest.raises(BadValueError, match=message):
        Trajectories(states, [0] * len(states), names=names)


def test_many_columns_with_gaps_are_not_all_listed():
    with pytest.raises(BadValueError, match="and 10 more columns"):
        Trajectories(np.full((2, 20), np.nan), [0, 1])


def test_masked_cells_are_refused():
    with pytest.raises(BadValueError, match="hides 1 values"):
        make(states=np.ma.array([[1.0], [2.0]], mask=[[0], [1]]), actions=[0, 1])
    assert len(make(states=np.ma.array([[1.0], [2.0]]), actions=[0, 1])) == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"states": np.zeros((0, 2)), "actions": []}, "states: wanted at least one step"),
        ({"states": np.zeros((N, 0))}, "states: wanted at least one variable"),
        ({"states": np.zeros(N)}, r"states: wanted a table .* got shape \(8,\)"),
        ({"states": [[1, 2], [3]]}, "states: cannot be read as one array"),
        (
            {"actions": np.zeros(N - 1)},
            "wanted one for each of the 8 steps in states, got 7; leave out what is no step",
        ),
        ({"actions": np.zeros((N, 2, 2))}, "actions: wanted one table"),
        ({"states": np.array(0.0)}, r"states: wanted a table .* got shape \(\)"),
        ({"states": [[[1], [2, 3]]]}, "states: cannot be read as one array"),
        ({"states": [{"x": 1.0}] * N}, "got dictionaries; pass pandas.DataFrame"),
        (
            {"states": [np.zeros((3, 2)), np.zeros((5, 2))]},
            r"got 2 of them. Of one per episode: numpy.concatenate\(states\), and episodes=",
        ),
        ({"actions": np.zeros((N, 0))}, "actions: wanted at least one dimension"),
        ({"actions": [0, 1, np.nan, 0, 0, 0, 0, np.inf]}, r"\(1 NaN, 1 infinite\); drop .*or fill"),
        ({"names": ["a", "a"]}, r"names must differ, these come more than once: \['a'\]"),
        ({"names": ["a"]}, "names: wanted one for each of the 2 variables, got 1"),
        ({"names": ["a", ""]}, "every variable needs a name"),
        ({"episodes": [0] * 7}, "episodes: wanted one for each of the 8 steps in states, got 7"),
        ({"episodes": [0, 0, 1, 1, 0, 0, 2, 2]}, "episode 0 starts again at row 4"),
        ({"episodes": [False, True] * 4}, r"False again at row 2, as where ends .*--done.*cumsum"),
        ({"episodes": [np.nan] * N}, "8 NaN"),
        ({"rewards": [1.0] * 7}, "rewards: wanted one for each of the 8 steps"),
        ({"rewards": [np.inf] * N}, "8 infinite"),
        ({"progress": np.linspace(0, 1.5, N)}, "progress: wanted values from 0 to 1, got 0 to 1.5"),
        ({"progress": np.linspace(-0.1, 1, N)}, "progress: wanted values from 0 to 1, got -0.1 to 1"),
        ({"action_kind": np.zeros(2)}, "action_kind: wanted 'discrete', 'continuous' or None, got array"),
        ({"action_kind": "descrete"}, "action_kind: wanted 'discrete', 'continuous' or None, got 'descrete'"),
        ({"nominal": [2]}, "nominal: no column number 2; there are 2"),
    ],
)
def test_bad_values(changes, message):
    with pytest.raises(BadValueError, match=message):
        make(**changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"states": np.zeros((N, 1), dtype=complex)},
            "states: column 'x_0' holds complex128; wanted numbers",
        ),
        (
            {"states": np.zeros((N, 1), dtype="M8[s]")},
            "column 'x_0' holds dates or durations; order",
        ),
        (
            {"states": [[{}], [1], [2], [3], [4], [5], [6], [7]]},
            "column 'x_0' holds objects of type dict, int",
        ),
        ({"states": np.array([[b"\xff"]] * N)}, "column 'x_0' holds"),
        (
            {"states": [["a"], [1], [2], [3], [4], [5], [6], [7]]},
            "column 'x_0' holds objects of type int, str",
        ),
        ({"names": ["a", 3]}, "names must be text, got 3 of type int"),
        ({"names": "ab"}, "names: wanted a list of names, got the single text 'ab'"),
        ({"rewards": ["a"] * N}, "rewards: wanted numbers, got text such as 'a'"),
        ({"actions": ["a"] * N, "action_kind": "continuous"}, "text cannot be continuous"),
        ({"actions": np.zeros(N, dtype="m8[s]")}, "holds dates or durations"),
        ({"episodes": [{}] * N}, "objects of type dict"),
    ],
)
def test_bad_types(changes, message):
    with pytest.raises(BadTypeError, match=message):
        make(**changes)


def test_unknown_nominal_name_lists_what_there_is():
    with pytest.raises(UnknownNameError, match=r"nominal: no variable named 'y'. Available: x_0, x_1"):
        make(nominal=["y"])


def test_whole_numbers_beyond_double_precision_are_refused_unless_labels():
    states = np.array([[2**60], [2**60 + 1], [2**60]])
    with pytest.raises(BadValueError, match=r"'x_0' holds whole numbers beyond 2\*\*53"):
        Trajectories(states, [0, 1, 0])
    data = Trajectories(states, [0, 1, 0], nominal=[0])
    assert data.states[:, 0].tolist() == [0, 1, 0]
    assert data.levels["x_0"] == (2**60, 2**60 + 1)


@pytest.mark.parametrize(
    "column",
    [[10**30 + k % 7 for k in range(N)], [2**60 + 1, *[0.5] * (N - 1)], [2**63 + 1, *[1] * (N - 1)]],
    ids=["Python's own", "beside fractions", "beside small ones"],
)
def test_whole_numbers_of_python_beyond_double_precision_are_refused(column):
    states = [[value, 0.5] for value in column]
    for given in (states, np.array(states, dtype=object)):
        with pytest.raises(BadValueError, match=r"'x_0' holds whole numbers beyond 2\*\*53, .* as text"):
            make(states=given)
    for what in ("actions", "rewards"):
        with pytest.raises(BadValueError, match=f"{what}: column .* holds whole numbers beyond 2"):
            make(**{what: column})
    assert make(states=[[2.0**60, 1e300]] * N).states.tolist() == [[2.0**60, 1e300]] * N


@pytest.mark.parametrize("large", [2**53 + 1, 2**70 + 1])
@pytest.mark.parametrize("what", ["states", "actions"])
def test_the_way_out_of_whole_numbers_beyond_double_precision_works(what, large):
    column = [large - k % 2 for k in range(N)]
    with pytest.raises(BadValueError) as found:
        make(**{what: [[one] for one in column] if what == "states" else column})
    assert str(found.value).endswith(f"{TOO_LARGE}.")
    for kind in (str, float):
        given = list(map(kind, column))
        assert len(make(**{what: [[one] for one in given] if what == "states" else given})) == N


def test_whole_numbers_of_any_size_may_label_episodes():
    assert make(episodes=[10**30 + k // 4 for k in range(N)]).episodes.tolist() == [0] * 4 + [1] * 4


def test_values_beyond_double_precision_are_refused():
    with pytest.raises(BadValueError, match="beyond the range of double precision"):
        Trajectories(np.array([[np.longdouble("1e4000")]]), [0])


def test_text_and_named_codes_are_nominal():
    data = Trajectories([["b", 7, 1.5], ["a", 3, 2.5], ["b", 7, 3.5]], [0, 1, 0], nominal="x_1")
    assert data.nominal == {"x_0", "x_1"}
    assert data.levels == {"x_0": ("a", "b"), "x_1": (3, 7)}
    assert data.states.tolist() == [[1, 1, 1.5], [0, 0, 2.5], [1, 1, 3.5]]


def test_text_with_almost_as_many_labels_as_steps_warns():
    with pytest.warns(TercWarning, match="'x_0' has 30 different labels in 30 steps"):
        Trajectories([[f"{i}"] for i in range(30)], [0, 1] * 15)


@pytest.mark.parametrize(
    ("actions", "kind", "values"),
    [
        ([0, 1] * 4, "discrete", [0, 1] * 4),
        ([True, False] * 4, "discrete", [1, 0] * 4),
        ([-1.0, 3.0] * 4, "discrete", [-1, 3] * 4),
        ([0.5, 1.0] * 4, "continuous", [0.5, 1.0] * 4),
        ([[0.5], [1.0]] * 4, "continuous", [0.5, 1.0] * 4),
        (np.full((N, 2), 0.25), "continuous", [[0.25, 0.25]] * N),
    ],
)
def test_kind_of_action_is_decided_by_its_values(actions, kind, values):
    data = make(actions=actions)
    assert data.action_kind == kind
    assert data.actions.tolist() == values
    assert data.actions.dtype == (np.int64 if kind == "discrete" else np.float64)
    assert data.action_labels is None


def test_many_different_whole_numbers_are_continuous_unless_said_otherwise():
    states, actions = np.zeros((1000, 1)), np.arange(1000)
    assert Trajectories(states, actions).action_kind == "continuous"
    assert Trajectories(states, actions % 90).action_kind == "discrete"
    assert Trajectories(states, actions, action_kind="discrete").actions.tolist() == actions.tolist()
    assert Trajectories(states, actions % 2, action_kind="continuous").actions.dtype == np.float64


def test_labelled_actions_become_codes():
    data = make(actions=["right", "left"] * 4)
    assert data.action_labels == ("left", "right")
    assert data.actions.tolist() == [1, 0] * 4
    halves = make(actions=[0.5, -0.5] * 4, action_kind="discrete")
    assert halves.action_labels == (-0.5, 0.5)
    assert halves.actions.tolist() == [1, 0] * 4


def test_several_discrete_dimensions_are_one_joint_action():
    data = make(actions=[[0, 5], [1, 5]] * 4)
    assert data.action_kind == "discrete"
    assert data.action_labels == ("0, 5", "1, 5")
    assert data.actions.tolist() == [0, 1] * 4
    mixed = make(actions=[["left", 1], ["right", 1]] * 4)
    assert mixed.action_labels == ("left, 1", "right, 1")


def test_joint_actions_with_equal_text_stay_different():
    data = make(actions=[["a, b", "c"], ["a", "b, c"]] * 4)
    assert len(set(data.actions.tolist())) == 2
    assert len(set(data.action_labels)) == 2


def test_constant_columns_and_constant_actions_are_allowed():
    assert make(states=np.ones((N, 2)), actions=np.zeros(N, dtype=int)).actions.tolist() == [0] * N


@pytest.mark.parametrize(
    "labels", [[5, 5, 5, 2, 2, 9, 9, 9], list("cccaabbb"), [5.0, 5, 5, 0.5, 0.5, 1, 1, 1]]
)
def test_episodes_are_numbered_in_order_of_appearance(labels):
    assert make(episodes=labels).episodes.tolist() == [0, 0, 0, 1, 1, 2, 2, 2]


def test_dates_may_label_episodes():
    days = np.array(["2024-01-02"] * 4 + ["2024-01-01"] * 4, dtype="M8[D]")
    assert make(episodes=days).episodes.tolist() == [0] * 4 + [1] * 4


def chances(**changes):
    table = np.full((N, 2), 0.5)
    for (row, column), value in changes.get("set", {}).items():
        table[row, column] = value
    return table


def test_probabilities_make_whole_actions_discrete():
    probabilities = np.full((1000, 500), 1 / 500)
    data = Trajectories(np.zeros((1000, 1)), np.arange(1000) // 2, probabilities=probabilities)
    assert data.action_kind == "discrete"
    assert data.probabilities.shape == (1000, 500)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"probabilities": chances()[:4]}, "one row for each of the 8 steps, got 4 rows"),
        (
            {"probabilities": np.full(N, 0.5)},
            r"wanted numbers \[steps, actions\], got float64 of shape \(8,\)",
        ),
        ({"probabilities": chances(set={(3, 0): 0.7})}, "1 rows are not, first row 3"),
        ({"probabilities": chances(set={(2, 0): -0.5, (2, 1): 1.5})}, "1 rows are not, first row 2"),
        ({"probabilities": chances(set={(2, 0): np.nan})}, "1 rows are not, first row 2"),
        (
            {"probabilities": chances(), "actions": [0, 2] * 4},
            "actions 0 to 1, but the actions run from 0 to 2",
        ),
        ({"probabilities": chances(), "actions": [-1, 1] * 4}, "but the actions run from -1 to 1"),
        ({"probabilities": chances(), "actions": list("abcabcab")}, "2 columns do not match the 3 actions"),
        ({"probabilities": chances(), "actions": np.linspace(0, 1, N)}, "only discrete actions have them"),
    ],
)
def test_probabilities_that_do_not_match(changes, message):
    with pytest.raises(BadValueError, match=message):
        make(**changes)


def test_only_chooses_and_orders_columns():
    data = make(names=["a", "b"], nominal=["b"])
    chosen = data.only(["b", "a"])
    assert chosen.names == ("b", "a")
    assert chosen.states.tolist() == data.states[:, ::-1].tolist()
    assert data.only("a").nominal == frozenset()
    with pytest.raises(UnknownNameError, match=r"only: no variable named 'c'. Available: a, b"):
        data.only(["c"])
    with pytest.raises(BadValueError, match="wanted at least one variable"):
        data.only([])
    with pytest.raises(BadValueError, match="more than once"):
        data.only(["a", "a"])


def test_column_of_an_unknown_name():
    with pytest.raises(UnknownNameError, match="no variable named 'z'. Available: x_0, x_1"):
        make().column("z")


def test_rows_keep_everything_together_and_split_at_holes():
    data = make(
        rewards=np.arange(N),
        progress=np.linspace(0, 1, N),
        episodes=list("aaaabbbb"),
        probabilities=chances(),
    )
    part = data.rows([0, 1, 3, 4, 5])
    assert part.rewards.tolist() == [0, 1, 3, 4, 5]
    assert part.episodes.tolist() == [0, 0, 1, 2, 2]
    assert part.probabilities.shape == (5, 2)
    assert data.rows(np.ones(N, dtype=bool)) == data
    for bad in ([], [0, 0], [3, 1], [8], np.ones(3, dtype=bool), [-1]):
        with pytest.raises(BadValueError, match="rows: wanted"):
            data.rows(bad)


def test_equality_sees_every_field():
    assert make() == make()
    assert make() != make(rewards=np.ones(N))
    assert make() != make(names=["a", "b"])
    assert make() != make(episodes=[0] * 4 + [1] * 4)
    assert make() != "something else"


def test_pickle_and_back():
    data = make(nominal=[0], rewards=np.ones(N))
    again = pickle.loads(pickle.dumps(data))
    assert again == data
    assert not again.states.flags.writeable


@pytest.mark.parametrize(
    ("states", "actions", "said"),
    [
        (np.zeros(4), np.zeros((4, 2)), r"got shape \(4,\). States come first, actions second"),
        (np.zeros((4, 2)), np.zeros(3), "^actions: wanted one for each of the 4 steps in states, got 3"),
        (np.array([[10**400, 1]] * 4, dtype=object), np.zeros(4), "'x_0' holds whole numbers beyond 2"),
    ],
)
def test_what_cannot_be_taken_says_which_argument_it_is(states, actions, said):
    with pytest.raises((BadValueError, BadTypeError), match=said):
        Trajectories(states, actions)


STACKED = np.arange(N * 6.0).reshape(N, 3, 2)


@pytest.mark.parametrize(
    ("states", "actions", "said", "better"),
    [
        (
            STACKED,
            np.arange(N) % 2,
            r"got an array of shape \(3, 2\) for each of the 8 actions; give features .*states, \(8, -1\)\)",
            lambda states: np.reshape(states, (8, -1)),
        ),
        (STACKED[..., None], np.arange(N) % 2, r"of shape \(3, 2, 1\) for each of the 8 actions", None),
        (list(STACKED), np.arange(N) % 2, "for each of the 8 actions", lambda x: np.reshape(x, (8, -1))),
        (STACKED, np.arange(3 * N) % 2, r"shape \(8, 3, 2\). Of 8 episodes .* numpy.reshape\(states, ",
         np.concatenate),
        (STACKED, np.zeros((N, 3)), r"reshape\(states, \(-1, 2\)\), actions alike, and", None),
        (list(STACKED), [np.zeros(k) for k in range(N)], r"numpy.concatenate\(actions\), and", None),
        (STACKED[..., None], np.zeros((N, 3)), "got 8 arrays of shape .*one row of numbers per step", None),
        (
            np.arange(2.0 * N).reshape(2, N),
            np.arange(N) % 2,
            r"row for each of the 8 steps, got the shape \(2, 8\); transpose it: numpy.transpose\(states\)",
            np.transpose,
        ),
        (np.zeros((N, 2)), np.zeros((1, N)), r"^actions: .*got the shape \(1, 8\); transpose it", None),
        (np.zeros(N), np.zeros(N), r"one variable alone is numpy.reshape\(states, \(-1, 1\)\)",
         lambda states: np.reshape(states, (-1, 1))),
    ],
)  # fmt: skip
def test_a_shape_that_is_no_table_says_what_makes_one_of_it(states, actions, said, better):
    with pytest.raises(BadValueError, match=said):
        Trajectories(states, actions)
    if better is not None:
        assert len(Trajectories(better(states), actions)) == len(actions)


def test_arrays_by_name_are_the_variables():
    table = np.arange(2.0 * N).reshape(N, 2)
    data = Trajectories({"pos": table, "mode": ["on", "off"] * (N // 2)}, {"push": np.arange(N) / 3})
    assert data.names == ("pos_0", "pos_1", "mode") and data.action_kind == "continuous"
    assert np.array_equal(data.states[:, :2], table) and data.levels["mode"] == ("off", "on")
    assert Trajectories({"pos": table}, [0] * N, names=["x", "y"]).names == ("x", "y")
    with pytest.raises(BadValueError, match=r"states: 'eye' has shape \(8, 3, 2\); wanted \[n\] or \[n, d\]"):
        Trajectories({"eye": STACKED}, [0] * N)
    with pytest.raises(BadValueError, match="pos_0: wanted one for each of the 8 steps in states, got 7"):
        Trajectories({"t": range(N), "pos": table[1:]}, [0] * N)


def test_a_dictionary_that_is_no_frame_names_what_makes_one():
    given = {"pos": np.arange(2.0 * N).reshape(N, 2), "a": np.arange(N) % 2}
    with pytest.raises(BadTypeError, match="got dict. Make one of it, pandas.DataFrame.*list.array. for"):
        Trajectories.from_frame(given, action="a")
    frame = pd.DataFrame({name: list(array) for name, array in given.items()})
    assert Trajectories.from_frame(frame, action="a").names == ("pos_0", "pos_1")


def test_one_of_a_kind_is_said_in_the_singular():
    assert repr(Trajectories(np.zeros((2, 1)), [0, 1])) == (
        "Trajectories(2 steps, 1 episode, 1 variable, discrete actions)"
    )
