"""What a selection itself says to doubt."""

from dataclasses import replace

import pytest

from terc.entropy.base import Held
from terc.entropy.evidence import Evidence
from terc.selection.doubts import doubts, settled
from terc.selection.result import Verdict

KEPT = Verdict("x", 0.5, 0.4, 0.6, 0.0, 0.0, True, "needed")
GONE = Verdict("y", 0.0, 0.0, 0.0, 0.0, 1.0, False, "irrelevant")
CLOSE = Verdict("z", 0.0, 0.0, 0.0, 0.0, 1.0, False, "irrelevant", undecided=True, steps_needed=9000)


def held(lost, error, information=0.5, entropy=0.7, chance=1.0):
    return Held(information, entropy, Evidence(lost, error, chance, False, "networks"), 0.005)


@pytest.mark.parametrize(
    ("rows", "what", "codes"),
    [
        ([KEPT, GONE], held(0.0, 0.001), []),
        ([KEPT, GONE], held(0.1, 0.001), ["low-share"]),
        ([KEPT, GONE], held(0.01, 0.1), ["wide-share"]),
        ([KEPT, GONE], held(0.02, 0.002, chance=1e-9), ["sure-loss"]),
        ([KEPT, GONE], held(0.006, 0.002, chance=1e-3), []),
        ([KEPT], held(0.01, 0.1), []),
        ([GONE], held(0.5, 0.1), []),
        ([KEPT, CLOSE], held(0.0, 0.001), ["undecided"]),
        ([KEPT, GONE], held(0.0, 0.001, information=0.02), ["little-explained"]),
        ([GONE], held(0.0, 0.0, information=0.0), ["no-information"]),
        ([KEPT, CLOSE], None, ["undecided"]),
    ],
)
def test_each_doubt_has_its_code(rows, what, codes):
    found = list(doubts(rows, what))
    assert [note.code for note in found] == codes
    assert all(note.kind == "doubt" for note in found)


def test_where_nothing_carries_anything_nothing_is_undecided():
    nothing = held(0.0, 0.0, information=0.0)
    assert [row.undecided for row in settled([KEPT, CLOSE], nothing)] == [False, False]
    assert settled([KEPT, CLOSE], held(0.0, 0.001)) == (KEPT, CLOSE)
    assert settled([KEPT, CLOSE], None) == (KEPT, CLOSE)


def test_no_number_of_steps_is_named_where_it_would_be_absurd():
    far = replace(CLOSE, steps_needed=None)
    (note,) = doubts([KEPT, far], None)
    assert note.text == "undecided whether the actions need z; more steps may not decide."
