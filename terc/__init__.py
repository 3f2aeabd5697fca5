"""Which state variables do an agent's actions depend on? Selection by transfer entropy, from trajectories.

Names are loaded on first use, so that `import terc` costs no more than numpy.

Example:
    >>> import terc
    >>> terc.Trajectories([[0.0], [1.0]], [0, 1])
    Trajectories(2 steps, 1 episode, 1 variable, discrete actions)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from terc.errors import TercError, TercWarning
from terc.registration import register_if_gymnasium_is_loaded

if TYPE_CHECKING:
    from terc import agents, environments, figures, loggers, synthetic
    from terc.baselines.compare import compare as compare
    from terc.pipeline.run import run as run
    from terc.playing.rollout import rollout
    from terc.redundancy.condition_1 import check_condition_1
    from terc.redundancy.history_length import history_length
    from terc.redundancy.perfect_redundancy import find_redundancy
    from terc.reporting.report import report
    from terc.returns.ablate import ablate as ablate
    from terc.returns.distill import distill as distill
    from terc.returns.frontier import frontier as frontier
    from terc.returns.play import play as play
    from terc.selection.result import Selection
    from terc.selection.select import select
    from terc.sklearn import TercSelector
    from terc.task.audit import audit as audit
    from terc.task.stability import stability as stability
    from terc.task.through_training import through_training as through_training
    from terc.trajectories.data import Trajectories
    from terc.trajectories.files import load

__version__ = "0.2.0"

__all__ = [
    "Selection", "TercError", "TercSelector", "TercWarning", "Trajectories", "ablate", "audit", "agents",
    "check_condition_1", "compare", "distill", "environments", "figures", "find_redundancy", "frontier",
    "history_length", "load", "loggers", "play", "report", "rollout", "run", "select", "stability",
    "synthetic", "through_training",
]  # fmt: skip

_SUB_PACKAGES = ("agents", "environments", "figures", "loggers", "synthetic")
_MODULE_OF = {
    "Selection": "terc.selection.result", "TercSelector": "terc.sklearn",
    "Trajectories": "terc.trajectories.data", "ablate": "terc.returns.ablate", "audit": "terc.task.audit",
    "check_condition_1": "terc.redundancy.condition_1", "compare": "terc.baselines.compare",
    "distill": "terc.returns.distill", "find_redundancy": "terc.redundancy.perfect_redundancy",
    "frontier": "terc.returns.frontier", "history_length": "terc.redundancy.history_length",
    "load": "terc.trajectories.files", "play": "terc.returns.play", "report": "terc.reporting.report",
    "rollout": "terc.playing.rollout", "run": "terc.pipeline.run", "select": "terc.selection.select",
    "stability": "terc.task.stability", "through_training": "terc.task.through_training",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "__spec__":
        register_if_gymnasium_is_loaded()
        return _SPEC
    if name in _SUB_PACKAGES:
        return import_module(f"terc.{name}")
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'terc' has no attribute {name!r}")
    value = getattr(import_module(_MODULE_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])


# `gymnasium.make("terc:terc/SecretKey-v0")` imports `terc`, which may have been imported before there was a
# Gymnasium to register with. An import of a module that is there already still asks for its `__spec__`.
_SPEC = __spec__
del __spec__
register_if_gymnasium_is_loaded()
