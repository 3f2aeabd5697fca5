"""`Distilled`: a policy on a few variables, taught by a larger one, with what it returns."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from terc.agents.network_policy import NetworkPolicy
from terc.agents.policy import PolicySpec, load_policy, write_policy
from terc.agents.spaces import TO_FLATTEN, as_states
from terc.arrays import Array
from terc.errors import BadTypeError, BadValueError
from terc.exporting.policy_file import SUFFIX, write_policy_file
from terc.plurals import some
from terc.records import Described, restored
from terc.returns.play import Range, Returns, mean_interval


@dataclass(frozen=True)
class Round:
    """One lesson and what the student did after it.

    Attributes:
        steps: Recorded steps it was taught with, the student's own among them.
        mean: Its mean return on the episodes of the exam, which are the same after every lesson.
        teacher: The teacher's on these.
        agreement: Share of their steps in which both act alike.
    """

    steps: int
    mean: float
    teacher: float
    agreement: float


@dataclass(frozen=True, eq=False)
class Distilled(Described):
    """A policy that reads a few variables; takes states of these alone, or full ones and picks them.

    Attributes:
        columns: Their places in the full state.
        returns: Of the student on fresh episodes, beside random actions.
        teacher: Of the teacher on the same seeds.
        agreement: Share of these episodes' steps in which both take the same action; continuous actions
            count as the same within 5 % of their range.
        tolerance: What was asked for, as a share of the teacher's return.
        rounds: The lessons; the student is that of the best one.
        seconds: CPU seconds of all of it, the recording and the teacher's own episodes included.

    Example:
        >>> layers = ((np.array([[0.0, 1.0]], np.float32), np.zeros(2, np.float32)),)
        >>> network = NetworkPolicy(PolicySpec(None, 1, n_actions=2), layers)
        >>> returns = Returns(1.0, Range(1.0, 1.0), np.ones(3))
        >>> small = Distilled(network, ("y",), (1,), 3, returns, returns, 1.0)
        >>> small.act(np.array([[9.0, -1.0, 9.0]])), small.act(np.array([[-1.0]])), small.as_good
        (array([0]), array([0]), True)
        >>> int(small.act([-1.0]))
        0
    """

    shown: ClassVar[tuple[str, ...]] = ("as_good", "difference", "draws")

    network: NetworkPolicy = field(metadata={"saved": False})
    variables: tuple[str, ...]
    columns: tuple[int, ...]
    n_full: int
    returns: Returns
    teacher: Returns
    agreement: float
    tolerance: float = 0.05
    rounds: tuple[Round, ...] = ()
    seconds: float = 0.0

    @property
    def spec(self) -> PolicySpec:
        """What it was made for."""
        return replace(self.network.spec, within=self.n_full)

    @property
    def draws(self) -> bool:
        """Whether it draws its actions, since the likeliest alone do not hold the return.

        What it does not read varies the actions of its teacher, and that serves the teacher.
        """
        return self.network.drawn

    def act(self, states: Array, *, rng: np.random.Generator | None = None, greedy: bool = True) -> Array:
        """Actions for states of the chosen variables `[n, k]` or full ones `[n, d]`, or of one such state.

        Of an environment that shows a dictionary or a table, those of `terc.environments.Flattened(env)`.

        Args:
            rng: For an agent that `draws`, and for `greedy=False`; without one a new one is made.
        """
        states, single = as_states(states)
        if single:
            return self.act(states, rng=rng, greedy=greedy)[0]
        rng = np.random.default_rng() if rng is None and self.draws else rng
        return self.network.act(self._own(states), rng=rng, greedy=greedy)

    def probabilities(self, states: Array) -> Array | None:
        """Probability `[n, K]` of each discrete action; None for continuous actions or several choices."""
        return self.network.probabilities(self._own(states))

    def choice_probabilities(self, states: Array) -> Array | None:
        """For several choices the probabilities of each, side by side; else None."""
        return self.network.choice_probabilities(self._own(states))

    def _own(self, given: Any) -> Array:
        states, _ = as_states(given)
        width = states.shape[1] if states.ndim == 2 else -1
        if width == self.n_full:
            return np.asarray(states[:, list(self.columns)])
        if width != len(self.columns):
            raise BadValueError(
                f"policy: wanted states [n, {len(self.columns)}] of {list(self.variables)} or full ones "
                f"[n, {self.n_full}], got an array of shape {states.shape}. {TO_FLATTEN}"
            )
        return states

    @property
    def difference(self) -> Range:
        """The 95 % interval of student minus teacher, over pairs of episodes from the same seed."""
        return mean_interval(self.returns.values - self.teacher.values)

    @property
    def as_good(self) -> bool:
        """Whether its mean return is within the tolerance of its teacher's, or may well be.

        It may be where it is inside the interval of its teacher, and these episodes, paired, do not show a
        loss beyond the tolerance for certain.
        """
        return self.within or (self._inside and not self._surely_beyond)

    @property
    def within(self) -> bool:
        """Whether its mean return is within the tolerance of its teacher's."""
        return self.returns.mean >= self.teacher.mean - self.teacher.tolerated(self.tolerance)

    @property
    def _inside(self) -> bool:
        return self.returns.mean >= self.teacher.interval.low

    @property
    def _surely_beyond(self) -> bool:
        return self.difference.high < -self.teacher.tolerated(self.tolerance)

    @property
    def reason(self) -> str:
        """Why it counts as as good, or does not."""
        within = f"within {100 * self.tolerance:g} % of {self.teacher.worth[1]} of its teacher"
        if self.within:
            return within
        if not self._inside:
            return f"not {within}, and below its 95 % interval"
        if self._surely_beyond:
            return f"not {within}, and for certain so, episode by episode"
        return f"not {within}, but inside the 95 % interval of {some(len(self.returns), 'episode')}"

    def save(self, path: str | Path) -> None:
        """Write an `.npz` that `terc.agents.load_policy` reads, returns included."""
        settings, arrays = self.network.as_settings()
        write_policy(path, "distilled", self.network.spec, {**self.to_dict(), "network": settings}, arrays)

    @classmethod
    def restore(cls, spec: PolicySpec, settings: Mapping[str, Any], arrays: Mapping[str, Array]) -> Self:
        """The policy that `save` wrote."""
        network = NetworkPolicy.restore(spec, settings["network"], arrays)
        return restored(cls, {**settings, "network": network})

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The policy that `save` wrote to `path`."""
        found = load_policy(path)
        if not isinstance(found, cls):
            raise BadTypeError(f"load: {Path(path).name} holds a {type(found).__name__}, not a Distilled.")
        return found

    def export(self, path: str | Path) -> Path:
        """Write it as a file that needs no `terc`: `.py` (numpy alone) or `.onnx`.

        Both take states of the chosen variables, in the order of `variables`, and draw where it `draws`.
        """
        path = Path(path)
        forms = {suffix: form for form, suffix in SUFFIX.items()}
        if path.suffix not in forms:
            raise BadValueError(f"export: wanted a file name that ends in .py or .onnx, got {path.name!r}.")
        form = forms[path.suffix]
        write_policy_file(path, form, self.network, self.variables, self.columns, made="distilled")
        return path

    @property
    def _warning(self) -> str:
        words = f"its teacher is {self.teacher.beside_random}: to be as good as that says little\n"
        return words if self.teacher.beats_random is False else ""

    def __str__(self) -> str:
        spent = f", {self.seconds:.1f} CPU seconds" if self.seconds else ""
        return (
            f"Distilled onto {len(self.variables)} of {some(self.n_full, 'variable')}: "
            f"{', '.join(self.variables)}\n"
            f"return {self.returns}{', with drawn actions' * self.draws}\n"
            f"teacher {self.teacher.brief} on the same seeds\n"
            f"{'as good' if self.as_good else 'not as good'}: {self.reason}; difference "
            f"{self.returns.mean - self.teacher.mean:+.4g} {self.difference}\n"
            f"{self._warning}"
            f"acts like the teacher in {self.agreement:.1%} of the steps; "
            f"{some(len(self.rounds), 'lesson')}{spent}"
        )
