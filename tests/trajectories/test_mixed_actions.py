"""Actions of several parts of different kinds: choices beside numbers."""

import numpy as np
import pandas as pd
import pytest

import terc
from terc.errors import BadTypeError, BadValueError, DataFileError
from terc.predictors.target import parts_of

N = 600
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 3))
EPISODES = np.arange(N) // 15
THROTTLE = np.tanh(X[:, 1] + 0.1 * RNG.normal(size=N))
GEAR = np.where(X[:, 0] > 0, "f", "r")
MODE = np.array(["auto", "eco", "race"])[np.digitize(X[:, 0], [-0.5, 0.5])]


def recording(choice, **more):
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "gear": choice, "throttle": THROTTLE})
    return terc.Trajectories.from_frame(
        frame.assign(ep=EPISODES), action=["gear", "throttle"], episode="ep", **more
    )


def test_a_choice_of_two_is_a_number_beside_numbers():
    data = recording(GEAR)
    assert data.action_kind == "continuous" and data.action_labels is None
    assert data.actions.tolist() == np.stack([GEAR == "r", THROTTLE], 1).tolist()
    assert data.action_columns == ("gear = 'r' of 'f', 'r'", "throttle")
    (note,) = (note for note in data.notes if note.code == "action-parts")
    text = "the action 'gear' stands beside numbers: it is read as 1 for 'r' and 0 for 'f'."
    assert (note.kind, note.text) == ("fact", text)
    assert [part.is_number for part in parts_of(data)] == [False, True]


def test_a_choice_of_more_is_a_column_for_each_but_one():
    data = terc.Trajectories(X, np.array(list(zip(THROTTLE, MODE, strict=True)), dtype=object))
    assert data.actions.tolist() == np.stack([THROTTLE, MODE == "auto", MODE == "eco"], 1).tolist()
    (note,) = data.notes
    assert "one 0/1 column for each of 'auto', 'eco', all of them 0 for 'race'" in note.text


def test_a_choice_that_is_always_the_same_says_nothing():
    data = recording(np.full(N, "f"))
    assert data.actions.shape == (N, 2) and len(parts_of(data)) == 1


def test_what_is_kept_is_what_any_part_depends_on():
    selection = terc.select(recording(GEAR))
    assert selection.kept == ("a", "b")
    assert "action-parts" in {note.code for note in selection.notes}


def test_a_number_that_follows_one_of_many_labels_is_no_merit_of_noise():
    rng, n = np.random.default_rng(2), 1500
    noise = rng.normal(size=(n, 5))
    label = rng.choice(50, n, p=rng.dirichlet(np.full(50, 0.5)))
    acted = np.array([(f"word {code}", 0.1 * code + rng.normal()) for code in label], dtype=object)
    assert not terc.select(terc.Trajectories(noise, acted, episodes=np.arange(n) // 30), seed=2).kept


def test_several_discrete_dimensions_whose_values_hardly_come_back():
    rng, n = np.random.default_rng(0), 1000
    x = rng.normal(size=(n, 3))
    clicked = np.round(1000 * (x[:, :2] + 0.2 * rng.normal(size=(n, 2)))).astype(int)
    data = terc.Trajectories(x, clicked, episodes=np.arange(n) // 20, action_kind="discrete")
    assert terc.select(data).kept == ("x_0", "x_1")


def test_few_whole_numbers_beside_text_stay_one_joint_action():
    level = np.arange(N) % 3
    data = terc.Trajectories(X, np.array(list(zip(GEAR, level, strict=True)), dtype=object))
    assert data.action_kind == "discrete" and len(data.action_labels) == 6


def test_text_beside_numbers_is_neither_continuous_nor_has_it_probabilities():
    with pytest.raises(BadTypeError, match=r"text cannot be continuous; leave out action_kind="):
        recording(GEAR, action_kind="continuous")
    both = np.array(list(zip(GEAR, THROTTLE, strict=True)), dtype=object)
    with pytest.raises(BadValueError, match="these actions are continuous"):
        terc.Trajectories(X, both, probabilities=np.full((N, 2), 0.5))


@pytest.mark.parametrize("suffix", ["parquet", "csv", "npz"])
def test_a_file_keeps_what_the_columns_say(tmp_path, suffix):
    data = recording(MODE)
    data.save(tmp_path / f"steps.{suffix}")
    again = terc.load(tmp_path / f"steps.{suffix}")
    assert again == data and again.action_columns == data.action_columns
    other = terc.load(tmp_path / f"steps.{suffix}", action="c", drop=["action_0", "action_1", "action_2"])
    assert other.action_columns is None


def test_recordings_of_other_choices_are_not_joined(tmp_path):
    one, two = recording(GEAR), recording(np.where(GEAR == "f", "n", "r"))
    assert len(terc.Trajectories.concat([one, one])) == 2 * N
    with pytest.raises(BadValueError, match=r"the same choices beside numbers; recording 1 has .*'n', 'r'"):
        terc.Trajectories.concat([one, two])
    one.save(tmp_path / "one.parquet")
    two.save(tmp_path / "two.parquet")
    with pytest.raises(DataFileError, match="same choices beside numbers in their actions, got .*'f', 'r'"):
        terc.load(tmp_path)


@pytest.mark.parametrize(
    ("actions", "way_out"),
    [
        (X[:, 0], "leave out action_kind='discrete'"),
        (X[:, 0] * 1e300, "leave out action_kind='discrete'"),
        (np.char.mod("%.6f", X[:, 0]), "give numbers where they are numbers"),
        (np.stack([np.arange(N) % 2, X[:, 0]], 1), "leave out action_kind='discrete'"),
    ],
    ids=["numbers", "huge numbers", "numbers as text", "one of two parts"],
)
def test_labels_that_hardly_come_back_are_refused(actions, way_out):
    words = rf"actions: column 'action_\d' has \d+ different labels in 600 steps.*{way_out}"
    with pytest.raises(BadValueError, match=words):
        terc.Trajectories(X, actions, action_kind="discrete")


def test_few_steps_and_whole_numbers_may_be_labels_all_the_same():
    assert len(terc.Trajectories(X[:15], X[:15, 0], action_kind="discrete").action_labels) == 15
    many = np.stack([np.arange(N), np.arange(N) % 2], 1)
    assert len(terc.Trajectories(X, many, action_kind="discrete").action_labels) == N
