"""Steps in episodes, filled with columns that unfold: smooth runs, sticky bits, lags, noise of many kinds."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import update_wrapper
from inspect import Parameter, Signature, signature
from typing import Any

import numpy as np
import numpy.typing as npt

from terc.arrays import Floats, Integers
from terc.seeding import generator
from terc.synthetic.columns import Columns, Needed, Rng, draw, family, labelled
from terc.synthetic.labelled import Labelled


@dataclass(frozen=True)
class Steps:
    """`n` steps in episodes of `length` (the last one is cut), and the stream their columns are drawn from.

    A series is `[length, episodes, ...]`, all episodes side by side; a column is `[n]`, one after another.

    Example:
        >>> steps = Steps(5, 2, np.random.default_rng(0))
        >>> steps.count, steps.episodes
        (3, array([0, 0, 1, 1, 2]))
        >>> steps.in_order(np.array([[0, 10, 20], [1, 11, 21]]))
        array([ 0,  1, 10, 11, 20])
    """

    n: int
    length: int
    rng: Rng
    with_probabilities: bool = False

    @property
    def count(self) -> int:
        """How many episodes there are."""
        return -(-self.n // self.length)

    @property
    def episodes(self) -> Integers:
        """The episode of each step."""
        return np.repeat(np.arange(self.count), self.length)[: self.n]

    def in_order(self, series: npt.NDArray[Any], lag: int = 0) -> npt.NDArray[Any]:
        """The steps `[n, ...]` of a series, episode after episode, as they were `lag` steps before.

        A series may be longer than `length`: its first steps are the past of the first one that is recorded.
        """
        end = len(series) - lag
        shown = series[end - self.length : end]
        rows: npt.NDArray[Any] = shown.swapaxes(0, 1).reshape(-1, *shown.shape[2:])[: self.n]
        return rows

    def smooth(self, keep: float, variables: int = 1, *, past: int = 0) -> Floats:
        """`[past + length, episodes, variables]` stationary normals that keep `keep` of the step before."""
        series = self.rng.standard_normal((past + self.length, self.count, variables))
        series[1:] *= np.sqrt(1 - keep**2)
        for t in range(1, len(series)):
            series[t] += keep * series[t - 1]
        return series

    def sticky(self, stay: float, variables: int = 1, *, past: int = 0) -> Integers:
        """`[past + length, episodes, variables]` fair bits that switch with probability 1 - `stay`."""
        shape = (past + self.length, self.count, variables)
        switches = self.rng.random(shape) >= stay
        switches[0] = self.rng.random(shape[1:]) < 0.5
        bits: Integers = np.cumsum(switches, axis=0) % 2
        return bits

    def moving(self, variables: int, keep: float) -> Floats:
        """`[n, variables]` columns of `smooth`."""
        return self.in_order(self.smooth(keep, variables))

    def one(self, keep: float) -> Floats:
        """One column `[n]` of `smooth`."""
        return self.moving(1, keep)[:, 0]

    def stack(self, lags: int, **series: npt.NDArray[Any]) -> Columns:
        """Columns `name_0` (now) .. `name_{lags-1}` of each series `[T, episodes]`."""
        return {
            f"{name}_{k}": self.in_order(values, k) for name, values in series.items() for k in range(lags)
        }

    def noise(self, count: int) -> Columns:
        """`count` columns that have nothing to do with anything, of six kinds in turn.

        Slow and very slow runs, independent normals, sticky bits, integers of seven levels, heavy tails.
        """
        shape = (self.length, self.count, 1)
        kinds: list[Callable[[], npt.NDArray[Any]]] = [
            lambda: self.smooth(0.9),
            lambda: self.rng.standard_normal(shape),
            lambda: self.sticky(0.95),
            lambda: self.smooth(0.99),
            lambda: self.rng.integers(0, 7, shape),
            lambda: self.rng.standard_t(3, shape),
        ]
        return {f"noise_{k}": self.in_order(kinds[k % len(kinds)]())[:, 0] for k in range(count)}

    def held(self, count: int) -> Columns:
        """`count` columns that are constant within an episode and independent of everything."""
        values = self.rng.standard_normal((self.count, count))[self.episodes]
        return {f"held_{k}": column for k, column in enumerate(values.T)}

    def drawn(
        self,
        columns: Columns,
        needed: Needed,
        chances: Floats,
        *,
        nominal: Iterable[str] = (),
        alternatives: Iterable[Needed] = (),
    ) -> Labelled:
        """The data set in which each action is drawn from its row of `chances` `[n, K]`."""
        return labelled(
            columns,
            draw(chances, rng=self.rng),
            needed,
            rng=self.rng,
            episodes=self.episodes,
            nominal=nominal,
            probabilities=chances if self.with_probabilities else None,
            alternatives=alternatives,
        )

    def taken(self, columns: Columns, needed: Needed, actions: npt.NDArray[Any]) -> Labelled:
        """The data set with these actions, `[n]` or `[n, k]`."""
        return labelled(columns, actions, needed, rng=self.rng, episodes=self.episodes)


def kind(
    length: int = 1, *, probabilities: bool | None = False
) -> Callable[[Callable[..., Labelled]], Callable[..., Labelled]]:
    """`make(steps, ...)` as a family: `name(n=10_000, *, seed=0, with_probabilities=False, ...)`.

    Args:
        length: Steps of an episode.
        probabilities: Whether the actions' probabilities are recorded unless asked otherwise; None where
            they are not known.
    """

    def of_steps(make: Callable[..., Labelled]) -> Callable[..., Labelled]:
        def made(
            n: int = 10_000, *, seed: int = 0, with_probabilities: bool = bool(probabilities), **settings: Any
        ) -> Labelled:
            return make(Steps(n, length, generator(seed), with_probabilities), **settings)

        shared = list(signature(made).parameters.values())
        own = list(signature(make).parameters.values())[1:]
        update_wrapper(made, make)
        made.__signature__ = Signature(  # type: ignore[attr-defined]
            shared[: 2 if probabilities is None else 3]
            + [one.replace(kind=Parameter.KEYWORD_ONLY) for one in own]
        )
        return family(made)

    return of_steps
