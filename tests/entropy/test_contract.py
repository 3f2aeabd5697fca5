"""One set of checks for every estimator there is a name for."""

import dataclasses
import warnings

import numpy as np
import pytest

from terc.entropy.base import Estimator
from terc.entropy.choose import choose_estimator
from terc.entropy.estimators import ESTIMATORS
from terc.errors import BadTypeError, BadValueError, UnknownNameError
from terc.selection.select import select
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
    more = [one for part in parts if isinstance(part, tuple) for one in part]
    more += [one.training for one in more if hasattr(one, "training")]
    return {type(part).__name__: type(part) for part in (*parts, *more)}


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


def test_it_can_be_asked_for_by_name_or_passed_as_it_is(estimator):
    name = next(name for name, kind in ESTIMATORS.items() if kind is type(estimator))
    assert choose_estimator(name) == estimator
    assert choose_estimator(estimator) is estimator


def test_unknown_estimators_are_told_what_there_is():
    with pytest.raises(UnknownNameError, match="no estimator named 'forest'.*auto.*plugin.*predictive"):
        choose_estimator("forest")
    with pytest.raises(BadTypeError, match="estimator must be a name or an Estimator, got int"):
        choose_estimator(3)


def test_auto_is_the_mixture():
    assert choose_estimator("auto") == choose_estimator("predictive")


class Correlation(Estimator):
    """A user's own: the entropy of a normal action given a linear prediction of it."""

    def _losses(self, data, subsets, *, rng):
        one = np.ones((len(data), 1))
        xs = [np.hstack([one, data.states[:, subset]]) for subset in map(list, subsets)]
        rest = [data.actions - x @ np.linalg.lstsq(x, data.actions, rcond=None)[0] for x in xs]
        return np.array([0.5 * (np.log(r.var()) + r**2 / r.var()) for r in rest])[:, None]


def test_an_estimator_of_ten_lines_drives_select():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((900, 4))
    x[:, 3] = -2 * x[:, 0]
    data = Trajectories(
        x, x[:, 0] - 0.5 * x[:, 1] + 0.5 * rng.standard_normal(900), episodes=np.arange(900) // 9
    )
    selection = select(data, Correlation(), order=["x_3"])
    assert selection.kept == ("x_0", "x_1")
    assert {r.name: (r.reason, r.given) for r in selection.removed} == {
        "x_2": ("irrelevant", ()),
        "x_3": ("redundant", ("x_0",)),
    }
    assert selection.retained.value > 0.99
    assert select(data, Correlation(), method="naive").kept == ("x_1",)
    assert select(data, Correlation(), error_rate="discovery", keep=["x_3"]).kept == ("x_1", "x_3")
