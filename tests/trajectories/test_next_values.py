"""Columns that hold the next value of another one: refused by name and content, doubted by one of them."""

import re

import numpy as np
import pandas as pd
import pytest

import terc
from terc.errors import BadValueError, UnknownNameError
from terc.trajectories.next_values import next_values

N = 600
RNG = np.random.default_rng(0)
EPISODE = np.arange(N) // 30
A = RNG.integers(0, 2, N)
SPEED, GAP = np.cumsum(RNG.normal(size=(2, N)), axis=1)
CELL = RNG.integers(0, 5, N)


def later(values):
    """The value a step later; at the end of an episode one that no column holds."""
    ends = np.r_[EPISODE[1:] != EPISODE[:-1], True]
    shifted = np.r_[values[1:], values[:1]]
    return np.where(ends, shifted if values.dtype.kind in "US" else values[::-1], shifted)


def frame(**columns):
    return pd.DataFrame({**columns, "a": A, "ep": EPISODE})


def read(table, **roles):
    return terc.Trajectories.from_frame(table, action="a", episode="ep", **roles)


def doubts(table, **roles):
    return [note.text for note in read(table, **roles).notes if note.code == "next-value"]


@pytest.mark.parametrize(
    ("variable", "name"),
    [
        ("speed", "speed_next"),
        ("speed", "next_speed"),
        ("speed", "next.speed"),
        ("Speed", "nextSpeed"),
        ("speed", "speed[t+1]"),
        ("speed", "speed(t+1)"),
        ("speed[t]", "speed[t+1]"),
        ("speed_t", "speed_t+1"),
        ("speed(k)", "speed(k+1)"),
        ("seen_0", "seen_next_0"),
        ("arm.speed", "arm.next_speed"),
    ],
)
def test_a_next_value_by_name_and_by_what_it_holds_is_refused(variable, name):
    table = frame(**{variable: SPEED, "gap": GAP, name: later(SPEED)})
    with pytest.raises(BadValueError, match="would be known only after the action") as error:
        read(table)
    assert f"{name!r} is {variable!r} one step later" in str(error.value)
    assert read(table, ignore=[name]).names == (variable, "gap")
    assert outcomes(table, ignore=[variable]) == [name]
    assert outcomes(table.assign(**{name: GAP[::-1]})) == [name]


def test_what_the_agent_sees_ahead_is_read_without_doubt_where_the_caller_says_so():
    table = frame(piece=CELL, next_piece=later(CELL), gap=GAP, gap_ahead=later(GAP), next_obs=SPEED)
    everything = ["piece", "next_piece", "gap", "gap_ahead", "next_obs"]
    data = read(table, seen=["next_*", "gap_ahead"], nominal=["piece", "next_piece"])
    assert list(data.names) == everything and data.nominal == {"piece", "next_piece"}
    assert not {note.code for note in data.notes} & {"outcome", "next-value"}
    assert "next-value" in {note.code for note in read(table, seen="next_*").notes}


def test_only_what_was_named_is_taken_for_seen():
    table = frame(piece=CELL, next_piece=later(CELL), speed=SPEED, next_speed=later(SPEED))
    with pytest.raises(BadValueError, match=r"^from_frame: 'next_speed' is .*named by seen= \(--seen\)\."):
        read(table, seen="next_piece")
    with pytest.raises(BadValueError, match=r"^from_frame: 'reward' would .*named by seen= \(--seen\)\."):
        read(table.assign(reward=GAP), seen="next_*")


@pytest.mark.parametrize("name", ["next_pieces", "forward_*", "a"])
def test_what_is_seen_is_a_variable(name):
    with pytest.raises(UnknownNameError, match=f"seen: no variable named '{re.escape(name)}'"):
        read(frame(piece=CELL), seen=name)


def test_a_whole_array_may_be_seen(tmp_path):
    ahead = np.stack([later(SPEED), later(GAP)], axis=1)
    arrays = {"at": np.stack([SPEED, GAP], axis=1), "next_at": ahead, "a": A, "ep": EPISODE}
    np.savez(tmp_path / "steps.npz", **arrays)
    with pytest.raises(BadValueError, match="'next_at_0' is 'at_0' one step later"):
        terc.load(tmp_path / "steps.npz", action="a", episode="ep")
    data = terc.load(tmp_path / "steps.npz", action="a", episode="ep", seen="next_at")
    assert data.names == ("at_0", "at_1", "next_at_0", "next_at_1")
    data.save(tmp_path / "again.npz")
    again = terc.load(tmp_path / "again.npz")
    assert again == data and not {note.code for note in again.notes} & {"outcome", "next-value"}


def test_what_was_said_to_be_seen_is_doubted_neither_in_a_part_nor_when_it_was_saved(tmp_path):
    table = frame(piece=CELL, next_piece=later(CELL), gap=GAP, step=np.arange(N), pushed=A)
    data = read(table, seen="next_piece")
    data.save(tmp_path / "steps.parquet")
    for one in (data.only(["piece", "next_piece", "step"]), terc.load(tmp_path / "steps.parquet")):
        assert "id-like" in {note.code for note in one.notes}
        assert not {note.code for note in one.notes} & {"outcome", "next-value"}


def outcomes(table, **roles):
    texts = [note.text for note in read(table, **roles).notes if note.code == "outcome"]
    return [text.partition(" may be known only after the action")[0].strip("'") for text in texts]


