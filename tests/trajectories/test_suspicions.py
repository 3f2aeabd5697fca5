"""Columns that look like leaks, identifiers, clocks or constants, named in one line each."""

import numpy as np
import pandas as pd
import pytest

import terc

N = 600
RNG = np.random.default_rng(0)
X = RNG.normal(size=N)
A = RNG.integers(0, 3, N)
EPISODE = np.arange(N) // 30


def notes(column, action=A, **more):
    table = pd.DataFrame({"x": X, "odd": column, "a": action, "ep": EPISODE})
    data = terc.Trajectories.from_frame(table, action="a", episode="ep", **more)
    return [(note.kind, note.code, note.text) for note in data.notes]


@pytest.mark.parametrize(
    ("column", "code", "words"),
    [
        (A, "leak", "'odd' equals the action"),
        (10 - 3 * A, "leak", "one to one with the action"),
        (np.array(["l", "r", "u"])[A], "leak", "one to one with the action"),
        (A == 2, "leak", "is decided by the action"),
        (np.r_[A[1:], 0], "leak", "one to one with the action of the next step"),
        (50 * A + X, "leak", "follows the action up to noise"),
        (np.arange(N) + 1000, "id-like", "'odd' looks like an identifier or a clock"),
        (RNG.permutation(N), "id-like", "identifier"),
        (1.7e9 + np.arange(N) * 0.02, "id-like", "clock"),
        (EPISODE * 7 % 20, "id-like", "identifier"),
        (np.full(N, 4.5), "constant", "'odd' never changes"),
    ],
)
def test_an_odd_column_is_one_note(column, code, words):
    ((kind, found, text),) = notes(column)
    assert (found, kind) == (code, "fact" if code == "constant" else "doubt")
    assert words in text
    assert "\n" not in text


@pytest.mark.parametrize(
    "column",
    [
        np.r_[0, A[:-1]],  # the action before is a fair observation
        X + 1,
        RNG.integers(0, 3, N),
        np.arange(N) % 30,  # a step counter
        np.repeat(RNG.normal(size=20), 30),  # a parameter of the episode
        np.where(RNG.random(N) < 0.01, 1 - A, A),
        A + 0.3 * X,
    ],
)
def test_what_is_no_reason_for_a_note(column):
    assert notes(column) == []


@pytest.mark.parametrize("read", [X, RNG.uniform(size=N), RNG.standard_cauchy(N)])
def test_a_rule_with_thresholds_is_no_leak(read):
    assert notes(read, np.digitize(read, np.quantile(read, [0.3, 0.7]))) == []


def test_a_switch_that_an_exploring_agent_reads_is_no_leak():
    switch = RNG.integers(0, 2, N)
    assert notes(switch, np.where(RNG.random(N) < 0.01, 1 - switch, switch)) == []


def test_a_column_without_a_value_is_a_constant():
    for empty in ([None] * N, [np.nan] * N):
        assert {code for _, code, _ in notes(empty)} == {"constant", "empty"}
        assert {code for _, code, _ in notes(empty, missing="indicator")} == {"constant", "empty"}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("unit", [1e-300, 1e300, 1e305])
def test_the_unit_of_a_column_changes_no_note(unit):
    assert notes(X * unit) == [] and notes(np.abs(X) * unit) == []
    ((_, code, text),) = notes((50 * A + X) * unit)
    assert code == "leak" and "follows the action up to noise" in text
    force = RNG.normal(size=N)
    ((_, code, text),) = notes((2 * force - 1) * unit, force)
    assert code == "leak" and "is the action, up to scale and offset" in text
    assert notes(force + 0.01 * X, force * unit) == []
    ((_, code, _),) = notes(np.arange(1, N + 1) * unit)
    assert code == "id-like"


def test_a_continuous_action():
    force = RNG.normal(size=N)
    ((_, code, text),) = notes(2 * force.astype(np.float32) - 1, force)
    assert code == "leak" and "is the action, up to scale and offset" in text
    assert notes(force + 0.01 * X, force) == []


def test_notes_reach_the_selection_doubts_first():
    table = pd.DataFrame({"x": A % 2 ^ (X > 0), "gear": 1, "next": np.r_[A[1:], 0], "a": A, "ep": EPISODE})
    data = terc.Trajectories.from_frame(table, action="a", episode="ep")
    notes = terc.select(data, estimator="plugin").notes
    assert {"leak", "constant"} <= {note.code for note in notes}
    kinds = [note.kind for note in notes]
    assert kinds == sorted(kinds)  # "doubt" before "fact"


def test_a_filled_variable_and_its_indicator_stand_or_fall_together():
    x = np.round(X)
    x[RNG.random(N) < 0.3] = np.nan
    action = np.isnan(x).astype(int)
    table = pd.DataFrame({"x": x, "noise": RNG.integers(0, 2, N), "a": action, "ep": EPISODE})
    data = terc.Trajectories.from_frame(table, action="a", episode="ep", missing="indicator")
    assert terc.select(data, estimator="plugin").kept == ("x", "x_missing")
    grouped = terc.select(data, estimator="plugin", groups=[["x", "noise"]])
    assert grouped.kept == ("x", "x_missing", "noise")


