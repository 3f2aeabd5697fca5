"""The actions' dependence as a Bayesian network: the kept variables are the parents of A."""

from __future__ import annotations

from typing import TYPE_CHECKING

from terc.errors import MissingExtraError

if TYPE_CHECKING:
    import networkx as nx

    from terc.selection.result import Selection

ACTION = "A"


def bayesian_network(selection: Selection, *, action: str = ACTION, with_removed: bool = False) -> nx.DiGraph:
    """A networkx `DiGraph` with an edge from each kept variable to the action, weighted by its gain.

    Nodes carry `kept`, `gain` and `acts`; the action carries `action=True`. Edges carry `weight` (Phi in
    nats, never below zero), `low` and `high`. A redundant variable, when shown, points by `stands_for` edges
    (without weight) at the kept ones that stand in for it.

    Args:
        selection: Of any method.
        action: Name of the action's node; primes are added while a variable has the same name.
        with_removed: Whether removed variables are shown too.

    Example:
        >>> from terc.selection.result import Selection, Verdict
        >>> rows = (Verdict("x", 0.69, 0.68, 0.70, 0.01, 0.0, True, "needed"),
        ...         Verdict("y", 0.0, -0.01, 0.01, 0.01, 1.0, False, "redundant", given=("x",)))
        >>> graph = bayesian_network(Selection(rows))
        >>> list(graph.edges(data="weight"))
        [('x', 'A', 0.69)]
    """
    try:
        import networkx as nx
    except ImportError as error:  # pragma: no cover  (networkx comes with torch)
        raise MissingExtraError("bayesian_network needs networkx: pip install networkx.") from error
    while action in selection.names:
        action += "'"
    graph = nx.DiGraph(action=action)
    graph.add_node(action, action=True)
    for verdict in selection.verdicts:
        if verdict.kept or with_removed:
            graph.add_node(
                verdict.name, kept=verdict.kept, gain=verdict.gain, acts=verdict.acts, action=False
            )
        if verdict.kept:
            weight = max(0.0, verdict.gain)
            graph.add_edge(verdict.name, action, weight=weight, low=verdict.low, high=verdict.high)
    if with_removed:
        graph.add_edges_from(
            (verdict.name, other, {"stands_for": True})
            for verdict in selection.verdicts
            for other in verdict.given
            if verdict.reason == "redundant" and not verdict.kept
        )
    return graph
