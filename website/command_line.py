"""The commands of `terc` as Markdown, from the commands themselves."""

from __future__ import annotations

from typing import Any

import typer

from terc.cli.main import app


def all_commands() -> str:
    """One section per command: what it does, its arguments and its options."""
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    return "\n\n".join(_section(name, command) for name, command in commands.items())


def _section(name: str, command: Any) -> str:
    arguments = [one for one in command.params if not one.opts[0].startswith("-")]
    options = [one for one in command.params if one.opts[0].startswith("-") and one.name != "help"]
    usage = " ".join(["terc", name, *(_metavar(one) for one in arguments), "[OPTIONS]"])
    lines = [f"## terc {name}", "", _plain(command.help or ""), "", f"```text\n{usage}\n```", ""]
    for title, ones in (("argument", arguments), ("option", options)):
        if ones:
            lines += [f"| {title} | what it does |", "|---|---|", *(_row(one) for one in ones), ""]
    return "\n".join(lines)


def _row(one: Any) -> str:
    names = [_metavar(one)] if not one.opts[0].startswith("-") else [*one.opts, *one.secondary_opts]
    kind = "" if getattr(one, "is_flag", False) or not one.opts[0].startswith("-") else f" {_value(one)}"
    return f"| `{', '.join(names)}{kind}` | {_plain(one.help or '')} |".replace("|`", "| `")


def _metavar(one: Any) -> str:
    return str(one.metavar or one.name.upper())


def _value(one: Any) -> str:
    kind = getattr(one.type_descriptor.annotation, "__name__", "text")
    shown = {"str": "TEXT", "int": "N", "float": "NUMBER", "list": "TEXT..."}
    return str(one.metavar or shown.get(kind, kind.upper()))


def _plain(text: str) -> str:
    return " ".join(text.replace("|", "\\|").replace("<", "&lt;").split())
