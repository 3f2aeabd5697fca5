"""The right answers are right: exact or integrated information of each needed variable."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from terc.synthetic import (
    Labelled,
    cart_pole_like,
    drifting_noise,
    four_redundant,
    greedy_network,
    ipd_cycle,
    parity,
    rare_light,
    two_triplets,
)
from terc.synthetic.control import CART_POLE_WEIGHTS
from terc.synthetic.decisive import weak_information, weak_slope
from terc.synthetic.many_columns import _needed, _two_bits
from terc.synthetic.prisoners import ipd_play

Floats = npt.NDArray[np.float64]


def entropy(p: Floats) -> Floats:
    clipped = np.clip(p, 1e-300, 1)
    nats: Floats = -(p * np.log(clipped)).sum(axis=-1)
    return nats


def counted(states: Floats, actions: npt.NDArray[np.generic]) -> float:
    """H(A | X) by counting, in nats."""
    _, cell = np.unique(states, axis=0, return_inverse=True)
    table = np.zeros((cell.max() + 1, int(np.max(actions)) + 1))
    np.add.at(table, (cell.reshape(-1), actions.astype(int)), 1)
    total = table.sum(axis=1)
    return float(total @ entropy(table / total[:, None]) / len(actions))


@pytest.mark.parametrize("make", [four_redundant, two_triplets])
def test_xor_needs_one_of_each_class_and_no_less(make: Callable[..., Labelled]) -> None:
    found = make(4_000, seed=1)
    data = found.data
    for kept in itertools.product(*found.answers):
        columns = [data.column(name) for name in kept]
        assert counted(data.states[:, columns], data.actions) == 0
        for left_out in columns:
            rest = [k for k in columns if k != left_out]
            assert counted(data.states[:, rest], data.actions) > 0.68


def test_parity_needs_all_four() -> None:
    found = parity(8_000, seed=2)
    columns = [found.data.column(name) for (name,) in found.answers]
    assert counted(found.data.states[:, columns], found.data.actions) == 0
    for left_out in range(4):
        assert counted(found.data.states[:, np.delete(columns, left_out)], found.data.actions) > 0.69


@pytest.mark.parametrize("nats", [0.01, 0.003])
def test_the_weak_link_is_worth_what_it_says(nats: float) -> None:
    """By a dense table over sum of the strong and the weak variable, independent of the quadrature inside."""
    slope = weak_slope(nats)
    assert weak_information(slope) == pytest.approx(nats, rel=1e-9)
    grid = np.linspace(-8, 8, 1_601)
    weight = np.exp(-(grid**2) / 2)
    weight /= weight.sum()
    p = 1 / (1 + np.exp(-(1.5 * np.sqrt(2) * grid[:, None] + slope * grid[None, :])))
    given_both = weight @ entropy(np.stack([p, 1 - p], axis=-1)) @ weight
    mixed = p @ weight
    given_strong = weight @ entropy(np.stack([mixed, 1 - mixed], axis=-1))
    assert given_strong - given_both == pytest.approx(nats, rel=1e-4)


def stationary_ipd(tats: int, explore: float, moves: int) -> tuple[npt.NDArray[np.int64], Floats, Floats]:
    """Exact play: own-move histories `[2^moves, moves]` (most recent first), their chances, and P(defect)."""
    history = np.array(list(itertools.product((0, 1), repeat=moves)))
    defect = np.where(history[:, : tats - 1].all(axis=1), explore, 1 - explore)
    chance = np.full(len(history), 1 / len(history))
    code = history @ (1 << np.arange(moves)[::-1])
    assert np.array_equal(code, np.arange(len(history)))
    for _ in range(400):
        after = np.zeros_like(chance)
        np.add.at(after, (code >> 1) | (1 << (moves - 1)), chance * defect)
        np.add.at(after, code >> 1, chance * (1 - defect))
        chance = after
    return history, chance, defect


def conditional_entropy(columns: npt.NDArray[np.int64], chance: Floats, defect: Floats) -> float:
    _, cell = np.unique(columns, axis=0, return_inverse=True)
    mass = np.bincount(cell.reshape(-1), chance)
    p = np.bincount(cell.reshape(-1), chance * defect) / np.where(mass > 0, mass, 1)
    return float(mass @ entropy(np.stack([p, 1 - p], axis=-1)))


@pytest.mark.parametrize("tats", [3, 4, 5])
def test_ipd_actions_depend_on_the_last_pairs_exactly(tats: int) -> None:
    """Exactly, in the long run: the answer suffices, each member is worth 0.02 nats, no other anything."""
    length = 7
    history, chance, defect = stationary_ipd(tats, 0.1, length + tats)
    opponent = np.stack([history[:, k + 1 : k + 1 + tats].all(axis=1) for k in range(length)], axis=1)
    pairs = history[:, :length] + 2 * opponent
    everything = conditional_entropy(pairs, chance, defect)
    needed = [int(name.removeprefix("pair_")) - 1 for (name,) in ipd_play(100, tats=tats).answers]
    assert conditional_entropy(pairs[:, needed], chance, defect) == pytest.approx(everything, abs=1e-9)
    for k in range(length):
        gain = conditional_entropy(np.delete(pairs, k, axis=1), chance, defect) - everything
        assert gain > 0.02 if k in needed else gain == pytest.approx(0, abs=1e-9)


def test_ipd_play_follows_the_opponents_rule() -> None:
    """In recorded data: the opponent defects in pair_1 iff the N own moves before it were defections."""
    data = ipd_play(4_000, seed=1, tats=3).data
    columns = {name: data.states[:, k] for k, name in enumerate(data.names)}
    label = {name: np.array(data.levels[name])[columns[name].astype(int)].astype(int) for name in data.names}
    own = {k: label[f"pair_{k}"] % 2 for k in range(1, 10)}
    assert np.array_equal(label["pair_1"] // 2 == 1, (own[2] & own[3] & own[4]) == 1)
    intended = 1 - (own[1] & own[2])
    assert (data.actions == intended).mean() == pytest.approx(0.9, abs=0.02)


@pytest.mark.parametrize("tats", [2, 4, 6])
def test_on_the_pure_cycle_both_kinds_of_answer_suffice(tats: int) -> None:
    found = ipd_cycle(200, seed=1, tats=tats)
    data = found.data
    assert set(np.diff(np.flatnonzero(data.actions == 0)).tolist()) == {tats}
    for answer in (found.answers, *found.alternatives):
        columns = [data.column(group[-1]) for group in answer]
        assert counted(data.states[:, columns], data.actions) == 0
        if len(columns) > 1:
            assert counted(data.states[:, columns[1:]], data.actions) > 0


def test_every_needed_column_of_many_is_worth_a_hundredth() -> None:
    """The needed variables are independent, so the others' view is the mean over redraws of one."""
    rng = np.random.default_rng(0)
    x = _needed(3_000, rng=rng)
    given_all = entropy(_two_bits(x)).mean()
    for name, column in x.items():
        redrawn = [_two_bits(x | {name: rng.permutation(column)}) for _ in range(60)]
        assert entropy(np.mean(redrawn, axis=0)).mean() - given_all > 0.03, name
    alone = np.stack([_two_bits(x | {"right": rng.permutation(x["right"])}) for _ in range(200)]).mean(axis=0)
    flipped = np.stack(
        [_two_bits(x | {"left": -x["left"], "right": rng.permutation(x["right"])}) for _ in range(200)]
    ).mean(axis=0)
    assert np.abs(alone - flipped).mean() < 0.03


