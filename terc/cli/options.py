"""Flags of the command line made from dataclasses, and how their text is read."""

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, field, fields
from functools import wraps
from typing import Annotated, Any, cast, get_type_hints

import typer

from terc.errors import BadValueError, unknown_name
from terc.progress import quietly
from terc.selection.settings import Execution, Settings, Subject


def separated(texts: Iterable[str], known: Collection[str]) -> list[str]:
    """The names in `texts`, separated by commas; a text that is itself a known name is not split.

    Example:
        >>> separated(["a,b", "x, y"], ["a", "b", "x, y"])
        ['a', 'b', 'x, y']
    """
    return [name for text in texts for name in ([text] if text in known else text.split(","))]


def split_names(option: str, texts: Iterable[str], known: Sequence[str]) -> list[str]:
    """The `separated` names, each of them known."""
    names = separated(texts, known)
    for name in names:
        if name not in known:
            raise unknown_name(option, "variable", name, known)
    return names


def read_costs(texts: Iterable[str], known: Sequence[str]) -> dict[str, float]:
    """Costs from texts of the form name=value.

    Example:
        >>> read_costs(["lidar=9.5"], ["lidar", "speed"])
        {'lidar': 9.5}
    """
    costs: dict[str, float] = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        try:
            cost = float(value)
        except ValueError:
            equals = ""
        if not equals:
            raise BadValueError(f"--cost: wanted name=number, got {text!r}.")
        if name not in known:
            raise unknown_name("--cost", "variable", name, known)
        if name in costs:
            raise BadValueError(f"--cost: {name!r} comes twice.")
        costs[name] = cost
    return costs


HOW_TYPED = {
    one.name: one.metadata["typed"]
    for kind in (Settings, Subject)
    for one in fields(kind)
    if one.metadata["typed"]
}
"""Options that are texts on the command line, read when the variables are known."""
Command = Callable[..., None]


def with_options(
    *kinds: type[Settings | Subject | Execution], without: Sequence[str] = (), may_be_unset: bool = False
) -> Callable[[Command], Command]:
    """The command with a flag for each option of `kinds`, which it receives as `**options`.

    Args:
        kinds: Where the options are declared.
        without: Options that the command has no flag for.
        may_be_unset: Whether a flag that is not given is None, and its default stands elsewhere.
    """
    declared = [
        (kind, one) for kind in kinds for one in fields(kind) if one.name not in ("progress", *without)
    ]
    # What a command has beyond the options of `select` comes first.
    declared.sort(key=lambda pair: pair[0] is not Settings and hasattr(Settings, pair[1].name))

    def decorate(command: Command) -> Command:
        flags = [_flag(kind, one, may_be_unset) for kind, one in declared]
        return with_flags(command, flags, lambda **given: command(**given))

    return decorate


def flag(words: str, default: Any = MISSING, *names: str) -> Any:
    """A field that is a flag of the command line, for `with_fields`; without a default it is a list."""
    known: dict[str, Any] = {"default_factory": list} if default is MISSING else {"default": default}
    return field(**known, metadata={"typer": typer.Option(*names, help=words)})


def with_fields(kind: type[Any], command: Command, name: str) -> Command:
    """The command with a flag for each field of the dataclass `kind`, which it receives as `name`."""
    hints, declared = get_type_hints(kind), fields(kind)
    flags = [_parameter(one.name, _default(one), hints[one.name], one.metadata["typer"]) for one in declared]

    def called(**given: Any) -> None:
        typed = kind(**{one.name: given.pop(one.name) for one in declared})
        command(**{name: typed}, **given)

    return with_flags(command, flags, called, instead_of=name)


def _parameter(name: str, default: Any, hint: Any, shown: Any) -> inspect.Parameter:
    annotation: Any = Annotated[hint, shown]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _default(one: Field[Any]) -> Any:
    if one.default_factory is not MISSING:
        return one.default_factory()
    return inspect.Parameter.empty if one.default is MISSING else one.default


def with_quiet(command: Command) -> Command:
    """The command with the flag `--quiet`, which shows no progress."""

    def called(*, quiet: bool, **given: Any) -> None:
        with quietly(quiet):
            command(**given)

    quiet = _parameter("quiet", False, bool, typer.Option("--quiet", help="Show no progress."))
    return with_flags(command, [quiet], called)


def read_options(given: Mapping[str, Any], names: Sequence[str] | None = None) -> dict[str, Any]:
    """The options that were given, as `select` takes them.

    Args:
        given: Option -> value; None, or no texts, where it was not given.
        names: The variables, or None where they are not known yet: then names hold no commas.

    Example:
        >>> read_options({"alpha": 0.01, "keep": ["a,b"], "costs": [], "order": ["random"]}, ["a", "b"])
        {'alpha': 0.01, 'keep': ['a', 'b'], 'order': 'random'}
    """
    found = {name: value for name, value in given.items() if value is not None and value != []}
    return {name: _read(name, value, names) if name in HOW_TYPED else value for name, value in found.items()}


def _read(name: str, texts: Any, names: Sequence[str] | None) -> Any:
    typed = HOW_TYPED[name]
    if typed == "number":
        return int(texts) if str(texts).isdigit() else texts
    if typed == "costs":
        known = [text.rpartition("=")[0] for text in texts] if names is None else names
        return read_costs(texts, known)
    known = [part for text in texts for part in text.split(",")] if names is None else names
    if typed == "groups":
        return [split_names("--group", [text], known) for text in texts]
    if typed == "order" and list(texts) == ["random"] and (names is None or "random" not in names):
        return "random"
    return split_names(f"--{name}", texts, known)


def _flag(kind: type[Any], one: Field[Any], may_be_unset: bool) -> inspect.Parameter:
    """One option as a parameter that typer understands."""
    hint: Any = get_type_hints(kind)[one.name]
    default, words = one.default, one.metadata["help"]
    if one.metadata["typed"] == "number":
        hint = str | None
    elif one.metadata["typed"]:
        hint, default = list[str], []
    elif may_be_unset:
        words = words if default is None or default is False else f"{words} [default: {default}]"
        hint, default = hint | None, None
    option = typer.Option(one.metadata["flag"] or f"--{one.name.replace('_', '-')}", help=words)
    return _parameter(one.name, default, hint, option)


def with_flags(
    command: Command, flags: Sequence[inspect.Parameter], called: Any, *, instead_of: str = ""
) -> Command:
    """`called` in place of the command, with more parameters in its signature, which is what typer reads.

    Args:
        command: What is called in the end.
        flags: More parameters.
        called: Takes all of them, and calls `command`.
        instead_of: A parameter of `command` that `called` makes from the flags, which stand in its place.
    """
    signature = inspect.signature(command, eval_str=True)
    own = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
    own = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own]
    place = next((k for k, one in enumerate(own) if one.name == instead_of), len(own))
    extended: Any = wraps(command)(called)
    extended.__signature__ = signature.replace(parameters=[*own[:place], *flags, *own[place + 1 :]])
    return cast(Command, extended)
