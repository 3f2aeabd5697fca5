"""Contract of every family: sizes, seeds, answers among the variables, exact probabilities."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from terc.errors import BadValueError, UnknownNameError
from terc.synthetic import CASES, FAMILIES, copies, ipd_play, many_columns, secret_keys, weak_link

KNOWN = [
    name for name, make in FAMILIES.items() if "with_probabilities" in inspect.signature(make).parameters
]


@pytest.mark.parametrize("case", CASES)
def test_a_case_is_labelled_with_its_own_variables(case: str) -> None:
    found = CASES[case](700, seed=3)
    assert len(found.data) == 700
    members = [name for answer in (found.answers, *found.alternatives) for group in answer for name in group]
    assert set(members) <= set(found.data.names)
    first_of_each = [group[0] for group in found.answers]
    assert found.is_exact(first_of_each)
    assert not found.missed(first_of_each)
    assert not found.wrong(first_of_each)


@pytest.mark.parametrize("name", FAMILIES)
def test_seeds_decide_everything(name: str) -> None:
    one, same, other = (FAMILIES[name](400, seed=seed).data for seed in (5, 5, 6))
    assert np.array_equal(one.states, same.states)
    assert np.array_equal(one.actions, same.actions)
    if name != "ipd_cycle":
        assert not np.array_equal(one.states, other.states)


@pytest.mark.parametrize("name", KNOWN)
def test_probabilities_are_those_of_the_actions(name: str) -> None:
    """The actions must be draws from the attached probabilities: the mean log loss is their mean entropy."""
    data = FAMILIES[name](4_000, seed=2, with_probabilities=True).data
    p = data.probabilities
    assert p is not None
    assert np.allclose(p.sum(axis=1), 1)
    taken = p[np.arange(len(data)), data.actions]
    assert (taken > 0).all()
    logs = np.log(np.where(p > 0, p, 1))
    entropy = -(p * logs).sum(axis=1)
    spread = np.sqrt((p * logs**2).sum(axis=1) - entropy**2)
    excess = -np.log(taken) - entropy
    assert abs(excess.mean()) <= 4 * spread.mean() / np.sqrt(len(data)) + 1e-12
    plain = FAMILIES[name](4_000, seed=2).data
    assert plain.probabilities is None
    assert np.array_equal(plain.actions, data.actions)


def test_secret_keys_with_noise_have_the_exact_probabilities() -> None:
    """Against a brute-force histogram of rounded, clipped noise for one secret."""
    data = secret_keys(500, seed=1, noise=10, with_probabilities=True).data
    positions = [data.column(name) for (name,) in secret_keys(500, seed=1, noise=10).answers]
    secret = (data.states[:, positions] @ [3, -3, 1]).astype(int)
    assert data.probabilities is not None
    row = int(np.argmax(secret))
    guesses = np.clip(np.rint(secret[row] + 10 * np.random.default_rng(0).standard_normal(400_000)), -40, 40)
    share = np.bincount(guesses.astype(int) + 40, minlength=81) / len(guesses)
    assert np.abs(data.probabilities[row] - share).max() < 0.004


def test_expert_keys_name_the_secret() -> None:
    found = secret_keys(500, seed=4)
    y1, y2, y3 = (found.data.states[:, found.data.column(name)] for (name,) in found.answers)
    assert np.array_equal(found.data.actions, 3 * y1 - 3 * y2 + y3 + 40)


@pytest.mark.parametrize("kind", ["linear", "cube", "noisy"])
def test_copies_are_what_they_say(kind: str) -> None:
    data = copies(2_000, seed=1, kind=kind).data
    x, copy = (data.states[:, data.column(name)] for name in ("x1", "copy_1"))
    if kind == "noisy":
        assert 0.008 < (copy - x).std() < 0.012
    else:
        assert np.allclose(copy, 3 * x + 2 if kind == "linear" else x**3)


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="copies: no kind named 'square'. Available: "):
        copies(kind="square")
    with pytest.raises(BadValueError, match="keys must be at least 3, got 2"):
        secret_keys(keys=2)
    with pytest.raises(BadValueError, match="weak_link: nats must lie between 0 and"):
        weak_link(nats=5.0)
    with pytest.raises(BadValueError, match="history must be at least 4, got 3"):
        ipd_play(tats=5, history=3)
    with pytest.raises(BadValueError, match="variables must be at least 10, got 9"):
        many_columns(variables=9)
