"""`RunConfig`: every setting of a run, saved in its folder."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

from terc.checks import anything, if_given, number, one_of, share, whole_number
from terc.errors import BadTypeError, BadValueError, DataFileError, unknown_name
from terc.records import plain
from terc.selection.settings import Settings, option

# How the name of an environment or a model begins that no later process can ask for.
IN_MEMORY = "in memory: "
# Several models are named in one text: only one of them was there when folders were first written.
BETWEEN_MODELS = " | "
# What one run folder is about; other settings may change, and what depends on them is done again.
FIXED = ("environment", "environment_options", "noise", "seed", "model")
# Agents of one run get the seeds 1000 * seed, 1000 * seed + 1, ...: runs of neighbouring seeds share none.
SEED_STRIDE = 1000
_count, _number = partial(whole_number, least=1), if_given(number)


@dataclass(frozen=True)
class RunConfig(Settings):
    """What a run does; the same settings give the same results. The options of `terc.select` are among them.

    Agents trained elsewhere, as many as `agents`, are named by `model`, as `model_identity` names them; None
    trains them here. `environment` is a Gymnasium id, `package.module:factory`, or "in memory: ..." for a
    function that no later process can import; its options are kept as JSON, so that a run which is continued
    has the same: a tuple reaches the environment as a list. Of several `agents` number k is that of a run
    with the seed `seed + k`.

    Example:
        >>> config = RunConfig("CartPole-v1", noise=3)
        >>> config.alpha, RunConfig.from_dict(config.to_dict()) == config
        (0.05, True)
    """

    where: ClassVar[str] = "run"

    environment: str
    environment_options: Mapping[str, Any] = field(default_factory=dict)
    noise: int = option(0, "Columns of noise to add to the state.", whole_number)
    agent: str = option(
        "auto", "auto, actor_critic, ppo, tabular_q, sb3, or model: as --model was trained.", anything
    )
    preset: str = option("fast", "Settings of the agent: fast or paper.", one_of(["fast", "paper"]))
    steps: int | None = option(
        None, "Training steps of each agent. [default: the preset's]", if_given(_count)
    )
    seeds: int = option(3, "Agents retrained on each state.", _count)
    agents: int = option(1, "Agents to explain, each by itself and all together.", _count)
    goal: float | None = option(
        None, "Return that counts as solved. [default: the environment's own]", _number
    )
    rollout_steps: int | None = option(
        None,
        "Steps the selection uses. [default: 10000; 30000 where that is below 200 episodes]",
        if_given(_count),
    )
    expert: float | None = option(None, "Use only episodes with at least this return.", _number)
    play_episodes: int = option(
        100,
        "Fresh episodes of the agent, its ablation and its student.",
        partial(whole_number, least=2),
    )
    tolerance: float = option(0.05, "Share of the return that may be lost.", share)
    lessons: int = option(6, "Lessons of a distilled agent, at most.", _count)
    retrain: bool | None = option(
        None,
        "Retrain agents on all and on the kept variables. [default: yes, unless --model]",
        anything,
        flag="--retrain/--no-retrain",
    )
    frontier: bool = option(False, "Distill onto ever fewer variables, too.", anything, flag="--frontier")
    evaluation_episodes: int = option(
        20, "Fresh episodes of each retrained agent.", _count, flag="--episodes"
    )
    timing_calls: int = option(10_000, "Calls of a policy that are timed.", _count, flag="--calls")
    model: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.environment, str) or not self.environment:
            raise BadTypeError(f"run: environment must be a text, got {self.environment!r}.")
        given = self.environment_options
        if not isinstance(given, Mapping):
            raise BadTypeError(f"run: environment_options must map keywords to values, got {given!r}.")
        object.__setattr__(self, "environment_options", _as_json("environment_options", dict(given)))
        self._check_models()

    def _check_models(self) -> None:
        if self.model is not None and len(self.models) != self.agents:
            raise BadValueError(
                f"run: {self.agents} agent(s) were asked for and {len(self.models)} model(s) given; give the "
                "model of each: model=[...], --model A --model B."
            )
        if len(self.models) > 1 and self.retrains:
            raise BadValueError(
                "run: with several models no agent is retrained (retrain, agent='model'); give one model."
            )

    @property
    def models(self) -> tuple[str, ...]:
        """The name of each model that was trained elsewhere."""
        return () if self.model is None else tuple(self.model.split(BETWEEN_MODELS))

    @property
    def retrains(self) -> bool:
        """Whether agents are retrained."""
        return (self.model is None or self.agent == "model") if self.retrain is None else self.retrain

    @property
    def agent_seeds(self) -> tuple[int, ...]:
        """Seed of each agent."""
        return tuple(SEED_STRIDE * self.seed + number for number in range(self.seeds))

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """The settings in a file; what it lacks has its default, what else it holds is passed over."""
        if "environment" not in record:
            raise DataFileError("run: config.json lacks 'environment'; another program wrote it.")
        return cls(**{one.name: record[one.name] for one in fields(cls) if one.name in record})

    @property
    def in_memory(self) -> tuple[str, ...]:
        """Environment or model that no later process can ask for by name; such a run cannot be continued."""
        names = [("environment", self.environment), *(("model", name) for name in self.models)]
        unnamed = [(what, name) for what, name in names if name.startswith(IN_MEMORY)]
        return tuple(f"the {what} ({name.removeprefix(IN_MEMORY)})" for what, name in unnamed)

    def only(self, *names: str) -> dict[str, Any]:
        """Some of the settings, as plain JSON types."""
        return {name: plain(getattr(self, name)) for name in names}


def default_folder(config: RunConfig) -> Path:
    """Where a run goes if no folder is given.

    Example:
        >>> default_folder(RunConfig("terc/SecretKey-v0", noise=2, seed=1)).as_posix()
        'runs/terc-SecretKey-v0-noise2-seed1'
    """
    name = re.sub(r"[^\w.-]", "-", config.environment.removeprefix(IN_MEMORY))
    noise = f"-noise{config.noise}" if config.noise else ""
    agents = f"-agents{config.agents}" if config.agents > 1 else ""
    return Path("runs") / f"{name}{noise}{agents}-seed{config.seed}"


def check_settings(settings: Mapping[str, Any]) -> None:
    """Raise for a setting that `RunConfig` does not have."""
    known = [f.name for f in fields(RunConfig)]
    for name in settings:
        if name not in known:
            raise unknown_name("run", "setting", name, known)


def _as_json(where: str, value: Any) -> Any:
    """The value as it comes back from a JSON file."""
    if value is None or isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, list | tuple):
        return [_as_json(f"{where}[{place}]", one) for place, one in enumerate(value)]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: _as_json(f"{where}[{key!r}]", one) for key, one in value.items()}
    raise BadTypeError(
        f"run: {where} must be what a JSON file can hold (finite numbers, texts, lists, dicts with texts as "
        f"keys), got {value!r} of type {type(value).__name__}; give a function that makes the environment "
        "with it instead."
    )
