"""`FunctionPolicy`: a function, or an object that acts, asked in the form that it answers to."""

import inspect
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import VectorEnv

from terc.agents.answers import action_in, actions_in
from terc.agents.policy import Policy, PolicySpec, check_fits
from terc.agents.spaces import Misshapen, as_array, fit_actions, highest
from terc.arrays import Array
from terc.errors import BadTypeError, BadValueError, TercError, place_of, warn
from terc.flattening.flattened import Flattened, FlattenedVector
from terc.flattening.layout import Layout

Form = tuple[str, Callable[[Callable[..., Any], Array], Any]]
"""What it is asked about, in words, and how."""

# What other libraries call it: scikit-learn, d3rlpy and Stable-Baselines3; RL courses and papers; RLlib.
METHODS = ("predict", "act", "get_action", "select_action", "choose_action", "compute_single_action")
# What they call the request for the likeliest action -> whether it means that, or its opposite.
GREEDY = {"deterministic": True, "greedy": True, "evaluate": True, "explore": False}
# At first it is asked about at least this many states: a function of one state then answers with too few.
FEWEST_ASKED = 7
# So many states tell a function that takes several observations from one that mixes them up.
MOST_COMPARED = 64
# Appended where a function wants more than the states, such as parameters or the starts of episodes.
MORE_ARGUMENTS = (
    " It is called with the states alone; bind all else first: lambda states: function(states, ...)."
)


