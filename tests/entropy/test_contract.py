"""One set of checks for every estimator there is a name for."""

import dataclasses
import warnings

import numpy as np
import pytest

from terc.entropy.base import Estimator, View
from terc.entropy.choose import ESTIMATORS, choose_estimator
from terc.errors import BadTypeError, BadValueError, UnknownNameError
from terc.trajectories.data import Trajectories

N = 400


@pytest.fixture(scope="module")
def data():
    """The action is the XOR of the first two bits; the third is noise."""
    x = np.random.default_rng(0).integers(0, 2, (N, 3))
    return Trajectories(x, x[:, 0] ^ x[:, 1], episodes=np.arange(N))


@pytest.fixture(params=sorted(ESTIMATORS))
def estimator(request):
    return ESTIMATORS[request.param]()


def test_it_is_frozen_settings_and_nothing_else(estimator):
    assert isinstance(estimator, Estimator)
    assert estimator == type(estimator)()
    assert eval(repr(estimator), _names_of(estimator)) == estimator  # the repr is how to make it again
    for field in dataclasses.fields(estimator):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(estimator, field.name, None)


def _names_of(estimator):
    parts = [estimator, *(getattr(estimator, field.name) for field in dataclasses.fields(estimator))]
    return {type(part).__name__: type(part) for part in parts}


def test_losses_of_many_subsets_at_once(estimator, data):
    before = data.states.copy()
    subsets = [(0, 1), (1, 0, 1), (0,), (), (0, 1, 2)]
    losses, again = (estimator.losses(data, subsets, rng=np.random.default_rng(1)) for _ in range(2))
    assert losses.ndim == 3
    assert losses.shape[0] == len(subsets)
    assert np.isfinite(losses).all()
    np.testing.assert_array_equal(losses, again)
    np.testing.assert_array_equal(data.states, before)
    both, in_any_order, one, none, everything = losses.mean((1, 2), dtype=float)
    assert both == pytest.approx(in_any_order, abs=0.02)
    assert none - one == pytest.approx(0, abs=0.1)
    assert none - both == pytest.approx(np.log(2), abs=0.1)
    assert none - everything == pytest.approx(np.log(2), abs=0.15)
    entropies = estimator.conditional_entropies(data, subsets, rng=np.random.default_rng(1))
    np.testing.assert_allclose(entropies, losses.mean((1, 2), dtype=float), rtol=1e-6)


@pytest.mark.parametrize("subset", [(3,), (-1,), (0, 7)])
def test_a_subset_holds_column_numbers(estimator, data, subset):
    with pytest.raises(BadValueError, match=r"column numbers 0\.\.2, got"):
        estimator.losses(data, [(0,), subset], rng=np.random.default_rng(0))


def test_it_is_silent(estimator, data, capfd):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        estimator.losses(data, [(0,)], rng=np.random.default_rng(1))
    assert capfd.readouterr() == ("", "")


def test_it_can_be_asked_for_by_name_or_passed_as_it_is(estimator, data):
    name = next(name for name, kind in ESTIMATORS.items() if kind is type(estimator))
    assert choose_estimator(data, name).estimator == estimator
    assert choose_estimator(data, estimator).estimator is estimator


def test_unknown_estimators_are_told_what_there_is(data):
    with pytest.raises(UnknownNameError, match="no estimator named 'forest'.*'auto'.*'plugin'.*'predictive'"):
        choose_estimator(data, "forest")
    with pytest.raises(BadTypeError, match="estimator must be a name or an Estimator, got int"):
        choose_estimator(data, 3)


def test_auto_counts_where_states_come_back_and_predicts_elsewhere(data):
    counted = choose_estimator(data, "auto")
    assert type(counted.estimator) is ESTIMATORS["plugin"]
    assert "8 different states in 400 steps" in counted.note
    numbers = np.random.default_rng(0).standard_normal((N, 3))
    for other in (Trajectories(numbers, data.actions), Trajectories(data.states, numbers[:, 0])):
        predicted = choose_estimator(other, "auto")
        assert type(predicted.estimator) is ESTIMATORS["predictive"]
        assert "networks" in predicted.note


def test_a_view_without_some_variables_shuffles_them():
    assert View.without((2, 0, 1), (2,)) == View((0, 1), (2,))
    assert View.without((0,), ()) == View((0,))
