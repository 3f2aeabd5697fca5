"""The progress of a command that can be continued: what is shown, and how to go on after Ctrl-C."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from terc.progress import Listener
from terc.progress_display import listening


@contextmanager
def run_progress(how_to_continue: str) -> Iterator[Listener]:
    """A listener for `terc.run`; Ctrl-C inside says how to go on before it ends the command."""
    try:
        with listening() as listener:
            yield listener
    except KeyboardInterrupt:
        typer.echo(f"terc: what is finished is kept; {how_to_continue}", err=True)
        raise
