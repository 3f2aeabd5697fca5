"""What a selection itself says to doubt."""

from dataclasses import replace

import numpy as np
import pytest

from terc.entropy.base import Held
from terc.entropy.evidence import Evidence
from terc.selection.doubts import doubts, repeated, settled
from terc.selection.result import Verdict
from terc.selection.select import select
from terc.trajectories.data import Trajectories

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
        ([KEPT, GONE], held(0.012, 0.008, chance=0.1), ["wide-share"]),
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
    # What shows a sentence begins it with a capital letter, which would change a name.
    assert not [note for note in found if note.text.split()[0] in {row.name for row in rows}]
    undecided = [note.text for note in found if note.code == "undecided"]
    assert all("about 9,000 steps in all would decide" in text for text in undecided)


def test_what_is_negligible_alone_and_not_together_is_named():
    little = [replace(GONE, name=name, gain=0.004, reason="negligible") for name in "abcde"]
    (note,) = doubts([KEPT, *little], held(0.02, 0.002, chance=1e-9))
    assert "a, b, c and 2 more, each negligible, matter together" in note.text
    (other,) = doubts([KEPT, little[0]], held(0.02, 0.002, chance=1e-9))
    assert "these steps cannot show what" in other.text


def test_where_nothing_carries_anything_nothing_is_undecided():
    nothing = held(0.0, 0.0, information=0.0)
    assert [row.undecided for row in settled([KEPT, CLOSE], nothing)] == [False, False]
    assert settled([KEPT, CLOSE], held(0.0, 0.001)) == (KEPT, CLOSE)
    assert settled([KEPT, CLOSE], None) == (KEPT, CLOSE)


def test_no_number_of_steps_is_named_where_it_would_be_absurd():
    far = replace(CLOSE, steps_needed=None)
    (note,) = doubts([KEPT, far], None)
    assert note.text == "undecided whether z is needed; more steps may not decide."


def test_of_what_is_surely_read_only_whether_it_is_material_is_undecided():
    """p = 3e-11, and an interval around the floor."""
    read = Verdict("w", 0.0024, 0.0018, 0.003, 0.002, 3e-11, True, "needed", undecided=True)
    read = replace(read, steps_needed=7000)
    (note,) = doubts([KEPT, read], None)
    said = "undecided whether w is material (min_effect), though that it bears on the action is sure"
    assert note.text == f"{said}; about 7,000 steps in all would decide."
    first, second = doubts([KEPT, read, CLOSE], None)
    assert first.text.startswith("undecided whether z is needed; about 9,000")
    assert second == note
    unsure = replace(read, low=-0.0001)
    assert "undecided whether w is needed" in next(doubts([KEPT, unsure], None)).text


def test_what_may_echo_is_a_doubt():
    (note,) = doubts([KEPT, GONE], held(0.0, 0.001), ["x"])
    assert note.code == "unlearnt" and note.text.startswith("of the kept variables, x may only repeat")


def test_a_removed_variable_that_only_repeats_the_kept_ones_is_a_fact():
    (note,) = repeated([KEPT, GONE], [KEPT.name, GONE.name])
    assert (note.kind, note.code) == ("fact", "repeated")
    assert note.text.startswith(f"of the removed variables, {GONE.name} only repeats, with noise")
    assert list(repeated([KEPT, GONE], [KEPT.name])) == []


def test_a_noisy_copy_of_a_rule_that_is_not_learnt_is_doubted(seed):
    """The torque is that of the nearest of sixteen cases, too many for these steps; `mate` repeats it."""
    rng = np.random.default_rng(seed)
    x, cases = rng.standard_normal((1500, 3)), rng.standard_normal((16, 3))
    wanted = rng.uniform(-2, 2, 16)[np.square(x[:, None] - cases).sum(2).argmin(1)]
    mate = wanted + 0.7 * rng.standard_normal(1500)
    data = Trajectories(
        np.column_stack([x, mate]), wanted + 0.1 * rng.standard_normal(1500), episodes=np.arange(1500) // 20
    )
    found = select(data, seed=seed)
    assert "x_3" not in found.kept or "unlearnt" in [note.code for note in found.notes]