@dataclass(frozen=True)
class FunctionPolicy:
    """A function from states to actions as a policy; any randomness is the function's own.

    Where the environment shows something else than rows (a dictionary, a tuple, frames, one number), it is
    asked about that first. Then it is asked about all states `[n, d]` at once, about each state `[d]`
    alone, and with tensors where torch is in use, until it answers with an action for each.

    Its actions may be flat or of the environment's own form (a dictionary, a tuple). A parameter called
    `deterministic`, `greedy`, `evaluate` or `explore` is set by `greedy`. Beside the actions it may return
    what `predict` functions do: a memory, which must be None, or a dictionary of information.

    Attributes:
        function: As above.
        one_by_one: Never ask about several states at once.
        scores: It is a network, which may answer with a number for each action: the highest counts.
        spec: What it was made for, where that is known.
        space: Of the actions in play, which says what is an answer.
        shown: Observations as the environment shows them.
        many_shown: It shows those of several copies together.
        taken: Actions as the environment takes them, where they are several or mixed.

    Example:
        >>> FunctionPolicy(lambda states: (states[:, 0] > 0).astype(int)).act(np.array([[1.0], [-1.0]]))
        array([1, 0])
        >>> FunctionPolicy(lambda state: int(state[0] > 0)).act(np.array([[1.0], [-1.0]]))
        array([1, 0])
    """

    function: Callable[..., Any]
    one_by_one: bool = False
    scores: bool = False
    spec: PolicySpec | None = None
    space: gym.Space[Any] | None = None
    shown: Layout | None = None
    many_shown: bool = False
    taken: Layout | None = None
    _found: list[Form] = field(default_factory=list, compare=False, repr=False)

    def act(self, states: Array, *, rng: np.random.Generator | None = None, greedy: bool = True) -> Array:
        """The function's answer; `rng` does not reach it."""
        function = _with_greedy(self.function, greedy)
        if self._found:
            return self._again(function, states)
        refusals: list[tuple[str, Exception]] = []
        asked = states if self.one_by_one else self._unmistakable(states)
        for form in self._forms(asked.shape[1]):
            try:
                actions = self._fit(form[1](function, asked), len(asked))[: len(states)]
            except BadTypeError:  # more than actions: no other form cures that
                raise
            except Exception as error:  # whatever a function does that expected another form
                if isinstance(error, BadValueError) and not isinstance(error, Misshapen):
                    raise
                refusals.append((form[0], error))
            else:
                self._found.append(form)
                if greedy or function is self.function:
                    self._warn_of_memory(function, asked, actions)
                return actions
        raise _unanswered(refusals, len(asked)) from refusals[0][1]

    def probabilities(self, states: Array) -> Array | None:
        """None: a function has none."""
        return None

    def save(self, path: str | Path) -> None:
        """Refused: a function cannot be stored without pickle."""
        raise BadTypeError(
            "policy: a plain function cannot be saved without pickle; keep its source and pass the "
            "function again."
        )

    def _forms(self, d: int) -> Iterator[Form]:
        if self.shown is not None and self.shown.space.shape != (self.shown.size,):
            own = self.shown
            one: Form = ("one observation as the environment shows it", partial(self._each_shown, own))
            many: Form = (
                "{n} observations as the environment shows them",
                lambda function, states: self._action(function(own.back(states))),
            )
            yield from [one] if self.one_by_one else [many, one] if self.many_shown else [one, many]
        rows, row = f"states of shape ({{n}}, {d})", f"one of shape ({d},)"
        if not self.one_by_one:
            yield rows, lambda function, states: self._action(function(states))
        yield row, self._each
        if "torch" in sys.modules:
            if not self.one_by_one:
                yield rows, lambda function, states: self._action(function(as_tensors(states)))
            yield row, lambda function, states: self._each(function, as_tensors(states))

    def _each(self, function: Callable[..., Any], states: Any) -> Any:
        return np.stack([as_array(self._action(function(state), one=True)) for state in states])

    def _each_shown(self, own: Layout, function: Callable[..., Any], states: Array) -> Any:
        """About each observation alone; about all together where that is seen to be the same."""

        def alone(rows: Array) -> Any:
            return self._each(function, [own.back_one(row) for row in rows])

        some = np.arange(0, len(states), -(-len(states) // MOST_COMPARED))
        if self.one_by_one or len(some) == len(states):
            return alone(states)
        answers = alone(states[some])
        with suppress(Exception):  # whatever a function does that expected a single one
            together = as_array(self._action(function(own.back(states))))
            same = together[some].shape == answers.shape and np.allclose(together[some], answers, atol=1e-6)
            if len(together) == len(states) and same and (answers != answers[0]).any():
                return together
        return alone(states)

    def _action(self, answer: Any, one: bool = False) -> Any:
        """The actions in an answer, or the one, as flat rows where they are of the environment's own form."""
        own = self.taken
        if own is None or not own.has_form(answer):
            answer = action_in(answer)
        if own is None or not own.has_form(answer):
            return answer
        return own.row(answer) if one else own.rows(answer)

    def _again(self, function: Callable[..., Any], states: Array) -> Array:
        """The answer in the form that was found; the function may still fail in other states."""
        try:
            return self._fit(self._found[0][1](function, states), len(states))
        except Exception as error:
            if isinstance(error, TercError) and not isinstance(error, Misshapen):
                raise
            raise _unanswered([(self._found[0][0], error)], len(states)) from error

    def _warn_of_memory(self, function: Callable[..., Any], asked: Array, actions: Array) -> None:
        """Whether it acts by the state alone shows where it is asked about the same states again."""
        if not np.array_equal(self._again(function, asked)[: len(actions)], actions):
            warn(
                "policy: asked twice about the same states, it acts differently. If it draws its actions "
                "itself, a seed does not fix them. If it remembers earlier steps, this is not how it acts "
                "alone, since it is asked about many episodes at once: make its memory part of the state."
            )

    def _unmistakable(self, states: Array) -> Array:
        """The states, some repeated, so that an answer to a single one has another number of rows."""
        taken = (states.shape[1], *((self.space.shape or ()) if self.space is not None else ()))
        count = max(len(states), FEWEST_ASKED)
        while count in taken:
            count += 1
        return np.resize(states, (count, states.shape[1]))

    def _fit(self, answer: Any, n: int) -> Array:
        actions = actions_in(answer, n)
        if self.space is None:
            return actions
        return fit_actions(highest(actions, self.space) if self.scores else actions, n, self.space)


def acting_function(thing: Any) -> Callable[..., Any] | None:
    """What to call: the method of `thing` that acts, by the names that libraries give it, or itself."""
    methods = [getattr(thing, name, None) for name in METHODS]
    return next((method for method in methods if callable(method)), thing if callable(thing) else None)


def fitted(policy: Policy, wanted: PolicySpec, space: gym.Space[Any], env: Any) -> Policy:
    """`policy`, after a check that it fits, ready to act in `env`, whose flat actions are of `space`."""
    check_fits(policy, wanted)
    if not isinstance(policy, FunctionPolicy):
        return policy
    if isinstance(env, Flattened | FlattenedVector):
        shown, taken = env.layout, env.action_layout
    else:
        observations = getattr(env, "single_observation_space", env.observation_space)
        shown, taken = Layout.of(observations, shaped=True), None
    known = shown if shown.size == wanted.n_variables else None
    many = isinstance(env, VectorEnv)
    return replace(policy, space=space, shown=known, many_shown=many, taken=taken, _found=[])


def as_tensors(states: Any, like: Any = None) -> Any:
    """States, or a dictionary of them, as tensors of single precision, or of the kind of a tensor."""
    import torch

    if isinstance(states, dict):
        return {key: as_tensors(part, like) for key, part in states.items()}
    kind, device = (torch.float32, None) if like is None else (like.dtype, like.device)
    return torch.as_tensor(np.asarray(states), dtype=kind, device=device)


def _with_greedy(function: Callable[..., Any], greedy: bool) -> Callable[..., Any]:
    """The function with its own parameter for the likeliest action, if it has one, set by `greedy`."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return function
    options = {name: greedy is likeliest for name, likeliest in GREEDY.items() if name in parameters}
    return (lambda states: function(states, **options)) if options else function


def _unanswered(refusals: list[tuple[str, Exception]], n: int) -> BadValueError:
    """One line on what happened with the first two forms."""
    said: dict[str, str] = {}
    for about, error in refusals[:2]:
        said.setdefault(_refusal(error), about.format(n=n))
    told = "; asked about ".join(f"{about}, {refusal}" for refusal, about in said.items())
    more = MORE_ARGUMENTS if all(_is_of_the_call(error) for _, error in refusals) else ""
    return BadValueError(f"policy: the function must return one action per state. Asked about {told}.{more}")


def _refusal(error: Exception) -> str:
    text = str(error).partition("\n")[0].removeprefix("policy: ").rstrip(".")
    if isinstance(error, Misshapen):
        return text
    place = "" if _is_of_the_call(error) else f" in {place_of(error)}"
    return f"it raised {type(error).__name__} ({text}){place}"


def _is_of_the_call(error: Exception) -> bool:
    """Whether the function was never entered: it takes other arguments than the states."""
    return isinstance(error, TypeError) and traceback.extract_tb(error.__traceback__)[-1].filename == __file__