def test_the_next_action_is_doubted_by_its_name_and_by_what_it_holds():
    table = frame(speed=SPEED, next_a=later(A))
    assert outcomes(table) == ["next_a"]
    assert "leak" in [note.code for note in read(table).notes]


@pytest.mark.parametrize("n", [3, 60])
def test_few_steps_do_not_refuse_the_name_of_a_next_value(n):
    assert outcomes(frame(speed=SPEED, next_speed=later(SPEED))[:n]) == ["next_speed"]


def test_what_is_seen_ahead_is_only_doubted():
    piece, following = RNG.integers(0, 7, (2, N))
    assert outcomes(frame(piece=piece, next_piece=following)) == ["next_piece"]
    assert outcomes(frame(**{"wind": SPEED, "wind_t+1": GAP})) == ["wind_t+1"]


@pytest.mark.parametrize("name", ["next_gate", "speed+1", "occupied_next_door", "next", "x[t+1]"])
def test_a_name_that_follows_no_other_column_is_not_refused(name):
    assert read(frame(**{"speed": SPEED, name: GAP})).names == ("speed", name)


@pytest.mark.parametrize("values", [SPEED, CELL, CELL % 2, np.array(list("abcde"))[CELL]])
@pytest.mark.parametrize("name", ["speed_t1", "speed_after", "n_speed", "other"])
def test_the_next_value_under_any_name_is_doubted(values, name):
    (text,) = doubts(frame(gap=GAP, speed=values, **{name: later(values)}))
    assert text.startswith(f"{name!r} is 'speed' one step later: fine if 'speed' is a past value, but if ")
    assert f"if {name!r} is known only after the action, leave it out: ignore=" in text


def test_several_are_one_doubt_that_names_each_pair():
    table = frame(speed=SPEED, gap=GAP, n_speed=later(SPEED), n_gap=later(GAP).astype(np.float32))
    (text,) = doubts(table)
    assert text.startswith("'n_speed' is 'speed', 'n_gap' is 'gap', each one step later: fine if the second")


def test_the_labels_of_a_next_value_may_be_given_as_numbers():
    assert len(doubts(frame(cell=CELL, other=later(CELL)), nominal=["cell"])) == 1


@pytest.mark.parametrize(
    "older",
    ["speed[t-1]", "speed(k-1)", "speed_t-1", "prev_speed", "speed_prev", "speedPrev", "last_speed",
     "speed_lag1", "lag_1_speed", "speed_1", "speed_tm1", "speed_one_step_ago"],
)  # fmt: skip
def test_a_frame_and_the_one_before_it_are_no_doubt(older):
    before = np.r_[SPEED[:1], SPEED[:-1]]
    assert not doubts(frame(speed=SPEED, gap=GAP, **{older: before}))


def test_columns_of_a_history_are_no_doubt():
    past = read(frame(speed=SPEED, gap=GAP)).with_history(3)
    assert len(past.names) == 8 and not next_values(past)
    numbered = [f"obs_{j}" for j in range(8)]
    assert not next_values(past._with(names=tuple(numbered)))
    assert next_values(past._with(names=tuple("abcdefgh")))


def test_a_next_value_beside_a_history_is_doubted():
    before = np.r_[SPEED[:1], SPEED[:-1]]
    table = frame(**{"speed": SPEED, "speed[t-1]": before, "other": later(SPEED)})
    assert [text.partition(":")[0] for text in doubts(table)] == ["'other' is 'speed' one step later"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (SPEED, np.r_[SPEED[5:], SPEED[:5]]),  # five steps later
        (SPEED, SPEED),  # a copy
        (np.full(N, 2.0), np.full(N, 2.0)),
        (EPISODE, EPISODE),
        (np.arange(N) % 30, np.arange(N) % 30 + 1),  # counters of steps
        (EPISODE >= 10, EPISODE >= 10),
        (np.arange(N) % 2, 1 - np.arange(N) % 2),  # says nothing that the other does not
        (SPEED, np.where(RNG.random(N) < 0.1, 0, later(SPEED))),
    ],
)
def test_what_is_no_next_value(one, other):
    assert not doubts(frame(one=one, other=other))


def test_days_of_the_week_are_no_next_values():
    days = {name: np.arange(N) % 7 == k for k, name in enumerate(("mon", "tue", "wed", "thu", "fri", "sat"))}
    assert not doubts(frame(speed=SPEED, **days))


def test_the_next_of_several_forces_is_a_leak():
    forces = RNG.normal(size=(2, N))
    table = pd.DataFrame({"x": SPEED, "n": 2 * later(forces[1]), "f": forces[0], "g": forces[1]})
    data = terc.Trajectories.from_frame(table.assign(ep=EPISODE), action=["f", "g"], episode="ep")
    (text,) = [note.text for note in data.notes if note.code == "leak"]
    assert text.startswith("'n' is the action of the next step, up to scale and offset: if it was recorded")


@pytest.mark.parametrize("scale", [1e-300, 1e-50, 1e-39, 1e30, 1e50, 1e300])
def test_very_small_and_very_large_numbers_are_compared_by_their_digits(scale):
    assert len(doubts(frame(speed=SPEED * scale, other=later(SPEED) * scale))) == 1
    alike = later(SPEED) * scale * np.linspace(1, 2, N)  # only the signs are those of the next value
    assert not doubts(frame(speed=SPEED * scale, other=alike))
