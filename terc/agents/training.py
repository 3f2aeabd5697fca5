"""What every training shares: its result, its learning curve, and how it is interrupted and continued."""

import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from terc.agents.policy import Policy, read_arrays, write_arrays
from terc.agents.recording import Recorder
from terc.agents.stepping import Stepper, StepResult
from terc.arrays import Array
from terc.checks import whole_number
from terc.errors import DataFileError
from terc.progress import Report, Seen
from terc.trajectories.data import Trajectories

FORMAT = "terc-training"
LEARNT = ("actor", "critic", "scaler", "actor_adam", "critic_adam")
"""What a learner with an actor and a critic saves in a checkpoint."""
WINDOW = 100
CURVE_POINTS = 200
CHECKPOINTS = 20


@dataclass(frozen=True)
class Training:
    """A finished training.

    Attributes:
        policy: What was learnt.
        curve: One row per mark: environment steps so far, mean return of the last 100 episodes `[k, 2]`.
        data: Steps from the whole training with `progress`, thinned evenly; None when `record=0`.
        steps: Environment steps played.
        seconds: CPU seconds of this process, a continued training's earlier parts included.
        reached: Whether the goal of the configuration was met; None when it has none.
    """

    policy: Policy
    curve: Array
    data: Trajectories | None
    steps: int
    seconds: float
    reached: bool | None = None


