"""Names of variables as they are typed: separated by commas, though a name may hold commas itself."""

from collections.abc import Iterable, Sequence

from terc.errors import BadValueError, unknown_name


def split_names(option: str, texts: Iterable[str], known: Sequence[str]) -> list[str]:
    """The names in `texts`; a text that is itself a known name is not split.

    Example:
        >>> split_names("--order", ["a,b", "x, y"], ["a", "b", "x, y"])
        ['a', 'b', 'x, y']
    """
    names = [name for text in texts for name in ([text] if text in known else text.split(","))]
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