def test_each_physical_variable_of_the_cart_pole_matters() -> None:
    """Log-odds are linear and each variable is nearly normal given the others: integrate it out."""
    data = cart_pole_like(20_000, seed=1, with_probabilities=True).data
    assert data.probabilities is not None
    nodes, weights = np.polynomial.hermite_e.hermegauss(21)
    states = data.states[:, :4]
    given_all = entropy(data.probabilities).mean()
    for k in range(4):
        others = np.column_stack([np.delete(states, k, axis=1), np.ones(len(states))])
        fit = others @ np.linalg.lstsq(others, states[:, k], rcond=None)[0]
        spread = (states[:, k] - fit).std()
        logits = np.delete(states, k, axis=1) @ np.delete(CART_POLE_WEIGHTS, k) + CART_POLE_WEIGHTS[k] * fit
        p = 1 / (1 + np.exp(-(logits[:, None] + CART_POLE_WEIGHTS[k] * spread * nodes)))
        mixed = p @ (weights / weights.sum())
        assert entropy(np.stack([mixed, 1 - mixed], axis=-1)).mean() - given_all > 0.02
    lengths = np.bincount(data.episodes)
    assert len(set(lengths.tolist())) > 50


def test_the_rare_light_is_rare_and_decides() -> None:
    data = rare_light(40_000, seed=1).data
    light = data.states[:, data.column("warning_light")] == 1
    assert light.mean() == pytest.approx(0.03, abs=0.004)
    assert (data.actions[light] == 2).mean() == pytest.approx(0.95, abs=0.03)
    assert (data.actions[~light] == 2).mean() == pytest.approx(0.02, abs=0.004)


def test_the_greedy_network_uses_four_actions() -> None:
    counts = np.bincount(greedy_network(4_000, seed=3).data.actions, minlength=4)
    assert (counts > 0).all()


def test_drifting_noise_drifts_and_its_action_sticks() -> None:
    data = drifting_noise(5_000, seed=1).data
    inside = np.diff(data.episodes) == 0
    assert (np.diff(data.actions)[inside] != 0).mean() == pytest.approx(0.05, abs=0.015)
    assert np.diff(data.states, axis=0)[inside].std() == pytest.approx(1, abs=0.02)
    assert data.states.std() > 5
