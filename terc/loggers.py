"""A run or a training followed in TensorBoard or Weights & Biases: pass one of these as `progress`.

    terc.run("CartPole-v1", progress=TensorBoard("logs"))
    terc.agents.train_agent("CartPole-v1", seed=0, progress=WeightsAndBiases(project="terc"))

Anything with one method `write(name, value, step)` becomes such a follower by deriving from `Follower`.
"""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from terc.errors import MissingExtraError
from terc.progress import Event

# Numbers of one kind in one task; a training reports every step.
POINTS = 200


class Follower(ABC):
    """What a long call reports, as numbers over steps.

    It is a listener for `terc.run` and a report for a single call, such as a training or `RecordTraining`.
    For each task there is `progress` (0 to 1), and what is measured meanwhile, such as `return`.

    Example:
        >>> class Printed(Follower):
        ...     def write(self, name, value, step):
        ...         print(name, value, step)
        >>> Printed()(Event("train", 1, 9, done=50, total=200))
        train/progress 0.25 50
    """

    _task, _next = "", 0.0

    def __call__(self, *seen: Any) -> None:
        """Take an `Event`, or (done, total, words)."""
        event = seen[0] if isinstance(seen[0], Event) else Event("training", 1, 1, *seen)
        if event.finished:
            self.write("tasks_done", event.number, event.number)
        elif event.total > 0 and (event.task != self._task or event.done >= self._next):
            self._task, self._next = event.task, event.done + event.total / POINTS
            self.write(f"{event.task}/progress", event.done / event.total, event.done)
            for name, value in getattr(event.what, "values", {}).items():
                self.write(f"{event.task}/{name}", float(value), event.done)

    @abstractmethod
    def write(self, name: str, value: float, step: int) -> None:
        """Store one number."""


class TensorBoard(Follower):
    """Writes event files for `tensorboard --logdir FOLDER`; needs the packages tensorboard and torch."""

    def __init__(self, folder: str | Path) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError as error:
            raise MissingExtraError(
                "TensorBoard is not installed; run: pip install tensorboard torch"
            ) from error
        self._writer: Any = SummaryWriter(str(folder))

    def write(self, name: str, value: float, step: int) -> None:
        """Store one number."""
        self._writer.add_scalar(name, value, step)
        self._writer.flush()


class WeightsAndBiases(Follower):
    """Logs to a run of Weights & Biases; needs the package wandb.

    Args:
        run: A run that is there already; None begins one.
        **settings: For `wandb.init`, such as `project="terc"` or `mode="offline"`.
    """

    def __init__(self, run: Any = None, **settings: Any) -> None:
        try:
            import wandb
        except ImportError as error:
            raise MissingExtraError("Weights & Biases is not installed; run: pip install wandb") from error
        self._run = run if run is not None else wandb.init(**settings)

    def write(self, name: str, value: float, step: int) -> None:
        """Store one number; each task counts its own steps, which Weights & Biases takes as a number too."""
        self._run.log({name: value, f"{name.rpartition('/')[0]}/step": step})
