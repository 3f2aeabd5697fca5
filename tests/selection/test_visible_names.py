"""Names that try to hide, to jump lines or to turn text around."""

import pytest

from terc.selection.visible_names import (
    columns,
    distinct,
    listed,
    right_to_left,
    shortened,
    steady,
    visible,
    wrapped,
)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("speed", "speed"),
        ("a\nb", r"a\nb"),
        ("a\tb\r", r"a\tb\r"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("abc\u202edef", r"abc\u202edef"),
        ("\u2066x\u2069", r"\u2066x\u2069"),
        ("x\u200by", r"x\u200by"),
        ("\ud800", r"\ud800"),
        ("\x00", r"\x00"),
        ("", "''"),
        (" x", "' x'"),
        ("שלום", "שלום"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        (7, "7"),
    ],
)
def test_everything_can_be_seen(name, shown):
    assert visible(name) == shown
    assert visible(name).encode("utf8").decode("utf8").isprintable()


def test_wide_and_combining_characters_are_counted_as_terminals_draw_them():
    assert columns("速度") == 4
    assert columns("e\u0301") == 1


@pytest.mark.parametrize("room", [5, 8, 9, 20])
@pytest.mark.parametrize("text", ["left_front_wheel_speed", "速度速度速度速度速度速度", "x"])
def test_shortened_fits_and_keeps_both_ends(text, room):
    short = shortened(text, room)
    assert columns(short) <= room
    assert short == text or (short[0] == text[0] and short[-1] == text[-1] and "…" in short)


def test_only_names_with_right_to_left_letters_get_marks():
    assert right_to_left("abc שלום")
    assert steady("abc") == "abc"
    assert steady("שלום") == "\u200eשלום\u200e"


def test_a_list_names_a_few_and_counts_the_others():
    assert listed([]) == ""
    assert listed(["a", "b"]) == "a, b"
    assert listed("abcdef", most=2) == "a, b and 4 more"


FRAMES = [f"{name}{lag}" for name in ("cart_position", "cart_velocity") for lag in ("[t-2]", "[t-1]", "")]
JOINTS = [f"observation.state.left_arm.joint_{k}.position_sensor.filtered" for k in range(12)]
WIDE = ["速度速度速度左速度速度", "速度速度速度右速度速度"]


@pytest.mark.parametrize("room", [12, 18, 30])
@pytest.mark.parametrize("names", [FRAMES, JOINTS, WIDE])
def test_a_shortened_name_fits_no_other_name(names, room):
    for name in names:
        short = distinct(name, names, room)
        parts = short.split("…")
        assert columns(short) <= room
        fits = [one for one in names if one.startswith(parts[0]) and one.endswith(parts[-1])]
        assert [one for one in fits if all(part in one for part in parts)] == [name] or short == name


def test_names_of_any_length_that_differ_in_several_places_are_still_cut():
    names = [f"{a}{'x' * 5000}{b}{'y' * 5000}" for a in "pq" for b in "pq"]
    assert all(columns(distinct(name, names, 20)) <= 20 for name in names)


def test_each_name_of_a_list_is_shortened_by_itself():
    assert listed(FRAMES[:1], 3, 11, FRAMES) != listed(FRAMES[3:4], 3, 11, FRAMES)
    long = listed(["sin_angle_of_the_upper_arm", "angular_velocity_of_the_upper_arm"], room=14)
    first, second = long.split(", ")
    assert first.startswith("sin_") and second.startswith("angular") and "…" in first and "…" in second


def test_text_is_broken_at_spaces_and_counted_in_columns():
    assert wrapped("redundant given angle, side", 16) == ["redundant given", "angle, side"]
    assert wrapped("速度速度 速度", 8) == ["速度速度", "速度"]
    assert wrapped("a" * 20, 8) == ["a" * 20] and wrapped("", 8) == [""]


@pytest.mark.parametrize("room", [0, 1, 2, 3])
def test_names_end_where_there_is_no_room_for_a_difference(room):
    names = ["speed_a_left", "speed_b_left", "speed_c_left"]
    assert columns(distinct(names[0], names, room)) <= max(room, 1)
