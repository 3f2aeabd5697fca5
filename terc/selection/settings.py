"""The settings of `select`, checked before anything is computed and written down as they were."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from numbers import Real
from typing import Any

from terc.entropy.evidence import ALPHA, MIN_EFFECT
from terc.errors import BadTypeError, BadValueError, unknown_name

METHODS = ("naive", "sequential", "minimal")
ERROR_RATES = ("family", "discovery")


@dataclass(frozen=True)
class Settings:
    """What a selection was asked for, as plain JSON types.

    Attributes:
        estimator: Name, or the representation of an instance.
        method: One of `METHODS`.
        alpha: Error rate.
        min_effect: Share of I(A; X) below which a loss is immaterial.
        order: Names, "random" or None.
        costs: Cost of each variable, or None.
        groups: Names that stand or fall together, or None.
        keep: Names that stay.
        seed: Of everything random.
        error_rate: One of `ERROR_RATES`.

    Example:
        >>> Settings.of("auto", alpha=7)
        Traceback (most recent call last):
        terc.errors.BadValueError: select: alpha must lie between 0 and 1, got 7.
    """

    estimator: str
    method: str
    alpha: float
    min_effect: float
    order: str | list[str] | None
    costs: dict[str, float] | None
    groups: list[list[str]] | None
    keep: list[str]
    seed: int
    error_rate: str

    @classmethod
    def of(  # noqa: PLR0913  (the settings of the public call)
        cls,
        estimator: object,
        *,
        method: str = "sequential",
        alpha: float = ALPHA,
        min_effect: float | None = None,
        order: Sequence[str] | str | None = None,
        costs: Mapping[str, float] | None = None,
        groups: Iterable[Sequence[str]] | None = None,
        keep: Iterable[str] = (),
        seed: int = 0,
        error_rate: str = "family",
    ) -> Settings:
        """The settings, if they are sound."""
        for what, value, known in (("method", method, METHODS), ("error_rate", error_rate, ERROR_RATES)):
            if value not in known:
                raise unknown_name("select", what, value, known)
        return cls(
            estimator=estimator if isinstance(estimator, str) else repr(estimator),
            method=method,
            alpha=_alpha(alpha),
            min_effect=_share(min_effect),
            order=_order(order),
            costs=_costs(costs),
            groups=_groups(groups),
            keep=_keep(keep),
            seed=int(seed),
            error_rate=error_rate,
        )

    def to_dict(self) -> dict[str, Any]:
        """For the record in the result."""
        return asdict(self)


def _number(what: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise BadTypeError(f"select: {what} must be a number, got {value!r}.")
    return float(value)


def _alpha(alpha: object) -> float:
    if not 0 < _number("alpha", alpha) < 1:
        raise BadValueError(f"select: alpha must lie between 0 and 1, got {alpha}.")
    return _number("alpha", alpha)


def _share(min_effect: object) -> float:
    share = MIN_EFFECT if min_effect is None else _number("min_effect", min_effect)
    if not 0 <= share < 1:
        raise BadValueError(f"select: min_effect is a share of I(A; X) from 0 up to 1, got {min_effect}.")
    return share


def _order(order: object) -> str | list[str] | None:
    if order is None or isinstance(order, str):
        return order
    if not isinstance(order, Iterable):
        raise BadTypeError(f"select: order must be a list of names or 'random', got {order!r}.")
    return list(order)


def _costs(costs: object) -> dict[str, float] | None:
    if costs is None:
        return None
    if not isinstance(costs, Mapping):
        raise BadTypeError(f"select: costs must map names to numbers, got a {type(costs).__name__}.")
    return {name: _number(f"costs of {name!r}", cost) for name, cost in costs.items()}


def _groups(groups: object) -> list[list[str]] | None:
    if groups is None:
        return None
    lists: list[Any] = [groups]
    if isinstance(groups, Iterable) and not isinstance(groups, str):
        lists = list(groups)
    for group in lists:
        if isinstance(group, str) or not isinstance(group, Iterable):
            raise BadTypeError(f"select: groups must be lists of names such as [['a', 'b']], got {group!r}.")
    return [list(group) for group in lists]


def _keep(keep: object) -> list[str]:
    if isinstance(keep, str):
        raise BadTypeError(
            f"select: keep must be a list of names, got the text {keep!r}. Write keep=[{keep!r}]."
        )
    if not isinstance(keep, Iterable):
        raise BadTypeError(f"select: keep must be a list of names, got {keep!r}.")
    return list(keep)
