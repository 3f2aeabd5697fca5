"""Markov boundaries from the graph against the exact joint distribution."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
import pytest

from terc.errors import UnknownNameError
from terc.synthetic import NETWORKS, BayesianNetwork, NetworkSpec, bayesian_network, random_network


def joint(network: BayesianNetwork) -> npt.NDArray[np.float64]:
    """P(all nodes), one axis per node."""
    levels = [table.shape[-1] for table in network.tables]
    result = np.ones(levels)
    for codes in itertools.product(*(range(k) for k in levels)):
        for node, (parents, table) in enumerate(zip(network.parents, network.tables, strict=True)):
            result[codes] *= table[(*(codes[p] for p in parents), codes[node])]
    return result


def conditional_entropy(p: npt.NDArray[np.float64], target: int, given: list[int]) -> float:
    def entropy(axes: list[int]) -> float:
        marginal = p.sum(axis=tuple(k for k in range(p.ndim) if k not in axes))
        return float(-(marginal * np.log(np.clip(marginal, 1e-300, 1))).sum())

    return entropy([target, *given]) - entropy(given)


@pytest.mark.parametrize("drawn", range(3))
def test_the_boundary_is_sufficient_and_minimal(drawn: int) -> None:
    """By the exact joint of eight nodes, every one: H(A | boundary) = H(A | all), no member idle."""
    network, _ = random_network(NetworkSpec("tiny", 8, drawn))
    p = joint(network)
    assert p.sum() == pytest.approx(1)
    for node, name in enumerate(network.names):
        boundary = [network.names.index(member) for member in network.markov_boundary(name)]
        everything = conditional_entropy(p, node, [k for k in range(8) if k != node])
        assert conditional_entropy(p, node, boundary) == pytest.approx(everything, abs=1e-10)
        for left_out in boundary:
            rest = [k for k in range(8) if k not in (node, left_out)]
            assert conditional_entropy(p, node, rest) - everything > 1e-6


def test_spouses_belong_to_the_boundary() -> None:
    half, wet = np.full(2, 0.5), np.array([[[0.9, 0.1], [0.2, 0.8]], [[0.2, 0.8], [0.1, 0.9]]])
    network = BayesianNetwork(("rain", "sprinkler", "grass"), ((), (), (0, 1)), (half, half, wet))
    assert network.markov_boundary("rain") == ("sprinkler", "grass")
    assert network.markov_boundary("grass") == ("rain", "sprinkler")


def test_samples_follow_the_joint() -> None:
    network, _ = random_network(NetworkSpec("tiny", 4, 1, max_parents=2))
    codes = network.sample(200_000, rng=np.random.default_rng(0))
    p = joint(network)
    share = np.zeros_like(p)
    np.add.at(share, tuple(codes.T), 1 / len(codes))
    assert np.abs(share - p).max() < 0.005


def test_half_of_the_networks_are_held_out_and_sizes_span() -> None:
    assert sum(spec.held_out for spec in NETWORKS) * 2 == len(NETWORKS)
    assert {spec.variables for spec in NETWORKS} >= {20, 60}
    assert len({spec.seed for spec in NETWORKS}) == len(NETWORKS)


def test_seed_moves_the_rows_not_the_answer() -> None:
    one, other = bayesian_network(300, seed=1, network=4), bayesian_network(300, seed=2, network=4)
    assert one.answers == other.answers
    assert not np.array_equal(one.data.states, other.data.states)


def test_unknown_node_lists_what_there_is() -> None:
    network, _ = random_network(NetworkSpec("tiny", 8, 1))
    with pytest.raises(UnknownNameError, match="no node named 'nope'.*Available: "):
        network.markov_boundary("nope")
