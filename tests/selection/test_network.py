import networkx as nx

from terc.selection.network import bayesian_network
from terc.selection.result import Selection, Verdict

ROWS = (
    Verdict("x", 0.69, 0.68, 0.70, 0.01, 0.0, True, "needed", acts="together"),
    Verdict("y", -0.01, -0.02, 0.01, 0.01, 1.0, True, "asked for"),
    Verdict("z", 0.0, -0.01, 0.01, 0.01, 1.0, False, "redundant", given=("x",)),
)


def test_the_kept_variables_are_the_parents_of_the_action():
    graph = bayesian_network(Selection(ROWS))
    assert isinstance(graph, nx.DiGraph)
    assert set(graph.predecessors("A")) == {"x", "y"}
    assert graph.edges["x", "A"] == {"weight": 0.69, "low": 0.68, "high": 0.70}
    assert graph.edges["y", "A"]["weight"] == 0.0
    assert graph.nodes["x"]["acts"] == "together"
    assert nx.is_directed_acyclic_graph(graph)


def test_removed_variables_point_at_what_stands_in_for_them():
    graph = bayesian_network(Selection(ROWS), with_removed=True)
    assert graph.edges["z", "x"] == {"stands_for": True}
    assert not graph.has_edge("z", "A")


def test_a_variable_with_the_actions_name_stays_apart():
    row = Verdict("A", 0.5, 0.4, 0.6, 0.0, 0.0, True, "needed")
    graph = bayesian_network(Selection((row,)))
    assert list(graph.edges) == [("A", "A'")]
    assert graph.graph["action"] == "A'"
