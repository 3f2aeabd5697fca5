"""`Recorder`: the steps of a whole training, thinned evenly to a fixed number by whole episodes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from terc.arrays import Array
from terc.errors import BadValueError
from terc.trajectories.array_doubts import seen_before
from terc.trajectories.data import Trajectories

# An episode longer than this, or than an eighth of the record, is recorded in pieces, so that a few endless
# ones cannot fill it.
LONGEST_PIECE = 1000


class Recorder:
    """Keeps between half of `cap` and `cap` steps, spread evenly over however long the training lasts.

    Copy `i` of the environment is recorded during its episode `e` when (e + i) is a multiple of `stride`.
    When the record is full, every other recorded episode is dropped and the stride doubles.

    Args:
        n: Copies of the environment.
        cap: Most steps to keep; 0 records nothing.

    Example:
        Twenty one-step episodes, at most eight kept: every fourth stays.
        >>> recorder, yes = Recorder(1, cap=8), np.array([True])
        >>> for t in range(20):
        ...     recorder.add(np.array([[t]]), np.array([t % 2]), np.zeros(1), done=yes, played=yes)
        >>> recorder.trajectories(["t"], "discrete").states.ravel()
        array([ 0.,  4.,  8., 12., 16.])
    """

    def __init__(self, n: int, cap: int) -> None:
        self.n, self.cap = n, cap
        self.rows, self.seen, self.stride = 0, 0, 1
        self._longest = max(1, min(LONGEST_PIECE, cap // 8))
        self._lanes = np.arange(n)
        self.piece = np.zeros(n, np.int64)
        self.start = np.zeros(n, np.int64)
        self.length = np.zeros(n, np.int64)
        self._on = np.ones(n, bool)
        self._columns: dict[str, Array] = {}

    def add(self, states: Array, actions: Array, rewards: Array, done: Array, played: Array) -> None:
        """Take one step of all copies: states `[n, d]`, actions `[n]` or `[n, k]`, the rest `[n]`."""
        if self.cap == 0:
            return
        chosen = np.flatnonzero(self._on & played)
        if len(chosen):
            self._append(states, actions, rewards, chosen)
        self.seen += self.n
        self.length += played
        ended = done | (self.length >= self._longest)
        if ended.any():
            self.piece[ended] += 1
            self.length[ended] = 0
            self.start[ended] = self.seen
            self._choose()

    def _choose(self) -> None:
        self._on = (self.piece + self._lanes) % self.stride == 0

    def _append(self, states: Array, actions: Array, rewards: Array, chosen: Array) -> None:
        if not self._columns:
            self._allocate(states, actions)
        while self.rows + len(chosen) > self.cap:
            self._thin()
            chosen = chosen[self._on[chosen]]
        place = slice(self.rows, self.rows + len(chosen))
        new = {"states": states, "actions": actions, "rewards": rewards}
        new |= {"lane": self._lanes, "piece": self.piece, "start": self.start}
        for name, values in new.items():
            self._columns[name][place] = values[chosen]
        self._columns["when"][place] = self.seen
        self.rows += len(chosen)

    def _allocate(self, states: Array, actions: Array) -> None:
        # numpy asks the system for these pages only when they are written, so a generous cap costs nothing
        shapes = {"states": states.shape[1:], "actions": actions.shape[1:]}
        kinds: dict[str, Any] = dict.fromkeys(("lane", "piece", "start", "when"), np.int64)
        kinds |= {"states": states.dtype, "actions": actions.dtype, "rewards": np.float64}
        for name, kind in kinds.items():
            self._columns[name] = np.empty((self.cap, *shapes.get(name, ())), kind)

    def _thin(self) -> None:
        self.stride *= 2
        kept = np.flatnonzero((self._filled("piece") + self._filled("lane")) % self.stride == 0)
        for values in self._columns.values():
            values[: len(kept)] = values[kept]
        self.rows = len(kept)
        self._choose()

    def _filled(self, name: str) -> Array:
        return self._columns[name][: self.rows]

    def state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Numbers and arrays for a checkpoint."""
        numbers = {"rows": self.rows, "seen": self.seen, "stride": self.stride}
        arrays = {"now_piece": self.piece, "now_start": self.start, "now_length": self.length}
        return numbers, arrays | {name: self._filled(name) for name in self._columns}

    def restore(self, numbers: dict[str, Any], arrays: dict[str, Array]) -> None:
        """Continue from what `state` gave."""
        self.rows, self.seen, self.stride = numbers["rows"], numbers["seen"], numbers["stride"]
        self.piece, self.start = arrays.pop("now_piece").copy(), arrays.pop("now_start").copy()
        self.length = arrays.pop("now_length").copy()
        if arrays:
            self._allocate(arrays["states"], arrays["actions"])
            for name, values in arrays.items():
                self._columns[name][: self.rows] = values
        self._choose()

    def trajectories(
        self, names: Sequence[str] | None, action_kind: str, *, nominal: bool = False
    ) -> Trajectories:
        """What was recorded, episode after episode in the order in which they began, with `progress`."""
        if self.rows == 0:
            raise BadValueError("recorder: nothing was recorded; train with record= above 0.")
        start, lane, when = self._filled("start"), self._filled("lane"), self._filled("when")
        order = np.lexsort((when, lane, start))
        turn = np.flatnonzero(np.diff(start[order]) | np.diff(lane[order]))
        actions = self._filled("actions")[order]
        episodes = np.zeros(self.rows, np.int64)
        episodes[turn + 1] = 1
        states = self._filled("states")[order]
        return Trajectories(
            seen_before(states),
            actions[:, 0] if actions.ndim == 2 and actions.shape[1] == 1 else actions,
            episodes=np.cumsum(episodes),
            names=names,
            action_kind=action_kind,
            rewards=self._filled("rewards")[order],
            progress=when[order] / max(self.seen, 1),
            nominal=range(states.shape[1]) if nominal else (),
        )
