"""One check each for the numbers, whole numbers and shares that a caller gives, and for a call as a whole."""

import inspect
import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeVar

import numpy as np

from terc.errors import BadTypeError, BadValueError, unknown_name

P = ParamSpec("P")
R = TypeVar("R")

Check = Callable[[str, str, Any], Any]
"""(where, name, value) -> the value as it is kept; raises if it cannot be used."""


def number(where: str, name: str, value: object) -> float:
    """`value` if it is a finite number."""
    if not math.isfinite(_real(where, name, value)):
        raise BadValueError(f"{where}: {name} must be a finite number, got {value}; leave it out for none.")
    return _real(where, name, value)


def whole_number(where: str, name: str, value: object, least: int = 0, *, most: int | None = None) -> int:
    """`value` if it is a whole number of at least `least`, and of at most `most` where that is given.

    Example:
        >>> whole_number("play", "episodes", 0, least=1)
        Traceback (most recent call last):
        terc.errors.BadValueError: play: episodes must be a whole number of at least 1, got 0.
    """
    wrong = f"{where}: {name} must be a whole number of at least {least}, got {value!r}."
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise BadTypeError(wrong)
    if value < least:
        raise BadValueError(wrong)
    if most is not None and int(value) > most:
        raise BadValueError(f"{where}: {name} must be at most {most:,}, got {value:,}.")
    return int(value)


def share(where: str, name: str, value: object) -> float:
    """`value` if it lies from 0 to below 1."""
    if not 0 <= _real(where, name, value) < 1:
        raise BadValueError(f"{where}: {name} must be a share from 0 to below 1, got {value}.")
    return _real(where, name, value)


def between_0_and_1(where: str, name: str, value: object) -> float:
    """`value` if it lies between 0 and 1, neither of them."""
    if not 0 < _real(where, name, value) < 1:
        raise BadValueError(f"{where}: {name} must lie between 0 and 1, got {value}.")
    return _real(where, name, value)


def number_or_infinite(where: str, name: str, value: object) -> float:
    """`value` if it is a number, which may be infinite."""
    if math.isnan(_real(where, name, value)):
        raise BadValueError(f"{where}: {name} must be a number, got NaN.")
    return _real(where, name, value)


def true_or_false(where: str, name: str, value: Any) -> bool:
    """`value` if it is True or False; a word such as "no" would count as true.

    Example:
        >>> true_or_false("play", "greedy", "no")
        Traceback (most recent call last):
        terc.errors.BadTypeError: play: greedy must be True or False, got 'no'.
    """
    if not isinstance(value, bool | np.bool_):
        raise BadTypeError(f"{where}: {name} must be True or False, got {value!r}.")
    return bool(value)


def path(where: str, name: str, value: Any) -> Any:
    """`value` if it can be the path of a file or a folder."""
    if not isinstance(value, str | os.PathLike):
        raise BadTypeError(f"{where}: {name} must be a path, got {type(value).__name__}.")
    return value


def one_of(known: Sequence[str]) -> Check:
    """A check that the value is among `known`.

    Example:
        >>> one_of(["fast", "paper"])("run", "preset", "slow")
        Traceback (most recent call last):
        terc.errors.UnknownNameError: run: no preset named 'slow'. Available: fast, paper.
    """

    def check(where: str, name: str, value: Any) -> str:
        if not isinstance(value, str) or value not in known:  # an array is equal to nothing and to everything
            raise unknown_name(where, name, value, known)
        return value

    return check


def if_given(check: Check) -> Check:
    """The check, passed by None."""
    return lambda where, name, value: None if value is None else check(where, name, value)


def anything(where: str, name: str, value: Any) -> Any:
    """The value as it is: another place checks it."""
    return value


BY_ANNOTATION: dict[str, Check] = {
    "bool": true_or_false,
    "bool | None": if_given(true_or_false),
    "float | None": if_given(number_or_infinite),
    "str | Path": path,
    "str | Path | None": if_given(path),
}
"""What `called_rightly` checks, by the text of the annotation; all else is checked where it is used."""


def called_rightly(function: Callable[P, R]) -> Callable[P, R]:
    """`function`, of which a call with a misspelt, missing or mistyped argument is one sentence.

    Types are those that `BY_ANNOTATION` knows.

    Example:
        >>> @called_rightly
        ... def select(data, alpha=0.05):
        ...     return alpha
        >>> select([], alfa=0.1)
        Traceback (most recent call last):
        terc.errors.BadTypeError: select: no argument named 'alfa'. Did you mean 'alpha'? Available: data, alpha.
    """  # noqa: E501
    parameters = inspect.signature(function).parameters.values()
    found = {one.name: BY_ANNOTATION.get(_written(one)) for one in parameters}
    return _checked(function, {name: check for name, check in found.items() if check is not None})


def named_rightly(function: Callable[P, R]) -> Callable[P, R]:
    """The same for names alone: `function` checks types itself, or later, as scikit-learn wants it."""
    return _checked(function, {})


def _checked(function: Callable[P, R], checks: Mapping[str, Check]) -> Callable[P, R]:
    signature = inspect.signature(function)
    name = function.__qualname__.removesuffix(".__init__")

    @wraps(function)
    def called(*args: P.args, **options: P.kwargs) -> R:
        try:
            given = signature.bind(*args, **options).arguments
        except TypeError as error:
            raise _wrong_call(name, signature, options, error) from None
        for argument, value in given.items():
            if argument in checks:
                checks[argument](name, argument, value)
        return function(*args, **options)

    return called


def _written(parameter: inspect.Parameter) -> str:
    """The annotation as it is written in the code, where a module may keep annotations as text."""
    return re.sub(r"pathlib\.(_local\.)?", "", inspect.formatannotation(parameter.annotation).strip("'"))


def _wrong_call(
    name: str, signature: inspect.Signature, options: dict[str, Any], error: TypeError
) -> BadTypeError:
    rest = {one.name for one in signature.parameters.values() if one.kind is one.VAR_KEYWORD}
    known = [one for one in signature.parameters if one not in {"self", "cls", *rest}]
    unknown = [one for one in options if one not in known]
    if unknown and not rest:
        return BadTypeError(str(unknown_name(name, "argument", unknown[0], known)))
    return BadTypeError(f"{name}: {error}; it takes {', '.join(known)}{', ...' if rest else ''}.")


def _real(where: str, name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise BadTypeError(f"{where}: {name} must be a number, got {value!r}.")
    return float(value)
