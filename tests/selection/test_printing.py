"""What `print(selection)` shows."""

from dataclasses import replace

import pytest
from example_data import cart_pole, copies, secret_keys

from terc.selection.printing import decimals, number, strongest_first, table, verdict_sentence, why
from terc.selection.result import Interval, Note, Selection, Verdict
from terc.selection.visible_names import columns

HOSTILE = [
    "<script>alert(1)</script>",
    "quo\"te's",
    "line\nbreak",
    "\x1b[31mred\x07",
    "\u202eevil",
    "שלום",
    "x" * 200,
]


def renamed(selection, names):
    pairs = zip(selection.verdicts, names, strict=False)
    return replace(selection, verdicts=tuple(replace(v, name=n) for v, n in pairs))


def test_kept_come_first_with_gain_and_interval_then_the_removed_with_their_reason():
    text = str(cart_pole())
    lines = text.splitlines()
    assert lines[0] == "4 of 7 variables kept; they hold 99.6 % [99.1, 99.9] of the action information."
    assert "10,000 steps in 52 episodes" in lines[1]
    kept = next(i for i, line in enumerate(lines) if line.startswith("kept"))
    removed = next(i for i, line in enumerate(lines) if line.startswith("removed"))
    assert kept < removed
    assert lines[kept + 1].split()[:2] == ["theta_dot", "0.312"]
    assert "[0.290, 0.334]" in lines[kept + 1]
    assert "irrelevant" in lines[removed + 1]
    assert "mixture of predictors: counts, network" in text


def test_redundant_variables_say_who_stands_in():
    text = str(copies())
    assert "redundant given angle, side" in text
    assert "undecided" in text
    assert "constant" in text


def test_hundreds_of_variables_are_abbreviated_but_counted():
    text = str(secret_keys(300))
    assert len(text.splitlines()) < 80
    assert "277 more: 277 irrelevant" in text
    for name in ("key_1", "key_5", "key_299"):
        assert f"  {name} " in text


@pytest.mark.parametrize("make", [cart_pole, copies, lambda: secret_keys(300)])
def test_lines_fit_the_terminal(make):
    assert max(columns(line) for line in str(make()).splitlines()) <= 100


def test_hostile_names_are_plain_text_on_one_line_each():
    text = table(renamed(cart_pole(), HOSTILE))
    assert all(c.isprintable() or c in "\n\u200e" for c in text)
    assert r"line\nbreak" in text
    assert r"\x1b[31mred\x07" in text
    assert r"\u202eevil" in text
    assert "<script>alert(1)</script>" in text
    assert "\u200eשלום\u200e" in text
    assert max(columns(line) for line in text.splitlines()) <= 100
    assert len(text.splitlines()) == len(table(cart_pole()).splitlines())


def test_columns_stay_aligned_whatever_the_names():
    text = table(renamed(cart_pole(), ["速度", "שלום", "e\u0301", "plain", *"abc"]))
    rows = [line for line in text.splitlines() if line.startswith("  ") and "[" in line]
    assert len({columns(line[: line.index("[")]) for line in rows}) == 1


def test_nothing_kept_and_nothing_measured_are_said_in_words():
    row = Verdict("x", float("nan"), float("nan"), float("nan"), float("nan"), 1.0, False, "irrelevant")
    nothing = Selection((row,))
    assert verdict_sentence(nothing).startswith("None of the 1 variable kept")
    assert "nan" not in str(nothing)
    kept = Selection((replace(row, kept=True, reason="asked for", gain=0.2),))
    assert verdict_sentence(kept) == "1 of 1 variable kept."
    assert "[" not in str(kept).splitlines()[-1]


def test_names_in_a_reason_are_not_run_into_one():
    names = ("sin_angle", "angular_velocity", "cart_position[t-2]", "cart_velocity[t-2]", "cart_velocity")
    given = [names[:2], (names[2], names[4]), names[:1], names[3:4]]
    rows = [
        replace(copies().verdicts[1], name=f"a_long_name_of_the_variable_{k}", given=names)
        for k, names in enumerate(given)
    ]
    kept = [replace(copies().verdicts[0], name=name) for name in names]
    text = str(Selection((*kept, *rows), retained=Interval(1, 1, 1)))
    said = " ".join(text.split("removed")[1].split())
    assert "redundant given sin_angle, angular_velocity" in said
    assert "redundant given cart_position[t-2] and 1 more" in said or "cart_position[t-2], cart_vel" in said
    assert max(columns(line) for line in text.splitlines()) <= 96


def test_what_is_undecided_is_not_said_to_be_settled():
    row = Verdict("x", 0.002, -0.001, 0.005, 0.003, 0.3, False, "irrelevant", undecided=True)
    said = "None of the 1 variable kept: none surely bears on the action, and whether x does is undecided."
    assert verdict_sentence(Selection((row,))) == said
    assert why(row) == "irrelevant so far, undecided"
    assert why(replace(row, reason="redundant", given=("y",))) == "redundant given y so far, undecided"
    read = replace(row, low=0.001, p_value=1e-9, kept=True, reason="needed", acts="together")
    assert why(read) == "needed, only with others, undecided whether material"
    assert why(replace(read, low=0.0)) == "needed so far, only with others, undecided"
    little = replace(row, undecided=False, reason="negligible")
    assert "as much about the action as the smallest" in verdict_sentence(Selection((little,)))


def test_notes_of_several_lines_are_wrapped_not_broken():
    text = str(replace(cart_pole(), notes=(Note("fact", "long", "first\nsecond " + "long " * 40),)))
    assert "- first second" in text
    assert max(map(len, text.splitlines())) <= 100


def test_numbers():
    assert decimals([]) == 3
    assert decimals([float("nan"), 0.5]) == 3
    assert number(-1e-9, 3) == "0.000"
    assert number(-0.5, 1) == "-0.5"


def test_strongest_first_puts_unmeasured_last_and_redundant_before_irrelevant():
    rows = strongest_first(copies(), kept=False)
    assert [v.reason for v in rows] == ["redundant", "redundant", "irrelevant", "constant"]
    unknown = replace(copies().verdicts[0], name="unknown", gain=float("nan"))
    selection = Selection((unknown, *copies().verdicts), retained=Interval(1, 1, 1))
    assert strongest_first(selection, kept=True)[-1].name == "unknown"


def test_doubts_stand_above_the_variables_and_facts_below():
    kinds = (
        Note("doubt", "low-share", "something may be missing."),
        Note("fact", "steps", "decided on all."),
    )
    text = str(replace(cart_pole(), notes=kinds))
    places = [text.index(words) for words in ("doubt: something", "\nkept ", "\nnotes\n  - decided on all.")]
    assert places == sorted(places)
