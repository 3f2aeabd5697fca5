"""Contract of every kind, and for some the exact or integrated worth of what is called needed."""

from __future__ import annotations

import inspect

import numpy as np
import numpy.typing as npt
import pytest

from terc.synthetic import CASES, KINDS, KINDS_SET_ASIDE, Labelled
from terc.synthetic.columns import logistic, softmax
from terc.synthetic.policies import _network, _network_with_a_weak_input, shares_of_information

Floats = npt.NDArray[np.float64]
EVERY = KINDS | KINDS_SET_ASIDE
KNOWN = [name for name, make in EVERY.items() if "with_probabilities" in inspect.signature(make).parameters]


def entropy(p: Floats) -> float:
    """Mean over rows, in nats."""
    return float(-(p * np.log(np.clip(p, 1e-300, 1))).sum(axis=-1).mean())


def two(p: Floats) -> Floats:
    return np.stack([1 - p, p], axis=-1)


def column(found: Labelled, name: str) -> Floats:
    return found.data.states[:, found.data.column(name)]


def counted(found: Labelled, names: tuple[str, ...]) -> float:
    """H(A | some columns) by the true probabilities, or else the actions, averaged in each cell."""
    data = found.data
    p = (
        np.eye(int(data.actions.max()) + 1)[data.actions]
        if data.probabilities is None
        else data.probabilities
    )
    if not names:
        return entropy(p.mean(axis=0, keepdims=True))
    columns = np.column_stack([column(found, name) for name in names])
    cell = np.unique(columns, axis=0, return_inverse=True)[1].reshape(-1)
    total = np.zeros((cell.max() + 1, p.shape[1]))
    np.add.at(total, cell, p)
    return entropy((total / np.bincount(cell)[:, None])[cell])


def test_the_two_sets_are_apart_and_large() -> None:
    assert not set(KINDS) & set(KINDS_SET_ASIDE)
    assert not set(EVERY) & set(CASES)
    assert len(KINDS) >= 30
    assert 0.3 < len(KINDS_SET_ASIDE) / len(EVERY) < 0.4


@pytest.mark.parametrize("name", EVERY)
def test_a_kind_is_labelled_with_its_own_variables_and_follows_its_seed(name: str) -> None:
    found, same = EVERY[name](500, seed=3), EVERY[name](500, seed=3)
    assert len(found.data) == 500
    assert np.array_equal(found.data.states, same.data.states)
    assert np.array_equal(found.data.actions, same.data.actions)
    for answer in (found.answers, *found.alternatives):
        assert {member for group in answer for member in group} <= set(found.data.names)
        assert found.is_exact([group[0] for group in answer])
    assert len(found.data.names) > sum(map(len, found.answers))
    assert (found.data.states.std(axis=0) > 0).all()


@pytest.mark.parametrize("name", KNOWN)
def test_probabilities_are_those_of_the_actions(name: str) -> None:
    """The mean log loss is the mean entropy, up to four standard errors."""
    data = EVERY[name](3_000, seed=2, with_probabilities=True).data
    p = data.probabilities
    assert p is not None
    logs = np.log(np.where(p > 0, p, 1))
    spread = np.sqrt(((p * logs**2).sum(axis=1) - (p * logs).sum(axis=1) ** 2).clip(0).mean())
    excess = -logs[np.arange(len(data)), data.actions].mean() - entropy(p)
    assert abs(excess) <= 4 * spread / np.sqrt(len(data)) + 1e-12


@pytest.mark.parametrize("name", ["same_label", "modular_sum"])
def test_neither_of_two_shows_anything_alone(name: str) -> None:
    found = EVERY[name](20_000, seed=1, with_probabilities=True)
    (first,), (second,) = found.answers
    nothing = counted(found, ())
    assert nothing - counted(found, (first, second)) > 0.25
    assert nothing - counted(found, (first,)) < 0.003
    assert nothing - counted(found, (second,)) < 0.003


def test_memory_needs_the_last_action_and_the_cue_before_the_last() -> None:
    found = KINDS_SET_ASIDE["memory_lags"](30_000, seed=1)
    kept = ("action_1", "cue_2")
    slip = entropy(two(np.array([0.05])))
    assert counted(found, kept) == pytest.approx(slip, abs=0.01)
    assert counted(found, (*kept, "cue_1", "action_2")) == pytest.approx(slip, abs=0.01)
    others = tuple(n for n in found.data.names if n.startswith(("action", "cue")) and n not in kept)[:6]
    for one in kept:
        assert counted(found, (one, *others)) - slip > 0.1


def test_the_weak_input_of_the_network_is_weak_and_the_others_are_not() -> None:
    rng = np.random.default_rng(7)
    into, out = _network_with_a_weak_input(rng=rng)
    x = rng.standard_normal((6_000, 7))
    shares = shares_of_information(lambda v: _network(v, into, out), x, rng=rng)
    assert 0.010 < shares[6] < 0.022
    assert shares[:6].min() > 0.022


