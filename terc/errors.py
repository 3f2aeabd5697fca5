"""Every error `terc` raises on purpose: a `TercError` that is also the built-in a caller would expect."""

import sys
import warnings
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from traceback import extract_tb
from typing import Any


class TercError(Exception):
    """Base of all errors raised on purpose; `except terc.TercError` catches each of them.

    Example:
        >>> try:
        ...     raise BadValueError("select: alpha must lie in (0, 1), got 7.")
        ... except ValueError as error:
        ...     print(isinstance(error, TercError), error)
        True select: alpha must lie in (0, 1), got 7.
    """


class BadValueError(TercError, ValueError):
    """An argument of the right type with a value that cannot be used."""


class BadTypeError(TercError, TypeError):
    """An argument of the wrong type."""


class UnknownNameError(TercError, KeyError):
    """A name (variable, column, method, estimator, ...) that does not exist."""

    def __str__(self) -> str:  # a KeyError alone would print its quoted form
        return str(self.args[0]) if self.args else ""


class DataFileError(TercError, ValueError):
    """A file that cannot be read or written as what it should be."""


class MissingExtraError(TercError, ImportError):
    """An optional dependency that is not installed; the message says how to install it."""


def extra_module(name: str, where: str, extra: str) -> Any:
    """The module of an optional dependency.

    Raises:
        MissingExtraError: It is not installed; the message names the extra of terc that brings it.
    """
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise MissingExtraError(f"{where} needs {package}: pip install 'terc[{extra}]'.") from error


class TercWarning(UserWarning):
    """The result is usable, but the reader should know something about it."""


def warn(text: str) -> None:
    """Warn the reader at the line of the caller's own code, however deep in `terc` it is noticed."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in (
        "terc",
        "contextlib",
    ):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, TercWarning, stacklevel=level)


def unknown_name(where: str, what: str, wanted: object, available: Iterable[object]) -> UnknownNameError:
    """The error for a name that is not among `available`, with the closest names and what there is.

    Example:
        >>> str(unknown_name("select", "estimator", "knnn", ["knn", "plugin"]))
        "select: no estimator named 'knnn'. Did you mean 'knn'? Available: knn, plugin."
    """
    listed = list(available)
    close = closest_names(wanted, listed)
    return UnknownNameError(f"{where}: no {what} named {wanted!r}.{close}{available_names(listed)}")


def available_names(available: Iterable[object], most: int = 30) -> str:
    """A sentence that lists what there is; names that a comma or a space would blur are quoted.

    Example:
        >>> available_names(["speed", "x, y", "gear"], most=2)
        " Available: speed, 'x, y' and 1 more."
    """
    listed = list(available)
    shown = [str(name) if _is_clear(str(name)) else repr(name) for name in listed[:most]]
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return f" Available: {', '.join(shown) or 'none'}{more}."


def _is_clear(name: str) -> bool:
    return bool(name) and name == name.strip() and name.isprintable() and "," not in name


def closest_names(wanted: object, available: Iterable[object]) -> str:
    """A question that names up to three similar names, in either case; empty when none is similar."""
    from difflib import get_close_matches

    lower = {str(name).lower(): str(name) for name in available}
    found = [repr(lower[name]) for name in get_close_matches(str(wanted).lower(), list(lower), n=3)]
    return f" Did you mean {' or '.join(found)}?" if found else ""


def place_of(error: BaseException) -> str:
    """Where somebody else's code raised `error`: the innermost line of it that no library wrote."""
    frames = extract_tb(error.__traceback__)
    own = [frame for frame in frames if not {"site-packages", "terc"} & set(Path(frame.filename).parts)]
    frame = (own or frames)[-1]
    return f"{Path(frame.filename).name}, line {frame.lineno}"
