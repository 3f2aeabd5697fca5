"""In which order variables are taken away, and which of the nested sets are tried."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from terc.checks import one_of
from terc.errors import BadTypeError, BadValueError, unknown_name
from terc.returns.ablation import Ablation
from terc.returns.teacher import compare_variables

# Up to so many variables every set is tried; beyond, the small ones and then ever larger steps.
ALL_SETS, GROWTH = 12, 1.35
ORDERS = ("return", "gain", "cost")


def ranking(
    order: Any, selection: Any, costs: Mapping[str, float], names: Sequence[str]
) -> Callable[[Callable[[], Ablation]], tuple[str, ...]]:
    """What orders names from the first to go to the last, checked before anything is played.

    It is given a function that ablates, and calls it only where the return decides.
    """
    if order is None:
        order = "return" if selection is None else "gain"
    if not isinstance(order, str):
        given = tuple(order)
        if sorted(given) != sorted(names):
            raise BadValueError(
                f"frontier: order must name each of {list(names)} once, from the first to go to the last; "
                f"got {list(given)}."
            )
        return lambda ablate: given
    one_of(ORDERS)("frontier", "order", order)
    if order == "gain" and not hasattr(selection, "removed"):
        raise BadTypeError("frontier: order='gain' needs selection=, the answer of terc.select.")
    if order == "gain":
        compare_variables("frontier", selection, names)
    if order == "cost" and not costs:
        raise BadTypeError("frontier: order='cost' needs costs=, a mapping name -> cost.")
    return {
        "return": lambda ablate: order_by_return(ablate(), costs),
        "gain": lambda ablate: order_by_gain(selection, ablate(), costs),
        "cost": lambda ablate: tuple(sorted(reversed(names), key=lambda name: -costs[name])),
    }[order]


def order_by_return(ablation: Ablation, costs: Mapping[str, float]) -> tuple[str, ...]:
    """First what the return does not show, by how rarely it changes an action; then by the loss.

    Costs count where there are any: among what the return does not show the most expensive goes first, and
    of the others that with the least loss per cost.
    """

    def key(row: Any) -> tuple[bool, float, float]:
        cost = costs.get(row.name, 1.0)
        if row.matters and row.difference < 0:
            return True, -row.difference / max(cost, 1e-12), 0.0
        return False, -cost, row.acts_otherwise

    rows = [row for row in ablation.rows if row.variables == (row.name,)]
    return tuple(row.name for row in sorted(rows, key=key))


def order_by_gain(selection: Any, ablation: Ablation, costs: Mapping[str, float]) -> tuple[str, ...]:
    """What a selection removed goes first, the kept variables follow by return.

    A removed variable that changes the return and that no kept one stands in for (it was negligible, not
    redundant) is treated as a kept one.
    """
    by_return = order_by_return(ablation, costs)
    stays = set(selection.kept)
    for record in selection.removed:
        if record.reason != "redundant" and record.name in by_return and ablation[record.name].high < 0:
            stays.add(record.name)
    return (*(n for n in by_return if n not in stays), *(n for n in by_return if n in stays))


def checked_costs(costs: Any, names: Sequence[str]) -> dict[str, float]:
    """Costs of every variable, 1 where it is not named; empty where none are given."""
    if costs is None:
        return {}
    if not isinstance(costs, Mapping):
        way_out = " Write selection=..." if hasattr(costs, "kept") else ""
        raise BadTypeError(
            f"frontier: costs must be a mapping name -> cost, got {type(costs).__name__}.{way_out}"
        )
    if unknown := [name for name in costs if name not in names]:
        raise unknown_name("frontier: costs", "variable", unknown[0], names)
    found = {name: float(costs.get(name, 1.0)) for name in names}
    if not all(np.isfinite(cost) and cost >= 0 for cost in found.values()):
        raise BadValueError(f"frontier: costs must be numbers of at least 0, got {found}.")
    return found


def nested_sets(
    order: Sequence[str], costs: Mapping[str, float], budget: float | None
) -> list[tuple[str, ...]]:
    """What is left after each removal, from all to one, within the budget, thinned where there are many.

    Example:
        >>> nested_sets(["c", "b", "a"], {}, budget=2)
        [('b', 'a'), ('a',)]
    """
    whole = [tuple(order[k:]) for k in range(len(order))]
    affordable = [s for s in whole if budget is None or set_cost(s, costs) <= budget]
    if not affordable:
        raise BadValueError(
            f"frontier: budget={budget:g} buys nothing; the cheapest set of this order costs "
            f"{set_cost(whole[-1], costs):g}."
        )
    sizes, size = {len(affordable)}, 1.0
    while size <= len(affordable):
        sizes.add(int(size))
        size = size + 1 if size < ALL_SETS else size * GROWTH
    return [chosen for chosen in affordable if len(chosen) in sizes]


def set_cost(names: Sequence[str], costs: Mapping[str, float]) -> float:
    """Sum of the costs, or how many there are."""
    return float(sum(costs[name] for name in names)) if costs else float(len(names))
