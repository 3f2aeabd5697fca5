"""What a command shows: on a terminal lines are wrapped to its width, elsewhere they stay as they are."""

import re
import shutil
import sys
import textwrap

import typer

NARROWEST = 40
"""Columns below which wrapped text is harder to read than lines that the terminal breaks."""
LAST_COLUMN = 20
"""Columns that the last column of a table needs at least to be continued below itself."""


def room(most: int = 10_000) -> int:
    """Columns that a line may have: those of the terminal, but at most `most`, which is for no terminal."""
    return min(most, max(NARROWEST, shutil.get_terminal_size().columns)) if sys.stdout.isatty() else most


def show(text: str, *, as_json: bool = False) -> None:
    """Print the text, wrapped if it goes to a terminal and is not JSON."""
    typer.echo(text if as_json or not sys.stdout.isatty() else wrapped(text, room()))


def wrapped(text: str, width: int) -> str:
    """Each line in at most `width` columns; the last column of a table is continued below itself.

    Example:
        >>> print(wrapped("  ready    models of other libraries: terc run --model model.zip", 44))
          ready    models of other libraries: terc
                   run --model model.zip
    """
    return "\n".join(part for line in text.splitlines() for part in _lines(line, width) or [""])


def _lines(line: str, width: int) -> list[str]:
    indent = len(line) - len(line.lstrip()) + 2
    table = re.match(r".*\S {2,}(?=\S)", line)
    if table and table.end() <= width - LAST_COLUMN:
        indent = table.end()
    # Names, paths and flags stay whole.
    fit = textwrap.TextWrapper(width, subsequent_indent=" " * indent)
    fit.break_long_words = fit.break_on_hyphens = False
    return fit.wrap(line)
