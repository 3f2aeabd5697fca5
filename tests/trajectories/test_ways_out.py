"""What a newcomer gives first: each refusal says what is wrong, and each choice that was made is noted."""

import numpy as np
import pandas as pd
import pytest

import terc
from terc.cli.data_options import DataOptions
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


def test_a_list_of_one_name_is_that_name(frame):
    said = terc.Trajectories.from_frame(
        frame.assign(t=range(N), r=1.0), action="a", episode="ep", sort="t", rewards="r"
    )
    lists = {"action": ["a"], "episode": ["ep"], "sort": ("t",), "rewards": np.array(["r"])}
    assert (
        terc.Trajectories.from_frame(frame.assign(t=range(N), r=1.0), **lists, drop=None, done=None) == said
    )
    numbered = frame.set_axis(range(3), axis=1)
    assert terc.Trajectories.from_frame(
        numbered, action=numbered.columns[1:2], episode=np.int64(2)
    ).names == ("0",)


def test_several_columns_label_episodes_together(frame, tmp_path):
    frame["run"], frame["t"] = np.repeat(["n", "m"], N // 2), np.arange(N)
    frame["ep"] %= 3
    data = terc.Trajectories.from_frame(frame, action="a", episode=["run", "ep"])
    assert data.names == ("x", "t") and data.episodes.tolist() == (np.arange(N) // 10).tolist()
    path = tmp_path / "steps.parquet"
    frame.iloc[np.argsort(frame.t % 10, kind="stable")].to_parquet(path)
    mixed = {"action": "a", "episode": ["run", "ep"]}
    assert terc.load(path, **mixed, sort="t").states[:, 0].tolist() == data.states[:, 0].tolist()
    assert terc.load(path, **mixed, sort="ep").episodes.tolist() == data.episodes.tolist()
    with pytest.raises(BadValueError, match="but episode 'n, 0' starts again at row 6"):
        terc.load(path, **mixed)
    typed = DataOptions(["a"], ["run,ep"], sort="t").load(str(path), seed=0)
    assert typed == terc.load(path, **mixed, sort="t")
    frame.loc[3, "run"] = None
    with pytest.raises(BadValueError, match=r"episodes: cannot use missing .*'run' \(1 empty\)"):
        terc.Trajectories.from_frame(frame, **mixed)


@pytest.mark.parametrize(
    ("roles", "line"),
    [
        ({"action": None}, "from_frame: name the column of the actions"),
        (
            {"action": 0.5},
            "from_frame: action wants the name of a column, or a list of names, got float; give its",
        ),
        ({"action": np.arange(N) % 2}, r"list of names, got 60 values \(ndarray\); put them into the table"),
        ({"episode": np.arange(N) // 10}, r"episode wants the name of a column, .*got 60 values \(ndarray\)"),
        ({"episode": pd.Series(list("ab") * 30)}, r"episode wants the name .*got 60 values \(Series\)"),
        ({"episode": (np.arange(N) // 10).tolist()}, r"episode wants the name .*got 60 values \(list\)"),
        ({"progress": np.linspace(0, 1, N)}, r"progress wants the name of a column, got 60 values"),
        ({"sort": ["x", "ep"]}, "from_frame: sort wants one column, got 2; name one of them: 'x', 'ep'"),
        ({"sort": print}, "sort wants the name of a column, got builtin_function_or_method; give its name"),
        ({"episode": ["ep", "epp"]}, "no column named 'epp'. Did you mean 'ep'"),
        ({"episode": ["ep", "a"]}, r"only one role.*\['a'\]"),
    ],
)
def test_a_role_that_is_no_name_is_one_sentence(frame, roles, line):
    with pytest.raises(terc.TercError, match=line) as error:
        terc.Trajectories.from_frame(frame, **{"action": "a"} | roles)
    assert "\n" not in str(error.value)


def test_the_steps_of_actions_by_name_are_their_rows():
    gear, force = np.arange(50) % 3, np.linspace(0, 1, 50)
    for named in ({"force": force}, {"gear": gear, "force": force}):
        data = terc.Trajectories(np.column_stack([force + j for j in range(len(named))]), named)
        assert len(data) == 50


def test_of_states_and_actions_the_transposed_one_is_named():
    table, columns = np.random.default_rng(0).normal(size=(50, 2)), list(np.ones((2, 50)))
    with pytest.raises(BadValueError, match=r"actions: wanted a row for each .* numpy.transpose\(actions\)"):
        terc.Trajectories(table, columns)
    for actions in (np.arange(50) % 2, table, {"force": table[:, 0]}):
        with pytest.raises(BadValueError, match=r"states: wanted a row .* numpy.transpose\(states\)"):
            terc.Trajectories(table.T, actions)


def test_of_arrays_of_several_copies_time_is_put_along_the_rows():
    """Steps of several copies and episodes of equal length look alike: the message shows both ways."""
    states = np.arange(12.0).reshape(3, 2, 2)  # 3 steps of 2 copies
    with pytest.raises(
        BadValueError, match=r"got the shape \(3, 2, 2\). Of 3 episodes .* Of 3 steps of 2 copies"
    ):
        terc.Trajectories(states, np.zeros((3, 2)))
    with pytest.raises(BadValueError, match=r"actions: .*\(3, 2, 1\). Of 3 episodes of 2 .*states alike"):
        terc.Trajectories(states.reshape(-1, 2), np.zeros((3, 2, 1)))
    with pytest.raises(
        BadValueError, match=r"Of a single copy .*: numpy.squeeze\(states, 1\), and actions alike"
    ):
        terc.Trajectories(states[:, :1], np.zeros((3, 1, 1)))


@pytest.mark.parametrize("lengths", [(6, 6), (6, 9)])
def test_the_last_state_of_an_episode_has_no_action(lengths):
    """As in the episodes of Minari; of equal length they looked like an image for each action."""
    states = [np.random.default_rng(n).normal(size=(n + 1, 3)) for n in lengths]
    actions = [np.arange(n) % 2 for n in lengths]
    with pytest.raises(BadValueError) as refused:
        terc.Trajectories(states, actions)
    way_out = str(refused.value).partition("Of one per episode: ")[2]
    given = {"numpy": np, "states": states, "actions": actions}
    x, a, episodes = eval(f"({way_out[:-1].replace('and episodes=', '')})", given)
    data = terc.Trajectories(x, a, episodes=episodes)
    assert (len(data), data.n_episodes) == (sum(lengths), 2)


def test_tensors_of_episodes_are_several_tables():
    torch = pytest.importorskip("torch")
    with pytest.raises(BadValueError, match="got 2 of them. Of one per episode"):
        terc.Trajectories([torch.zeros(3, 2), torch.zeros(4, 2)], [torch.zeros(3), torch.zeros(4)])
