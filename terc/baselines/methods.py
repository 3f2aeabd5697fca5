"""The methods that `terc.compare` knows by name."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Self

from terc.errors import MissingExtraError
from terc.fingerprint import import_name
from terc.selection.result import Selection
from terc.trajectories.data import Trajectories

PLAIN = (type(None), bool, int, float, str)
PERMUTATION = "terc.baselines.permutation_importance:permutation_importance"


def _call(where: str, data: Trajectories, **settings: Any) -> Selection:
    """Load the function `module:name` and call it: a method costs its imports only when it is used."""
    module, name = where.split(":")
    selection: Selection = getattr(import_module(module), name)(data, **settings)
    return selection


METHODS: dict[str, Callable[..., Selection]] = {
    "terc": partial(_call, "terc.selection.select:select"),
    "umfi": partial(_call, "terc.baselines.umfi:umfi"),
    "umfi_linear": partial(_call, "terc.baselines.umfi:umfi", removal="linear"),
    "permutation": partial(_call, PERMUTATION),
    "permutation_forest": partial(_call, PERMUTATION, model="forest"),
    "knockoffs": partial(_call, "terc.baselines.knockoffs:knockoffs"),
    "boruta": partial(_call, "terc.baselines.boruta:boruta"),
    "mrmr": partial(_call, "terc.baselines.mrmr:mrmr"),
    "shap": partial(_call, "terc.baselines.shap:shap_ranking"),
    "rfecv": partial(_call, "terc.baselines.sklearn_selectors:rfecv"),
    "sequential": partial(_call, "terc.baselines.sklearn_selectors:sequential_selection"),
    "tigramite": partial(_call, "terc.baselines.tigramite:tigramite_tests"),
}

EXTRAS = {"boruta": "boruta", "shap": "shap", "tigramite": "tigramite"}
"""Package that a method needs beyond those that terc installs; the extra of terc has the same name."""


def require_extra(method: str, package: str) -> None:
    """Refuse to start when `package` is not installed, with the command that installs it."""
    if find_spec(package) is None:
        raise MissingExtraError(f"{method}: needs the package {package}: pip install 'terc[{package}]'.")


@dataclass(frozen=True)
class Method:
    """A method and what it runs.

    Attributes:
        is_ours: Whether it is one of `METHODS`, which take seed, workers and progress.
        name: In words that change when its settings do; None for what exists in memory only.
        module: Where its code is.

    Example:
        >>> Method.of(METHODS["umfi_linear"]).name
        "terc.baselines.umfi:umfi, removal='linear'"
        >>> Method.of(lambda data: ["a"]).name is None
        True
    """

    function: Callable[..., Any]
    is_ours: bool
    name: str | None
    module: str

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Self:
        """Of a function that can be imported, with plain settings given by `functools.partial`."""
        called, settings, plain = function, list[str](), True
        while isinstance(called, partial):
            plain = plain and all(map(_is_plain, (*called.args, *called.keywords.values())))
            given = (f"{name}={value!r}" for name, value in called.keywords.items())
            settings, called = [*map(repr, called.args), *given, *settings], called.func
        if called is _call:
            name, settings = settings[0].strip("'"), settings[1:]
        else:
            name = import_name(called) or ""
        said = ", ".join([name, *settings]) if name and plain else None
        return cls(function, called is _call, said, name.partition(":")[0])


def _is_plain(value: object) -> bool:
    """Whether the value has a representation that says everything about it."""
    if isinstance(value, dict):
        return all(map(_is_plain, (*value, *value.values())))
    return all(map(_is_plain, value)) if isinstance(value, list | tuple) else type(value) in PLAIN