def test_each_of_sixteen_weak_variables_is_worth_a_hundredth_of_a_nat() -> None:
    """The other fifteen act through their sum: a double quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()
    p = logistic(0.34 * (np.sqrt(15) * nodes[:, None] + nodes[None, :]))

    def h(q: Floats) -> Floats:
        return -(q * np.log(q) + (1 - q) * np.log1p(-q))

    gain = weights @ (h(p @ weights) - h(p) @ weights)
    assert 0.0085 < gain < 0.0115
    assert gain / (np.log(2) - weights @ h(p) @ weights) > 0.03


def test_the_rare_gate_is_worth_a_hundredth_of_a_nat() -> None:
    """The lever turns a fair coin into one of 95 % where the gate is open; pressure says that it is."""
    open_share = 0.025
    lever = open_share * (np.log(2) - entropy(two(np.array([0.95]))))
    assert 0.01 < lever < 0.015
    found = KINDS["rare_gate"](40_000, seed=1, with_probabilities=True)
    assert (column(found, "pressure") > 1.96).mean() == pytest.approx(open_share, abs=0.004)
    assert found.data.probabilities is not None
    whole = np.log(2) - entropy(found.data.probabilities)
    assert lever / whole > 0.05
    speed = column(found, "speed")
    closed = logistic(1.5 * speed)
    chance = np.where(column(found, "lever") == 1, 0.95, 0.05)
    unaware = (1 - open_share) * closed + open_share * chance
    assert entropy(two(unaware)) - entropy(found.data.probabilities) > 0.01


@pytest.mark.parametrize(
    ("name", "whole", "parts"),
    [
        ("angle_twice", "angle", ("sin_angle", "cos_angle")),
        ("sum_beside_parts", "total", ("part_0", "part_1")),
        ("label_and_one_hot", "label", tuple(f"is_{k}" for k in range(6))),
    ],
)
def test_stand_ins_are_functions_of_each_other(name: str, whole: str, parts: tuple[str, ...]) -> None:
    found = KINDS.get(name, KINDS_SET_ASIDE.get(name))(400, seed=1)  # type: ignore[misc]
    values = [column(found, part) for part in parts]
    rebuilt = {
        "angle_twice": lambda: np.arctan2(values[0], values[1]),
        "sum_beside_parts": lambda: values[0] + values[1],
        "label_and_one_hot": lambda: np.argmax(values, axis=0),
    }[name]()
    assert np.allclose(column(found, whole), rebuilt)


def test_each_one_hot_column_counts_when_the_label_is_away() -> None:
    """Without one of five the sixth level and its own cannot be told apart."""
    found = KINDS["label_and_one_hot"](30_000, seed=1, with_probabilities=True)
    label = column(found, "label").astype(int)
    p = found.data.probabilities
    assert p is not None
    levels = np.stack([p[label == k].mean(axis=0) for k in range(6)])
    for a in range(6):
        for b in range(a):
            pair = levels[[a, b]]
            assert (entropy(pair.mean(axis=0, keepdims=True)) - entropy(pair)) / 3 > 0.008


def test_a_tree_of_five_variables_needs_all_five() -> None:
    """Halves, tenths: every threshold is a multiple of 0.05, so twenty bins of each variable are exact."""
    found = KINDS_SET_ASIDE["deep_tree"](40_000, seed=1, with_probabilities=True)
    data = found.data
    assert data.probabilities is not None
    known = entropy(data.probabilities)
    thresholds = {"u0": [0.55], "u1": [0.45, 0.6], "u2": [0.35, 0.5], "u3": [0.5, 0.55], "u4": [0.4]}
    cells = {name: np.digitize(column(found, name), cuts) for name, cuts in thresholds.items()}
    for name in cells:
        rest = np.column_stack([values for other, values in cells.items() if other != name])
        cell = np.unique(rest, axis=0, return_inverse=True)[1].reshape(-1)
        total = np.zeros((cell.max() + 1, 3))
        np.add.at(total, cell, data.probabilities)
        assert entropy((total / np.bincount(cell)[:, None])[cell]) - known > 0.03


def test_only_the_difference_of_positions_acts() -> None:
    found = KINDS["stacked_positions"](20_000, seed=1, with_probabilities=True)
    now, before, wind = (column(found, name) for name in ("position_0", "position_1", "wind"))
    p = logistic(2.2 * (now - before) / 0.02 + wind)
    assert np.allclose(found.data.probabilities, two(p))
    share = (now - before).var() / now.var()
    assert share < 0.001


def test_five_readings_are_each_needed_and_the_unused_one_is_not() -> None:
    """All is normal: integrate one reading out given the five others, then the mean of four is left."""
    found = KINDS_SET_ASIDE["noisy_sensors"](60_000, seed=1, with_probabilities=True)
    readings = np.column_stack([column(found, f"reading_{k}") for k in range(5)])
    assert np.allclose(found.data.probabilities, two(logistic(4 * readings.mean(axis=1))))
    others = np.column_stack([readings[:, 1:], column(found, "unused_reading")])
    fit = others @ np.linalg.lstsq(others, readings[:, 0], rcond=None)[0]
    nodes, weights = np.polynomial.hermite_e.hermegauss(21)
    mean = (readings[:, 1:].sum(axis=1) + fit)[:, None] / 5
    left = logistic(4 * (mean + (readings[:, 0] - fit).std() * nodes / 5)) @ (weights / weights.sum())
    assert found.data.probabilities is not None
    assert entropy(two(left)) - entropy(found.data.probabilities) > 0.02


def test_soft_targets_bring_their_probabilities() -> None:
    data = KINDS["soft_targets"](2_000, seed=1).data
    assert data.probabilities is not None
    names = [f"x{k}" for k in range(7)]
    x = np.column_stack([data.states[:, data.column(name)] for name in names])

    def policy(v: Floats) -> Floats:
        scores = np.zeros((len(v), 5))
        for k, strength in enumerate(np.linspace(1.2, 0.5, 7)):
            scores[:, k % 5] += strength * v[:, k]
            scores[:, (k + 1) % 5] -= strength * v[:, k]
        return softmax(scores)

    assert np.allclose(policy(x), data.probabilities)
    assert shares_of_information(policy, x, rng=np.random.default_rng(0)).min() > 0.02
