import numpy as np
import pytest

from terc.entropy.counting import CountedEntropies
from terc.entropy.ksg import comparable, differential_entropy, local_mutual_information
from terc.errors import BadValueError


def mutual_information(x, y):
    return local_mutual_information(x, y).mean()


@pytest.mark.parametrize("correlation", [0.2, 0.5, 0.8])
def test_gaussian_pairs(correlation, rng):
    x, noise = rng.standard_normal((2, 5000))
    y = correlation * x + np.sqrt(1 - correlation**2) * noise
    truth = -0.5 * np.log(1 - correlation**2)
    assert mutual_information(comparable(x), comparable(y)) == pytest.approx(truth, abs=0.05)


def test_units_and_increasing_maps_change_nothing(rng):
    x, noise = rng.standard_normal((2, 800))
    y = x + noise
    plain = mutual_information(comparable(x), comparable(y))
    assert mutual_information(comparable(1e6 * x + 1e6), comparable(np.exp(y))) == plain


def test_a_discrete_action_of_a_continuous_state(rng):
    x = rng.uniform(-1, 1, (4000, 2))
    action = (x[:, 0] > 0).astype(int)
    assert mutual_information(comparable(x), comparable(action, labels=True)) == pytest.approx(
        np.log(2), abs=0.05
    )
    assert mutual_information(comparable(x[:, 1:]), comparable(action, labels=True)) == pytest.approx(
        0, abs=0.03
    )


def test_discrete_data_give_the_counted_value(rng):
    x = rng.integers(0, 3, (4000, 2))
    action = (x[:, 0] + rng.integers(0, 2, 4000)) % 3
    counted = CountedEntropies(x, action).information([0, 1])
    found = mutual_information(comparable(x, labels=[0, 1]), comparable(action, labels=True))
    assert found == pytest.approx(counted, abs=0.005)


def test_one_term_per_step_and_nothing_from_no_columns(rng):
    x, y = comparable(rng.normal(size=400)), comparable(rng.normal(size=400))
    assert local_mutual_information(x, y).shape == (400,)
    assert mutual_information(x[:, :0], y) == pytest.approx(0, abs=0.01)


def test_entropy_of_a_normal_density(rng):
    assert differential_entropy(rng.normal(0, 3, 5000)) == pytest.approx(
        0.5 * np.log(2 * np.pi * np.e * 9), abs=0.05
    )
    assert differential_entropy(np.zeros(100)) == -np.inf


def test_bad_input():
    with pytest.raises(BadValueError, match="as many rows in x as in y, got 3 and 4"):
        local_mutual_information(np.zeros((3, 1)), np.zeros((4, 1)))
    with pytest.raises(BadValueError, match="got k=5, 5 rows"):
        local_mutual_information(np.zeros((5, 1)), np.zeros((5, 1)))
