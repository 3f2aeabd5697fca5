"""The options of `select`, declared once.

Each is one line here: default, help, check. `terc.select` and `TercSelector` spell them out in their
signatures (a test holds them to this list); the flags of the command line and the settings of a run
are made from it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, ClassVar

from terc.checks import Check, anything, between_0_and_1, if_given, number, one_of, share, whole_number
from terc.entropy.evidence import ALPHA, MIN_EFFECT
from terc.errors import BadTypeError, BadValueError, unknown_name

METHODS = ("naive", "sequential", "minimal")
ERROR_RATES = ("family", "discovery")


def option(default: Any, words: str, check: Check, *, flag: str = "", typed: str = "") -> Any:
    """One option.

    Args:
        default: Its default.
        words: A line of help.
        check: What it must be.
        flag: On the command line, where that has another name.
        typed: How it is read there: "names" (a,b), "order" (names, or random), "groups", "costs", or
            "number" for a whole number or a word.
    """
    return field(default=default, metadata={"help": words, "check": check, "flag": flag, "typed": typed})


def _estimator(where: str, name: str, value: Any) -> str:
    return value if isinstance(value, str) else repr(value)


def _order(where: str, name: str, value: Any) -> str | tuple[str, ...] | None:
    if value is None or value == "random":
        return value
    if isinstance(value, str):
        raise unknown_name(where, name, value, ["random", "a list of names"])
    if not isinstance(value, Iterable):
        raise BadTypeError(f"{where}: {name} must be a list of names or 'random', got {value!r}.")
    return tuple(value)


def _costs(where: str, name: str, value: Any) -> dict[str, float] | None:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise BadTypeError(f"{where}: {name} must map names to numbers, got a {type(value).__name__}.")
    for variable, cost in value.items():
        if (
            isinstance(cost, float)
            and not math.isfinite(cost)
            or number(where, f"{name} of {variable!r}", cost) < 0
        ):
            raise BadValueError(
                f"{where}: {name} must be finite and not negative, {variable!r} costs {cost}."
            )
    return {variable: float(cost) for variable, cost in value.items()}


def _groups(where: str, name: str, value: Any) -> tuple[tuple[str, ...], ...] | None:
    if value is None:
        return None
    lists = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]
    for group in lists:
        if isinstance(group, str) or not isinstance(group, Iterable):
            raise BadTypeError(f"{where}: {name} must be lists of names such as [['a', 'b']], got {group!r}.")
    return tuple(tuple(group) for group in lists)


def _steps(where: str, name: str, value: Any) -> int | str | None:
    if value is None or value == "all":
        return value
    if isinstance(value, str):
        raise unknown_name(where, name, value, ["all", "a number"])
    return whole_number(where, name, value, 100)


def _names(where: str, name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        raise BadTypeError(
            f"{where}: {name} must be a list of names, got the text {value!r}. Write {name}=[{value!r}]."
        )
    if not isinstance(value, Iterable):
        raise BadTypeError(f"{where}: {name} must be a list of names, got {value!r}.")
    return tuple(value)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the answer of a selection depends on beside the data, checked.

    Example:
        >>> Settings(alpha=0.01).method
        'sequential'
        >>> Settings(alpha=7)
        Traceback (most recent call last):
        terc.errors.BadValueError: select: alpha must lie between 0 and 1, got 7.
    """

    where: ClassVar[str] = "select"

    estimator: str = option("auto", "auto, plugin, predictive, mine or knn.", _estimator)
    method: str = option("sequential", "sequential, naive or minimal.", one_of(METHODS))
    alpha: float = option(ALPHA, "Chance of keeping any variable without information.", between_0_and_1)
    min_effect: float | None = option(
        None, "Share of the information that is immaterial. [default: 0.005; mine, knn: 0]", if_given(share)
    )
    order: str | tuple[str, ...] | None = option(
        None, "Names in the order in which to try removing them: a,b,c; or random.", _order, typed="order"
    )
    costs: Mapping[str, float] | None = option(
        None,
        "What a variable costs, name=number; the most expensive is tried first.",
        _costs,
        flag="--cost",
        typed="costs",
    )
    groups: tuple[tuple[str, ...], ...] | None = option(
        None, "Names that stand or fall together: a,b; repeat it.", _groups, flag="--group", typed="groups"
    )
    keep: tuple[str, ...] = option((), "Variables that are never removed: a,b.", _names, typed="names")
    seed: int = option(0, "Same seed, same answer.", whole_number)
    error_rate: str = option(
        "family",
        "What alpha bounds: family, the chance that any is kept wrongly; discovery, the share of wrong ones.",
        one_of(ERROR_RATES),
    )

    def __post_init__(self) -> None:
        for one in fields(self):
            if check := one.metadata.get("check"):
                object.__setattr__(self, one.name, check(self.where, one.name, getattr(self, one.name)))

    @classmethod
    def of(cls, estimator: object, **options: Any) -> Settings:
        """The settings with an estimator that may be an instance."""
        return cls(estimator=_estimator("select", "estimator", estimator), **options)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON types."""
        options: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return options

    @property
    def floor(self) -> float:
        """`min_effect`, or its default."""
        return MIN_EFFECT if self.min_effect is None else self.min_effect

    def variables(self) -> Iterator[str]:
        """Every variable that is named in them."""
        yield from (name for _, name in self.named())

    def named(self) -> Iterator[tuple[str, str]]:
        """Every variable that is named in them, after the option that names it."""
        order = () if isinstance(self.order, str) else self.order or ()
        groups = [name for group in self.groups or () for name in group]
        for option, names in (
            ("keep", self.keep), ("order", order), ("costs", self.costs or ()), ("groups", groups),
        ):  # fmt: skip
            yield from ((option, name) for name in names)


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What is asked about, and by which steps it is answered: options of `select` alone."""

    steps: int | str | None = option(
        None, "Most steps to look at, or all; if not given, as many as it takes.", _steps, typed="number"
    )
    target: str = option("actions", "What is to be predicted: actions, reward, next or end.", anything)
    of: Iterable[str] | str | None = option(
        None, "For next: the names whose next values are meant: a,b.", anything, typed="names"
    )
    policies: str = option("any", "Of several recordings: keep what any of them needs, or all.", anything)

    def __post_init__(self) -> None:
        for one in fields(Subject):
            one.metadata["check"]("select", one.name, getattr(self, one.name))


@dataclass(frozen=True, kw_only=True)
class Execution:
    """How a selection is computed; the answer does not depend on it."""

    n_jobs: int = option(1, "Worker processes; -1 for one per core.", anything, flag="--jobs")
    backend: str | None = option(
        None, "serial, processes or ray; if not given, by the number of workers.", anything
    )
    progress: bool = option(False, "", anything)


OPTIONS = tuple(one.name for one in fields(Settings))
"""The names of the options in `Settings`."""
