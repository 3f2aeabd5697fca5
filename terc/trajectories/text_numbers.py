"""Labels that were meant as numbers: a strange cell, another notation or a unit makes text of them."""

from __future__ import annotations

import re

import numpy as np

from terc.errors import BadTypeError, BadValueError, warn
from terc.trajectories.columns import LARGEST_EXACT_INTEGER, SPACES, Column
from terc.trajectories.csv_dialect import THOUSANDS
from terc.trajectories.lists import LABELS, numbers_in

NUMBER = re.compile(
    rf"[+-]?\d{{1,3}}([.,'{SPACES}]\d{{3}})+([.,]\d*)?|[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?"
)
"""A number in any notation, with or without signs between thousands."""
PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
"""A number as Python and pandas read it."""
UNIT = re.compile(r"[^\d.,]+$")
"""What stands behind a number: a unit, or a sign of percent."""
FEWEST_LABELLED = 20
"""Steps beyond which labels should come back; an example of a few rows need not."""
FEWEST_NUMBERS, SHARE_OF_NUMBERS, MOST_LABELS = 20, 0.9, 10_000
"""Text counts as numbers from this many on, at this share of the first labels; codes are fewer."""
NOTHING = {"-", "--", "?", ".", "missing", "null", "nan", "n/a", "na", "#n/a"}
"""Cells that say that there is no number: beside these two numbers are enough."""
WORDS = {
    "states": f"(and missing='indicator', --missing indicator), {LABELS}",
    "actions": "and leave out those steps; labels need action_kind='discrete', or are written as words",
}
"""What else can be done about a cell that is no number."""


def refuse_numbers_as_text(where: str, column: Column) -> None:
    """Text that is nearly all numbers, or lists of them, has a few strange cells or another notation.

    Args:
        where: "states" or "actions".
        column: Labels that nobody called labels.
    """
    texts = [label for label in (column.levels or ())[:MOST_LABELS] if isinstance(label, str)]
    numbers = [label for label in texts if NUMBER.fullmatch(label.strip())]
    what, found = "numbers", numbers
    if not numbers:
        what, found = "lists of numbers", [label for label in texts if numbers_in(label) is not None]
    others = sorted({*texts} - {*found})
    if not _mostly(column, found, others):
        _refuse_units(where, column, texts)
        return
    decimals = [label for label in numbers if set(label) & set(".,")]
    decimal = max(decimals, key=lambda label: sum(map(label.count, "., '")), default=None)
    if others:
        steps = int((column.values == (column.levels or ()).index(others[0])).sum())
        raise BadTypeError(
            f"{where}: column {column.name!r} holds {what}, and {others[0]!r} in {steps} step(s); delete "
            f"these rows, empty these cells {WORDS[where]}."
        )
    if decimal is not None:
        way_out = "write them like 1234.5"
        if all(PLAIN.fullmatch(label.strip()) for label in numbers) and not _perhaps_thousands(numbers):
            way_out = "make numbers of them (pandas.to_numeric of a column, .astype(float) of an array)"
        raise BadTypeError(
            f"{where}: column {column.name!r} holds numbers as text, such as {decimal!r}; {way_out}, or say "
            f"that it holds labels, {_as_labels(where)}."
        )


def _mostly(column: Column, found: list[str], others: list[str]) -> bool:
    """Whether no labels were meant: most are numbers, or all others say nothing or repeat the header."""
    if len(found) >= FEWEST_NUMBERS and len(found) >= SHARE_OF_NUMBERS * (len(found) + len(others)):
        return True
    nothing = {*NOTHING, column.name.lower()}
    return len(found) > 1 and bool(others) and all(label.strip().lower() in nothing for label in others)


def _perhaps_thousands(numbers: list[str]) -> bool:
    """Whether each point may stand between thousands, as in 1.234 beside 205."""
    points = [label for label in numbers if "." in label]
    return len(points) < len(numbers) and all(THOUSANDS.fullmatch(label.strip()) for label in points)


def _refuse_units(where: str, column: Column, texts: list[str]) -> None:
    """Numbers that all have the same unit behind them."""
    units = {match.group() if (match := UNIT.search(label.strip())) else "" for label in texts}
    # A letter behind a whole number is a seat or a house as well.
    code = all(unit.isalpha() and len(unit) == 1 for unit in units) and not any("." in text for text in texts)
    if len(texts) < FEWEST_NUMBERS or len(units) > 1 or code:
        return
    if all(NUMBER.fullmatch(UNIT.sub("", label.strip()).strip()) for label in texts):
        raise BadTypeError(
            f"{where}: column {column.name!r} holds numbers with {units.pop().strip()!r} behind them, such "
            f"as {texts[0]!r}; write the numbers alone, or say that it holds labels, {_as_labels(where)}."
        )


def _as_labels(where: str) -> str:
    return "nominal= (--nominal)" if where == "states" else "action_kind='discrete'"


def warn_of_many_levels(what: str, column: Column) -> None:
    """Say so where most steps have a label of their own."""
    n, n_levels = len(column.values), len(column.levels or ())
    if _too_many(n_levels, n):
        warn(
            f"{what} has {n_levels} different labels in {n} steps; if it should "
            "be a number, look for a cell that is not one, and if it is an identifier, leave it out."
        )


def refuse_too_many_labels(where: str, column: Column) -> None:
    """What is predicted must come back: labels that most steps have for themselves teach nothing.

    Whole numbers are left in peace: an environment with many actions may have been played for a moment.
    """
    values = column.values.astype(np.float64)
    largest = np.abs(values).max()
    if column.levels is None and largest < LARGEST_EXACT_INTEGER and np.array_equal(values, np.round(values)):
        return
    n, n_levels = len(values), len(np.unique(values))
    if not _too_many(n_levels, n):
        return
    way_out = "leave out action_kind='discrete', so that they are read as numbers"
    if column.levels is not None:
        way_out = "give numbers where they are numbers (a strange cell makes text of all), else fewer labels"
    raise BadValueError(
        f"{where}: column {column.name!r} has {n_levels} different labels in {n} steps, too few steps of "
        f"each to learn from; {way_out}."
    )


def _too_many(n_levels: int, n: int) -> bool:
    return n > FEWEST_LABELLED and n_levels > n / 2