@pytest.mark.parametrize("trial", [EPISODE, EPISODE[::-1] * 3, np.char.add("run_", EPISODE.astype(str))])
def test_labels_of_episodes_that_were_not_named_are_named(trial, tmp_path):
    """All steps would be one long episode, and few verdicts certain."""
    table = pd.DataFrame({"x": X, "trial": trial, "a": A})
    table.to_csv(tmp_path / "steps.csv", index=False)
    texts = [note.text for note in terc.load(tmp_path / "steps.csv", action="a").notes]
    assert [text for text in texts if text.startswith("'trial' never takes a value again")]
    assert not terc.load(tmp_path / "steps.csv", action="a", episode="trial").notes
    assert [note.code for note in terc.Trajectories(table[["x", "trial"]], A).notes] == ["id-like"]


@pytest.mark.parametrize("column", [EPISODE % 7, EPISODE // 5, np.round(X.cumsum() / 40), np.sort(X)])
def test_other_slow_columns_are_no_labels_of_episodes(column):
    assert not [
        note for note in terc.Trajectories({"x": X, "slow": column}, A).notes if "episode" in note.text
    ]


def of_arrays(states, action=A, **more):
    return terc.Trajectories(states, action, episodes=EPISODE, **more)


def test_arrays_are_doubted_like_a_recording_and_the_doubt_goes_with_the_column():
    """Of arrays there is no `ignore=`; what was recorded beside them looks like a variable."""
    given = {"x": X, "acts": A[:, None], "rewards": X[::-1, None], "terminals": np.arange(N) % 30 == 29}
    data = of_arrays({**given, "next_observations": np.r_[X[1:], X[:1]]})
    texts = {(note.kind, note.code): note.text for note in data.notes}
    assert set(texts) == {("doubt", "leak"), ("doubt", "next-value"), ("doubt", "outcome")}
    assert texts["doubt", "leak"].startswith("'acts_0' equals the action")
    assert (
        "'rewards_0', 'terminals', 'next_observations' may be known only after" in texts["doubt", "outcome"]
    )
    assert not any("ignore" in text for text in texts.values())
    assert data.only(["x"]).notes == ()
    assert data.only(["x", "acts_0"]).notes == (data.notes[0],)
    for other in (pd.DataFrame({"x": X, "acts_0": A}), np.column_stack([X, A])):
        assert [note.code for note in of_arrays(other).notes] == ["leak"]
    assert "leak" in [note.code for note in terc.select(of_arrays({"x": X, "acts": A})).notes]


def test_what_a_policy_was_shown_is_not_doubted():
    """It is seen before the action, for sure, and this policy repeats a key."""
    cells = terc.rollout(lambda: terc.environments.SecretKey(), lambda s: s[:, 0].astype(int), steps=300)
    assert not cells.notes
    assert not terc.synthetic.four_redundant(600).data.notes


def test_a_selector_of_scikit_learn_says_what_looks_like_a_leak():
    pytest.importorskip("sklearn")
    fitted = terc.TercSelector().fit(pd.DataFrame({"x": X, "acts": A}), A, episodes=EPISODE)
    assert [note.code for note in fitted.selection_.notes if note.kind == "doubt"] == ["leak"]


@pytest.mark.parametrize("name", ["steps.parquet", "steps.npz", "steps.csv"])
def test_what_was_doubted_is_doubted_when_it_was_saved(name, tmp_path):
    table = pd.DataFrame({"x": X, "acts": A, "a": A, "ep": EPISODE})
    data = terc.Trajectories.from_frame(table, action="a", episode="ep")
    data.save(tmp_path / name)
    assert [note.code for note in terc.load(tmp_path / name).notes] == ["leak"]
    assert not terc.load(tmp_path / name, ignore="acts").notes
    terc.synthetic.four_redundant(600).data.save(tmp_path / name)
    assert not terc.load(tmp_path / name).notes


def test_a_label_in_several_columns_is_noted_with_what_makes_one_of_them():
    room = RNG.integers(0, 5, N)
    codes = np.eye(5)[room]
    data = of_arrays({"x": X, "room": codes, "door": np.eye(3)[room % 3], "on": A == 1})
    texts = [note.text for note in data.notes if note.code == "one-hot"]
    assert texts[0].startswith("'room_0' to 'room_4' are a label, written as 5 columns")
    assert texts[1].startswith("'door_0' to 'door_2' are a label") and len(texts) == 2
    loose = {"bits": RNG.integers(0, 2, (N, 6)), "both": np.c_[A == 1, A != 1]}
    assert not [note for note in of_arrays(loose).notes if note.code == "one-hot"]
    assert not [note for note in data.only(["room_0", "room_1"]).notes if note.code == "one-hot"]
