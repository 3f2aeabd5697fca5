"""The self-check: silent on sound data, loud when p-values are too small."""

import numpy as np
import pytest

from terc.entropy.residuals import ResidualInstrument
from terc.entropy.splits import Splits, split
from terc.selection.calibration import SelfCheck, self_check
from terc.synthetic import drifting_noise, pure_noise


def checked(data, rng, splits=None, given=()):
    splits = splits or split(data.episodes, rng=rng)
    look = ResidualInstrument.of(data, splits, rng=rng)
    return self_check(look, given, None, alpha=0.05, rng=rng)


@pytest.mark.parametrize("make", [pure_noise, drifting_noise])
def test_sound_data_pass(make, rng):
    found = checked(make(2000, seed=3, noise=10).data, rng)
    assert found.copies >= 20
    assert found.false_alarms <= 0.2 * found.copies
    assert not found.off
    assert 0 <= found.null_high < 0.02


def test_drifting_columns_counted_by_step_are_reported(rng):
    data = drifting_noise(3000, seed=1, noise=10).data
    wrong = Splits(split(data.episodes, rng=rng).folds, np.arange(3000))
    found = checked(data, rng, wrong)
    assert found.off
    assert "p-values are too small here" in found.sentence


def test_the_ties_of_the_columns_to_the_action_are_broken(rng):
    data = pure_noise(1500, seed=0, noise=4).data
    copied = type(data)(data.states, (data.states[:, 0] > 0).astype(int), episodes=np.arange(1500))
    assert not checked(copied, rng).off


def test_off_means_rarer_than_one_in_a_thousand():
    # P(X >= 10) = 0.0008 and P(X >= 9) = 0.0028 for 60 draws at 0.05.
    assert SelfCheck(10, 60, 0.05, 0.0).off
    assert not SelfCheck(9, 60, 0.05, 0.0).off
    assert SelfCheck(9, 60, 0.05, 0.0).sentence.startswith("self-check: 9 of 60 shifted copies")
