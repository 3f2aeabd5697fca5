"""Commands whose help and errors speak of TEXT, NUMBER and PATH, not of the types of Python."""

from pathlib import Path
from typing import Any, get_args

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

WORDS = {float: ("NUMBER", "a number"), int: ("NUMBER", "a whole number"), Path: ("PATH", "a path")}
"""Type of an option -> what stands for its value in the help, and in a sentence."""


class _Plain:
    """What commands and their group share."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, each with a word for its value."""
        found: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for one in found:
            if isinstance(one, TyperArgument):
                # Its name and its help say what it is; typer has no setting that leaves the type out.
                vars(one)["display_type_rich"] = _nothing
            elif one.metavar is None:
                one.metavar = "" if one.is_flag else _words(one)[0]
        return found

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The line of usage: FILE, FILE... for one or more, [FILE] for none or one."""
        pieces: list[str] = super().collect_usage_pieces(ctx)  # type: ignore[misc]
        return [piece.replace("{", "").replace("}", "") for piece in pieces]


class PlainCommand(_Plain, TyperCommand):
    """One command."""


class PlainGroup(_Plain, TyperGroup):
    """The command that holds the others."""


def wrong_value(error: typer.BadParameter) -> str | None:
    """One sentence about a value of the wrong type; None if something else is wrong."""
    reasons = getattr(error.__cause__, "errors", None)
    if error.param is None or reasons is None:
        return None
    return f"{error.param.opts[0]}: wanted {_words(error.param)[1]}, got {reasons()[0]['input']!r}."


def _words(option: Any) -> tuple[str, str]:
    kind = option.type_descriptor.annotation
    return WORDS.get((get_args(kind) or (kind,))[0], ("TEXT", "a text"))


def _nothing(*_: object, **__: object) -> None:
    return None
