"""What a function answered when it was asked to act: the actions in it, or why there are none."""

from typing import Any

import numpy as np

from terc.agents.spaces import Misshapen, as_array
from terc.arrays import Array
from terc.errors import BadTypeError

THE_FIRST = (
    "terc takes the actions alone: give lambda states: f(states)[0]. Where another one is a memory of "
    "earlier steps, show the history as variables."
)


def action_in(answer: Any) -> Any:
    """The action in an answer, which may be (action, memory) or (action, memory, facts), both empty.

    Example:
        >>> action_in((np.array([1, 0]), None))
        array([1, 0])
    """
    if not isinstance(answer, tuple) or len(answer) < 2:
        return answer
    first, *rest = answer
    if all(
        one is None or isinstance(one, dict) or (isinstance(one, list | tuple) and not one) for one in rest
    ):
        return first
    if hasattr(first, "shape") and any(np.ndim(one) != np.ndim(first) for one in rest):
        raise BadTypeError(f"policy: the function returned {len(answer)} values; {THE_FIRST}")
    return answer


def actions_in(answer: Any, n: int) -> Array:
    """`n` actions.

    Raises:
        Misshapen: There are more or fewer, or they are no numbers; asked in another form there may be.
    """
    if isinstance(answer, tuple) and 1 < len(answer) != n and np.shape(answer[0])[:1] == (n,):
        # Or one value for each dimension of the action, which shows where one state is asked about.
        raise Misshapen(f"it returned {len(answer)} values; {THE_FIRST}")
    actions = as_array(answer)
    if actions.dtype == object and actions.size and all(one is None for one in actions.flat):
        raise Misshapen("it returned None")
    if actions.ndim == 0 or len(actions) != n:
        raise Misshapen(f"it returned {_in_words(answer)}")
    if actions.dtype == object:
        kinds = sorted({type(one).__name__ for one in actions.flat})
        raise Misshapen(f"it returned objects ({', '.join(kinds)}), not numbers; add .astype(int) or float")
    return actions


def _in_words(answer: Any) -> str:
    if answer is None or isinstance(answer, dict):
        return "None" if answer is None else f"a dictionary of {list(answer)}"
    try:
        return f"shape {as_array(answer).shape}"
    except ValueError:
        return f"a {type(answer).__name__} of unequal parts"
