"""`Trajectories`: recorded steps, checked once on the way in and never changed afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from terc.arrays import Floats, Integers
from terc.checks import called_rightly
from terc.errors import BadValueError, unknown_name
from terc.notes import Note
from terc.trajectories import inputs, joined
from terc.trajectories.actions import read_actions
from terc.trajectories.array_doubts import array_doubts, still_true
from terc.trajectories.columns import Label
from terc.trajectories.episodes import after_cut, quarter_of_each_step, row_numbers, with_history
from terc.trajectories.names import checked_names, names_of
from terc.trajectories.probabilities import UNLIKELY, read_probabilities


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Trajectories:
    """Steps of an agent: named variables, actions, and where each episode begins.

    Arrays are copied in, checked and read-only. Nothing is repaired: NaN, infinity, differing lengths,
    repeated names and the like are errors that say where. Columns of text are *nominal*: their codes are
    labels, not numbers. Say so with `nominal` for columns of codes.

    Args:
        states: `[n, d]` array of numbers or text, a pandas, polars or pyarrow frame of the variables, or a
            mapping of names to arrays `[n]` or `[n, d]` (variables `NAME_0`, `NAME_1`, ...).
        actions: `[n]` or `[n, k]`. Text and few different whole numbers are discrete, all else is continuous;
            several discrete dimensions become one joint action, text beside continuous ones columns of 0/1.
        episodes: Label of the episode of each step `[n]`; None means a single episode.
        names: One per variable; `x_0`, `x_1`, ... when None and `states` has none.
        action_kind: "discrete", "continuous" or None to decide.
        probabilities: `[n, K]`, the chance of each discrete action 0..K-1 in each step, from which the one
            taken was drawn.
        rewards: `[n]`.
        progress: `[n]`, how far through training each step was taken, in 0..1.
        nominal: Names or numbers of columns whose values are labels.
        source: `[n]`, which recording each step is from; `concat` sets it.

    Attributes:
        states: float64 `[n, d]`, float32 where the table is large and loses nothing by it; nominal columns
            hold codes 0..L-1.
        actions: int64 `[n]` when discrete, float64 `[n]` or `[n, k]` when continuous.
        episodes: int64 `[n]`, 0, 1, ... in order of appearance.
        action_labels: What action codes stand for; None when `actions` holds the numbers that were given.
        levels: For each nominal variable its labels, in the order of the codes.
        action_columns: What each column of `actions` says, where text stands beside continuous numbers; else
            None.
        groups: Variables that stand or fall together, such as one with gaps and its indicator.
        notes: What a reader should know about the data: how much was read, what looks like a leak.

    Example:
        >>> data = Trajectories([[0.5, 2], [1.5, 2], [2.5, 7]], ["left", "right", "left"],
        ...                     names=["x", "cell"], nominal=["cell"], episodes=[8, 8, 3])
        >>> data
        Trajectories(3 steps, 2 episodes, 2 variables, discrete actions)
        >>> data.states.tolist(), data.levels["cell"], data.actions.tolist(), data.episodes.tolist()
        ([[0.5, 0.0], [1.5, 0.0], [2.5, 1.0]], (2, 7), [0, 1, 0], [0, 0, 1])
    """

    states: Floats
    actions: Integers | Floats
    episodes: Integers
    names: tuple[str, ...]
    action_kind: str
    action_labels: tuple[Label, ...] | None
    action_columns: tuple[str, ...] | None
    probabilities: Floats | None
    rewards: Floats | None
    progress: Floats | None
    levels: Mapping[str, tuple[Label, ...]]
    groups: tuple[tuple[str, ...], ...]
    notes: tuple[Note, ...]
    source: Integers | None

    @called_rightly
    def __init__(  # noqa: PLR0913  (the public contract; all but two are keywords)
        self,
        states: Any,
        actions: Any,
        *,
        episodes: Any = None,
        names: Sequence[str] | None = None,
        action_kind: str | None = None,
        probabilities: Any = None,
        rewards: Any = None,
        progress: Any = None,
        nominal: Iterable[str | int] | str | int = (),
        source: Any = None,
    ) -> None:
        variables = inputs.variables(states, names, actions)
        n = len(variables[0].values)
        own_names = tuple(column.name for column in variables)
        values, levels = inputs.read_states("states", variables, names_of("nominal", nominal, own_names))
        chances, acts = inputs.matrix("probabilities", probabilities), inputs.action_columns(actions, n)
        acted = read_actions(acts, action_kind, sampled_from_probabilities=chances is not None)
        shown, doubts = (None, ()) if chances is None else read_probabilities(chances, acted)
        self._set(
            states=values,
            names=own_names,
            levels=MappingProxyType(levels),
            actions=acted.values,
            action_kind=acted.kind,
            action_labels=acted.labels,
            action_columns=acted.columns,
            episodes=inputs.episode_numbers(episodes, n),
            probabilities=shown,
            rewards=inputs.numbers("rewards", rewards, n),
            progress=inputs.progress(progress, n),
            groups=(),
            notes=(*doubts, *acted.notes),
            source=joined.numbered_sources(source, n),
        )
        if not inputs.are_columns(states):
            self._set(notes=(*array_doubts(self), *self.notes))

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            object.__setattr__(self, name, value)

    def _with(self, **changes: Any) -> Trajectories:
        """A copy with other fields, which the caller has kept consistent."""
        new: Trajectories = object.__new__(type(self))
        new._set(**{field.name: getattr(self, field.name) for field in fields(self)} | changes)
        return new

    @classmethod
    @called_rightly
    def from_frame(  # noqa: PLR0913  (one keyword per role a column can have)
        cls,
        frame: Any,
        *,
        action: str | Sequence[str],
        episode: str | Sequence[str] | None = None,
        rewards: str | None = None,
        progress: str | None = None,
        probabilities: Sequence[str] = (),
        nominal: Iterable[str] | str = (),
        drop: Iterable[str] | str = (),
        ignore: Iterable[str] | str = (),
        seen: Iterable[str] | str = (),
        done: Iterable[str] | str = (),
        sort: str | None = None,
        missing: str | None = None,
        action_kind: str | None = None,
    ) -> Trajectories:
        """Trajectories from a pandas, polars or pyarrow frame; each column without a role is a variable.

        One row per step; the keywords are those of `terc.load`. Levels of a MultiIndex are joined by dots.
        """
        from terc.trajectories.frames import table_of_frame
        from terc.trajectories.recorded import Recorded
        from terc.trajectories.roles import Roles

        roles = Roles.given(
            "from_frame", action=action, episode=episode, rewards=rewards, progress=progress,
            probabilities=probabilities, nominal=nominal, drop=drop, ignore=ignore, seen=seen, done=done,
            sort=sort, missing=missing, action_kind=action_kind,
        )  # fmt: skip
        return Recorded.of(table_of_frame("from_frame", frame), roles).read()

    @classmethod
    @called_rightly
    def concat(cls, recordings: Iterable[Trajectories]) -> Trajectories:
        """Several recordings as one, kept apart by `source`; see `terc.trajectories.joined.concat`."""
        return joined.concat(recordings)

    def __len__(self) -> int:
        return len(self.states)

    def __repr__(self) -> str:
        return (
            f"Trajectories({len(self)} steps, {self.n_episodes} episode{'s' * (self.n_episodes != 1)}, "
            f"{len(self.names)} variable{'s' * (len(self.names) != 1)}, {self.action_kind} actions)"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Trajectories):
            return NotImplemented
        names = [field.name for field in fields(self) if field.name != "notes"]
        return all(_same(getattr(self, name), getattr(other, name)) for name in names)

    __hash__ = None  # type: ignore[assignment]  # arrays have no hash

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "levels": dict(self.levels)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._set(**{**state, "levels": MappingProxyType(state["levels"])})

    @property
    def n_episodes(self) -> int:
        """Number of episodes."""
        return int(self.episodes[-1]) + 1

    @property
    def nominal(self) -> frozenset[str]:
        """Names of the variables whose values are codes of labels."""
        return frozenset(self.levels)

    def column(self, name: str) -> int:
        """The column number of the variable `name`."""
        if name not in self.names:
            raise unknown_name("Trajectories", "variable", name, self.names)
        return self.names.index(name)

    def only(self, names: Iterable[str] | str) -> Trajectories:
        """The same steps with only the variables `names`, in that order."""
        wanted = checked_names("only", names_of("only", names, self.names))
        if not wanted:
            raise BadValueError("only: wanted at least one variable, got none.")
        chosen = self._with(
            states=self.states[:, [self.column(name) for name in wanted]],
            names=wanted,
            levels=MappingProxyType({name: self.levels[name] for name in wanted if name in self.levels}),
            groups=tuple(group for group in self.groups if set(group) <= set(wanted)),
        )
        return chosen._with(notes=still_true(self.notes, chosen)) if len(wanted) < len(self.names) else chosen

    def rows(self, chosen: npt.ArrayLike) -> Trajectories:
        """The steps in `chosen` (a mask `[n]` or increasing row numbers); a hole splits an episode in two."""
        rows = row_numbers(chosen, len(self))
        return self._rows(rows, after_cut(self.episodes, rows))

    def thinned(self, every: int, *, rng: np.random.Generator) -> Trajectories:
        """One step of each `every` in a row, in the episodes as they were.

        It is drawn: what repeats with the same period (an action held for four steps) would be lost else.

        Example:
            >>> data = Trajectories(np.arange(6)[:, None], [0] * 6, episodes=[0, 0, 0, 1, 1, 1])
            >>> data.thinned(3, rng=np.random.default_rng(0)).episodes
            array([0, 1])
        """
        first = np.arange(0, len(self), every)
        rows = np.minimum(first + rng.integers(0, every, len(first)), len(self) - 1)
        return self._rows(rows, np.unique(self.episodes[rows], return_inverse=True)[1].reshape(-1))

    def _rows(self, rows: Integers, episodes: Integers, **changes: Any) -> Trajectories:
        per_step = ("actions", "probabilities", "rewards", "progress", "source")
        cut = {name: None if (of := getattr(self, name)) is None else of[rows] for name in per_step}
        return self._with(**{"states": self.states[rows], "episodes": episodes} | cut | changes)

    def with_history(self, length: int) -> Trajectories:
        """Each variable followed by its `length` past values, named `v[t-1]`, ..., `v[t-length]`.

        Steps without that many predecessors in their own episode are left out.

        Example:
            >>> data = Trajectories([[1], [2], [3], [7], [8]], [0, 1, 0, 1, 1],
            ...                     names=["v"], episodes=list("aaabb"))
            >>> past = data.with_history(1)
            >>> past.names, past.states.tolist(), past.episodes.tolist()
            (('v', 'v[t-1]'), [[2.0, 1.0], [3.0, 2.0], [8.0, 7.0]], [0, 0, 1])
        """
        return with_history(self, length)

    def sampled_only(self) -> Trajectories:
        """The same steps without the policy's probabilities: as in the paper, the actions taken count.

        Every trained network leaves a small weight on a column of noise. Probabilities show it (6e-4 nats on
        Cart Pole), and it would be kept, rightly by the letter and against the purpose of a smaller state.
        """
        notes = tuple(note for note in self.notes if note.code != UNLIKELY)
        return self._with(probabilities=None, notes=notes)

    def quarters(self) -> tuple[Trajectories, Trajectories, Trajectories, Trajectories]:
        """The four quarters of training: by `progress` where known, else whole episodes in row order.

        Fewer than four episodes without `progress` are cut at the quarters of the rows.
        """
        quarter = quarter_of_each_step(self.episodes, self.progress)
        first, second, third, fourth = (self.rows(quarter == k) for k in range(4))
        return first, second, third, fourth

    def save(self, path: str | Path) -> None:
        """Write everything to .parquet, .npz or .csv, whole or not at all; `terc.load(path)` restores it."""
        from terc.trajectories.files import save

        save(self, path)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        if one is None or other is None:
            return False
        return np.array_equal(one, other) and one.dtype.kind == other.dtype.kind
    return bool(one == other)
