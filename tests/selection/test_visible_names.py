"""Names that try to hide, to jump lines or to turn text around."""

import pytest

from terc.selection.visible_names import columns, listed, right_to_left, shortened, steady, visible


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