@dataclass
class EpisodeReturns:
    """Returns of the episodes as they end, and the learning curve over steps.

    Example:
        >>> returns = EpisodeReturns(1, total=10)
        >>> for reward, done in [(1.0, False), (2.0, True)]:
        ...     returns.add(np.array([reward]), np.array([done]), np.array([True]))
        >>> returns.mean, returns.steps
        (3.0, 2)
    """

    n: int
    total: int
    steps: int = 0
    last: deque[float] = field(default_factory=lambda: deque(maxlen=WINDOW))
    curve: list[tuple[int, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.running = np.zeros(self.n)

    def add(self, rewards: Array, done: Array, played: Array) -> None:
        """Take one step of all copies."""
        self.steps += int(np.count_nonzero(played))
        self.running += rewards
        if done.any():
            self.last.extend(self.running[done].tolist())
            self.running[done] = 0.0
        if self.last and self.steps >= (len(self.curve) + 1) * self.total / CURVE_POINTS:
            self.curve.append((self.steps, self.mean))

    @property
    def mean(self) -> float:
        """Mean return of the last 100 episodes; minus infinity before the first ends."""
        return float(np.mean(self.last)) if self.last else -np.inf

    @property
    def words(self) -> str:
        """The mean return for a report of progress; empty before the first episode ends."""
        return Seen(f"return {self.mean:.1f}", {"return": self.mean}) if self.last else ""

    def reached(self, goal: float | None) -> bool:
        """Whether a full window of episodes has a mean of `goal` or more."""
        return goal is not None and len(self.last) == WINDOW and self.mean >= goal

    def state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Numbers and arrays for a checkpoint."""
        return {"steps": self.steps, "last": list(self.last), "curve": self.curve}, {"running": self.running}

    def restore(self, numbers: dict[str, Any], arrays: dict[str, Array]) -> None:
        """Continue from what `state` gave."""
        self.steps, self.curve = numbers["steps"], [(int(s), float(r)) for s, r in numbers["curve"]]
        self.last.extend(numbers["last"])
        self.running = arrays["running"].copy()


class Session:
    """One training from outside the algorithm: environments, record, returns, progress and checkpoints.

    An environment's state cannot be saved in general. So a checkpoint stores the seed of the first reset
    and every action since; to continue, the actions are played again (without learning, which costs
    most), and the last states must come out equal bit for bit.

    Args:
        stepper: The environments.
        config: The frozen dataclass of hyper-parameters; a checkpoint of another one is refused.
        seed: Of the whole training, likewise.
        record: Most steps to keep of the training.
        progress: Called after each `update`.
        checkpoint: File to continue from if it exists, and to write about 20 times.
    """

    def __init__(
        self,
        stepper: Stepper,
        config: Any,
        *,
        seed: int,
        record: int,
        progress: Report | None = None,
        checkpoint: str | Path | None = None,
    ) -> None:
        self.stepper, self.config, self.seed, self.progress = stepper, config, seed, progress
        self.path = Path(checkpoint) if checkpoint is not None else None
        self.recorder = Recorder(stepper.n, record)
        self.returns = EpisodeReturns(stepper.n, config.steps)
        self.finished = False
        self._actions: list[Array] = []
        self._next_save = config.steps / CHECKPOINTS
        self._earlier_seconds, self._began = 0.0, time.process_time()
        self._env_seed = 0

    def begin(self, parts: Mapping[str, Any], rng: np.random.Generator) -> None:
        """Reset the environments, or bring `parts` and `rng` to where the checkpoint left them."""
        self._env_seed = int(rng.integers(2**31))
        self.stepper.reset(self._env_seed)
        if self.path is not None and self.path.exists():
            self._continue(parts, rng)

    def play(self, actions: Array) -> StepResult:
        """One step of all environments, recorded."""
        states = self.stepper.states
        step = self.stepper.step(actions)
        self.recorder.add(states, actions, step.rewards, step.done, step.played)
        self.returns.add(step.rewards, step.done, step.played)
        if self.path is not None:
            self._actions.append(actions)
        return step

    def update_done(self, parts: Mapping[str, Any], rng: np.random.Generator) -> None:
        """Report, and save when due."""
        steps, goal = self.returns.steps, self.config.goal
        self.finished = steps >= self.config.steps or self.returns.reached(goal)
        if self.progress is not None:
            self.progress(steps, self.config.steps, self.returns.words)
        if self.path is not None and (self.finished or steps >= self._next_save):
            self._save(parts, rng)
            self._next_save = steps + self.config.steps / CHECKPOINTS

    def result(self, policy: Policy, names: Sequence[str] | None, *, nominal: bool = False) -> Training:
        """The finished training; where states are `nominal` every variable of its data holds labels."""
        kind = "discrete" if policy.spec is not None and policy.spec.n_actions is not None else "continuous"
        curve = [*self.returns.curve]
        if self.returns.last and (not curve or curve[-1][0] != self.returns.steps):
            curve.append((self.returns.steps, self.returns.mean))
        return Training(
            policy=policy,
            curve=np.array(curve, np.float64).reshape(-1, 2),
            data=self.recorder.trajectories(names, kind, nominal=nominal) if self.recorder.cap else None,
            steps=self.returns.steps,
            seconds=self._seconds(),
            reached=None if self.config.goal is None else self.returns.reached(self.config.goal),
        )

    def _seconds(self) -> float:
        return self._earlier_seconds + time.process_time() - self._began

    def _identity(self) -> dict[str, Any]:
        config = {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self.config).items()}
        return {  # as JSON gives it back: lists for tuples
            "config": config,
            "seed": self.seed,
            "environment": self.stepper.environment,
            "copies": self.stepper.n,
            "variables": self.stepper.states.shape[1],
            "record": self.recorder.cap,
        }

    def _save(self, parts: Mapping[str, Any], rng: np.random.Generator) -> None:
        own = {"recorder": self.recorder, "returns": self.returns}
        numbers: dict[str, Any] = {}
        arrays: dict[str, Array] = {"states": self.stepper.states}
        for name, part in {**own, **parts}.items():
            numbers[name], part_arrays = part.state()
            arrays |= {f"{name}/{key}": values for key, values in part_arrays.items()}
        actions = np.stack(self._actions)
        if np.issubdtype(actions.dtype, np.integer):  # in one or four bytes each
            actions = actions.astype(np.int8 if np.abs(actions).max() < 128 else np.int32)
        arrays["actions"] = actions
        header = {"format": FORMAT, "version": 1, "identity": self._identity(), "numbers": numbers}
        header |= {"rng": rng.bit_generator.state, "seconds": self._seconds(), "finished": self.finished}
        write_arrays(self.path or "", header, arrays)

    def _continue(self, parts: Mapping[str, Any], rng: np.random.Generator) -> None:
        path = self.path or Path()
        header, arrays = read_arrays(path, FORMAT)
        for key, value in self._identity().items():
            if header["identity"].get(key) != value:
                raise DataFileError(
                    f"checkpoint: {path.name} belongs to another training (its {key} is "
                    f"{header['identity'].get(key)}, here it is {value}). Remove the file, or name another."
                )
        for actions in arrays["actions"]:
            played = actions.astype(np.int64) if np.issubdtype(actions.dtype, np.integer) else actions
            self._actions.append(played)
            self.stepper.step(played)
        if not np.array_equal(self.stepper.states, arrays["states"]):
            raise DataFileError(
                f"checkpoint: playing the actions of {path.name} again led to other states, so this "
                "environment is not determined by its seed and cannot be continued exactly. Remove the "
                "file to start afresh."
            )
        for name, part in {"recorder": self.recorder, "returns": self.returns, **parts}.items():
            own = {k.split("/", 1)[1]: v for k, v in arrays.items() if k.startswith(f"{name}/")}
            part.restore(header["numbers"][name], own)
        rng.bit_generator.state = header["rng"]
        self._earlier_seconds, self.finished = header["seconds"], header["finished"]
        self._next_save = self.returns.steps + self.config.steps / CHECKPOINTS


def check_at_least_one(where: str, **numbers: int) -> None:
    """Raise unless each of the settings is a whole number of at least 1."""
    for name, value in numbers.items():
        whole_number(where, name, value, least=1)
