"""Judging a kept set."""

from __future__ import annotations

import pytest

from terc.synthetic import Labelled, four_redundant, ipd_cycle


@pytest.fixture
def xor() -> Labelled:
    return four_redundant(50)


@pytest.mark.parametrize(
    ("kept", "exact"),
    [
        (["x1", "x2", "x3"], True),
        (["x3", "x6", "x2"], True),
        (["x2", "x3"], False),
        (["x1", "x4", "x2", "x3"], False),
        (["x1", "x2", "x3", "other"], False),
        ([], False),
    ],
)
def test_exactly_one_of_each_class(xor: Labelled, kept: list[str], exact: bool) -> None:
    assert xor.is_exact(kept) is exact


def test_missed_names_the_class(xor: Labelled) -> None:
    assert xor.missed(["x3"]) == (("x1", "x4", "x5", "x6"), ("x2",))


def test_wrong_names_strangers_and_seconds(xor: Labelled) -> None:
    assert xor.wrong(["x1", "x4", "stranger", "x2", "x3"]) == ("x4", "stranger")


def test_alternatives_are_judged_by_the_closest() -> None:
    cycle = ipd_cycle(100, tats=4)
    assert cycle.wrong(["pair_4", "pair_8"]) == ("pair_8",)
    assert cycle.missed(["pair_1", "pair_2"]) == (("pair_3", "pair_7"),)
