"""Random discrete Bayesian networks: a target's Markov boundary is known from the graph.

Read as a policy, the target node is the action and every other node a variable. Given the boundary (parents,
children and the children's other parents) no other node adds anything.
"""

from dataclasses import dataclass

import numpy as np

from terc.arrays import Floats, Integers
from terc.errors import unknown_name
from terc.seeding import generator
from terc.synthetic.columns import Rng, draw, family, labelled, softmax
from terc.synthetic.labelled import Labelled


@dataclass(frozen=True)
class BayesianNetwork:
    """A directed acyclic graph over discrete variables in topological order, with its probability tables.

    Attributes:
        parents: Per node the indices of its parents, each smaller than the node's own index.
        tables: Per node P(node | parents): one axis per parent in order, then one for the node's levels.

    Example:
        Rain and the sprinkler wet the grass: given rain alone the sprinkler adds nothing, but wet grass
        makes the two compete.
        >>> half = np.full(2, 0.5)
        >>> wet = np.array([[[0.9, 0.1], [0.2, 0.8]], [[0.2, 0.8], [0.1, 0.9]]])
        >>> network = BayesianNetwork(("rain", "sprinkler", "grass"), ((), (), (0, 1)), (half, half, wet))
        >>> network.markov_boundary("rain")
        ('sprinkler', 'grass')
    """

    names: tuple[str, ...]
    parents: tuple[tuple[int, ...], ...]
    tables: tuple[Floats, ...]

    def markov_boundary(self, target: str) -> tuple[str, ...]:
        """Parents, children and the children's other parents of `target`, in node order."""
        if target not in self.names:
            raise unknown_name("markov_boundary", "node", target, self.names)
        return tuple(self.names[k] for k in self._boundary(self.names.index(target)))

    def _boundary(self, node: int) -> list[int]:
        children = [child for child, parents in enumerate(self.parents) if node in parents]
        found = set(self.parents[node]) | set(children)
        found |= {parent for child in children for parent in self.parents[child]}
        return sorted(found - {node})

    def sample(self, n: int, *, rng: Rng) -> Integers:
        """`[n, nodes]` independent draws of level codes, parents before children."""
        codes = np.empty((n, len(self.names)), dtype=np.int64)
        for node, (parents, probabilities) in enumerate(zip(self.parents, self.tables, strict=True)):
            rows = probabilities[tuple(codes[:, parent] for parent in parents)]
            codes[:, node] = draw(np.broadcast_to(rows, (n, rows.shape[-1])), rng=rng)
        return codes


@dataclass(frozen=True)
class NetworkSpec:
    """What a random network is drawn from.

    Attributes:
        variables: Number of nodes, the target included.
        seed: Of graph, tables and target; the rows have their own.
        weak: Share of links that are weak (a few thousandths of a nat) instead of plain.
        rare: Share of nodes with a level that occurs in a few per cent of rows only.
        held_out: Kept for final tables: never tune on it.
    """

    name: str
    variables: int
    seed: int
    max_parents: int = 3
    weak: float = 0.2
    rare: float = 0.2
    held_out: bool = False


NETWORKS: tuple[NetworkSpec, ...] = (
    NetworkSpec("small", 20, 1),
    NetworkSpec("small, held out", 20, 2, held_out=True),
    NetworkSpec("small, weak links", 24, 3, weak=0.5),
    NetworkSpec("small, weak links, held out", 24, 4, weak=0.5, held_out=True),
    NetworkSpec("rare states", 30, 5, rare=0.6),
    NetworkSpec("rare states, held out", 30, 6, rare=0.6, held_out=True),
    NetworkSpec("middling", 36, 7, max_parents=2),
    NetworkSpec("middling, held out", 36, 8, max_parents=2, held_out=True),
    NetworkSpec("dense", 45, 9, max_parents=4, weak=0.4),
    NetworkSpec("dense, held out", 45, 10, max_parents=4, weak=0.4, held_out=True),
    NetworkSpec("large", 60, 11, weak=0.4, rare=0.4),
    NetworkSpec("large, held out", 60, 12, weak=0.4, rare=0.4, held_out=True),
)
"""Twelve networks of 20 to 60 nodes, every second one held out."""


@family
def bayesian_network(n: int = 10_000, *, seed: int = 0, network: int = 0) -> Labelled:
    """Rows of `NETWORKS[network]`: the target is the action, its Markov boundary the answer."""
    graph, target = random_network(NETWORKS[network])
    codes = graph.sample(n, rng=generator(seed))
    node = graph.names.index(target)
    columns = {name: codes[:, k] for k, name in enumerate(graph.names) if k != node}
    return labelled(columns, codes[:, node], graph.markov_boundary(target), nominal=columns)


def random_network(spec: NetworkSpec) -> tuple[BayesianNetwork, str]:
    """The network of `spec` and the name of its target, a node whose boundary has three to eight members."""
    rng = generator(spec.seed)
    while True:
        network = _draw_network(spec, rng=rng)
        sizes = np.array([len(network._boundary(k)) for k in range(spec.variables)])
        fitting = np.flatnonzero((sizes >= 3) & (sizes <= 8))
        if len(fitting):
            return network, network.names[int(rng.choice(fitting))]


def _draw_network(spec: NetworkSpec, *, rng: Rng) -> BayesianNetwork:
    levels = rng.integers(2, 5, spec.variables)
    parents: list[tuple[int, ...]] = []
    tables = []
    for node in range(spec.variables):
        # Near nodes are likelier parents, which gives long chains beside dense neighbourhoods.
        near = np.arange(max(0, node - 8), node)
        count = min(len(near), int(rng.integers(0 if node % 5 == 0 else 1, spec.max_parents + 1)))
        chosen = tuple(int(k) for k in np.sort(rng.choice(near, count, replace=False))) if count else ()
        parents.append(chosen)
        tables.append(_draw_table(levels[list(chosen)], int(levels[node]), spec, rng=rng))
    return BayesianNetwork(tuple(f"node_{k}" for k in range(spec.variables)), tuple(parents), tuple(tables))


def _draw_table(parent_levels: Integers, levels: int, spec: NetworkSpec, *, rng: Rng) -> Floats:
    """A log-linear table: each parent shifts the log-odds by its own amount, a little by their interplay.

    Every link so has a known minimum of strength, which a Dirichlet draw would not give.
    """
    logits = 0.5 * rng.standard_normal(levels)
    if rng.random() < spec.rare:
        logits[rng.integers(levels)] -= 2.5
    shape = tuple(int(k) for k in parent_levels)
    total = np.broadcast_to(logits, (*shape, levels)).copy()
    for axis, parent in enumerate(shape):
        strength = 0.25 if rng.random() < spec.weak else rng.uniform(0.8, 1.8)
        effect = strength * _spread(parent, levels, rng=rng)
        total += effect.reshape(*(parent if a == axis else 1 for a in range(len(shape))), levels)
    total += 0.15 * rng.standard_normal(total.shape) * (len(shape) > 1)
    return softmax(total)


def _spread(parent: int, levels: int, *, rng: Rng) -> Floats:
    """`[parent, levels]` effects, centred over the parent's levels, of standard deviation one."""
    effect = rng.standard_normal((parent, levels))
    effect -= effect.mean(axis=0)
    effect -= effect.mean(axis=1, keepdims=True)
    result: Floats = effect / np.sqrt((effect**2).mean())
    return result
