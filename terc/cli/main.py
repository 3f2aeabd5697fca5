"""The command `terc`: its subcommands, and how it ends when something is wrong."""

import sys
import warnings
from collections.abc import Sequence
from typing import Annotated, Any

import typer

import terc
from terc.cli.compare import compare
from terc.cli.distill import ablate, distill, frontier
from terc.cli.doctor import doctor
from terc.cli.example import example
from terc.cli.options import with_quiet
from terc.cli.paper import paper
from terc.cli.plain_help import PlainCommand, PlainGroup, wrong_value
from terc.cli.redundancy import history, redundancy
from terc.cli.report import export, report
from terc.cli.run import run
from terc.cli.select import select
from terc.errors import TercError, TercWarning, available_names

BAD_INPUT = 2
INTERRUPTED = 130

app = typer.Typer(
    name="terc",
    cls=PlainGroup,
    rich_markup_mode="markdown",
    help="Which state variables do an agent's actions depend on?",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _command in (select, compare, run, ablate, distill, frontier, history, redundancy, paper):
    app.command(cls=PlainCommand)(with_quiet(_command))
for _command in (export, report, example, doctor):
    app.command(cls=PlainCommand)(_command)


@app.callback(invoke_without_command=True)
def _top(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    if version:
        typer.echo(f"terc {terc.__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 when done, 2 with one line on bad input, 130 when interrupted."""
    for stream in (sys.stdout, sys.stderr):
        # A name may hold letters that the terminal's encoding has not.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")

    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        # Only what is meant for the user: warnings of libraries about each other would bury it.
        if issubclass(category, TercWarning):
            _say(f"note: {message}", 0)

    with warnings.catch_warnings():
        warnings.showwarning = show
        sys.exit(_exit_code(arguments))


def _exit_code(arguments: Sequence[str] | None) -> int:
    try:
        code = app(args=None if arguments is None else list(arguments), standalone_mode=False)
    except TercError as error:
        return _say(str(error), BAD_INPUT)
    except typer.TyperException as error:
        wrong = wrong_value(error) if isinstance(error, typer.BadParameter) else None
        said = wrong or str(getattr(error, "format_message", error.__str__)())
        return _say(f"{said}{_commands(said)}", BAD_INPUT)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    if code == INTERRUPTED:
        return _say("interrupted.", INTERRUPTED)
    return int(code or 0)


def _commands(said: str) -> str:
    """The names of the commands, after an unknown one to which none is close."""
    if not said.startswith("No such command") or "Did you mean" in said:
        return ""
    names = (one.callback.__name__ for one in app.registered_commands if one.callback is not None)
    return available_names(names)


def _say(text: str, code: int) -> int:
    typer.echo(f"terc: {' '.join(text.splitlines())}", err=True)
    return code


if __name__ == "__main__":
    main()
