"""`TercSelector`: the selection as a step of a scikit-learn pipeline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from terc.checks import named_rightly
from terc.errors import BadTypeError, BadValueError
from terc.selection.request import few_steps_allowed
from terc.selection.select import select
from terc.selection.settings import OPTIONS
from terc.trajectories.data import Trajectories

if TYPE_CHECKING:
    from terc.arrays import Integers
    from terc.entropy.base import Estimator
    from terc.parallel.backend import Backend

LARGEST_SEED = 2**31 - 1


class TercSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Keeps the columns of X that y depends on, each with a stated error rate (`terc.select`).

    X holds the state variables and y the actions: labels, whole numbers or real numbers, `[n]` or `[n, k]`.
    A frame gives its column names; the columns of an array are called x0, x1, ... Columns of text in a frame
    are nominal. Below 100 rows there is a warning: they cannot support a test.

    Args:
        estimator: As in `terc.select`, like all that are not listed here.
        nominal: Names or numbers of columns whose values are labels, as in `terc.Trajectories`.
        action_kind: "discrete", "continuous" or None to decide by y.
        random_state: A whole number, which gives the same answer each time; a `RandomState`, or None for a
            fresh one.

    Attributes:
        selection_: The whole answer, a `terc.Selection`.

    Example:
        The label is the XOR of two bits, each of which alone carries no information.
        >>> rng = np.random.default_rng(0)
        >>> X = rng.integers(0, 2, (1000, 4))
        >>> y = np.where(X[:, 1] ^ X[:, 3], "left", "right")
        >>> selector = TercSelector().fit(X, y)
        >>> selector.get_feature_names_out().tolist(), selector.transform(X).shape
        (['x1', 'x3'], (1000, 2))
    """

    @named_rightly
    def __init__(  # noqa: PLR0913  (the settings of `terc.select`)
        self,
        estimator: str | Estimator = "auto",
        method: str = "sequential",
        *,
        alpha: float = 0.05,
        min_effect: float | None = None,
        order: Sequence[str] | str | None = None,
        costs: Mapping[str, float] | None = None,
        groups: Iterable[Sequence[str]] | None = None,
        keep: Iterable[str] = (),
        nominal: Iterable[str | int] = (),
        action_kind: str | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = 0,
        error_rate: str = "family",
        backend: str | Backend | None = None,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.alpha = alpha
        self.min_effect = min_effect
        self.order = order
        self.costs = costs
        self.groups = groups
        self.keep = keep
        self.nominal = nominal
        self.action_kind = action_kind
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.error_rate = error_rate
        self.backend = backend

    def fit(self, X: Any, y: Any, *, episodes: Any = None, groups: Any = None) -> TercSelector:
        """Select.

        Args:
            X: `[n, d]` array or frame, rows in the order in which they were recorded.
            y: `[n]` or `[n, k]`.
            episodes: Label of the episode of each row `[n]`. None means one recording, which is cut into
                blocks; `numpy.arange(n)` says that rows do not depend on each other.
            groups: The same by scikit-learn's word for rows that belong together, as splitters take them; not
                the groups of columns that the selector itself may have.
        """
        if episodes is not None and groups is not None:
            raise BadValueError("fit: episodes and groups are two words for the same; give one of them.")
        states, actions = self._checked(X, y)
        data = Trajectories(
            states,
            actions,
            episodes=groups if episodes is None else episodes,
            names=[str(name) for name in self._names()],
            nominal=list(self.nominal),
            action_kind=self.action_kind,
        )
        options = {name: getattr(self, name) for name in OPTIONS if name != "seed"}
        n_jobs = 1 if self.n_jobs is None else self.n_jobs
        with few_steps_allowed():
            self.selection_ = select(data, **options, n_jobs=n_jobs, backend=self.backend, seed=self._seed())
        return self

    def _checked(self, X: Any, y: Any) -> tuple[Any, Any]:
        """X and y as scikit-learn wants them; a frame with columns of text goes on as it is."""
        if _has_text(X):
            validate_data(self, X, y, skip_check_array=True)
            return X, y
        states, actions = validate_data(self, X, y, multi_output=True, dtype=np.float64, ensure_min_samples=2)
        return states, actions[:, 0] if actions.ndim == 2 and actions.shape[1] == 1 else actions

    def _names(self) -> Sequence[str]:
        names = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(self.n_features_in_)] if names is None else list(names)

    def _seed(self) -> int:
        if isinstance(self.random_state, int | np.integer):
            return int(self.random_state)
        if self.random_state is None:  # scikit-learn would take numpy's global state
            return int(np.random.default_rng().integers(LARGEST_SEED))
        try:
            return int(check_random_state(self.random_state).randint(LARGEST_SEED))
        except ValueError:
            raise BadTypeError(
                "TercSelector: random_state must be a whole number, a numpy.random.RandomState or None, got "
                f"{type(self.random_state).__name__}."
            ) from None

    def _get_support_mask(self) -> Integers:
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[list(self.selection_.kept_indices)] = True
        return mask

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.two_d_labels = True
        return tags


def _has_text(table: Any) -> bool:
    """Whether a frame has a column that is neither a number nor a truth value."""
    if hasattr(table, "schema") and hasattr(table, "get_columns"):  # polars
        return not all(kind.is_numeric() or str(kind) == "Boolean" for kind in table.dtypes)
    if hasattr(table, "iloc") and hasattr(table, "dtypes"):  # pandas
        return any(getattr(kind, "kind", "O") not in "biufc" for kind in np.atleast_1d(table.dtypes))
    return False
