"""`RunConfig`: every setting of a run, saved in its folder."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar

from terc.checks import number, whole_number
from terc.errors import BadTypeError, BadValueError, DataFileError, unknown_name
from terc.records import plain
from terc.selection.settings import Settings

# How the name of an environment or a model begins that no later process can ask for.
IN_MEMORY = "in memory: "
# What one run folder is about; other settings may change, and what depends on them is done again.
FIXED = ("environment", "environment_options", "noise", "seed", "model")
# Agents of one run get the seeds 1000 * seed, 1000 * seed + 1, ...: runs of neighbouring seeds share none.
SEED_STRIDE = 1000


@dataclass(frozen=True)
class RunConfig(Settings):
    """What a run does; the same settings give the same results. The options of `terc.select` are among them.

    Attributes:
        environment: Gymnasium id, `package.module:factory`, or "in memory: ..." for a function that no later
            process can import.
        environment_options: Keywords for the environment, such as `{"keys": 50}`. They are kept as JSON,
            so that a run which is continued has the same: a tuple reaches the environment as a list.
        noise: Columns of noise that are added to the state.
        agent: "auto", "actor_critic", "ppo", "tabular_q" or "sb3".
        preset: Settings of the agent: "fast" or "paper".
        steps: Training steps of each agent; None takes the preset's.
        seeds: Agents trained on the full and on the reduced state each.
        agents: Agents whose actions are explained, each with seed and recordings of its own: number k is the
            agent of a run with the seed `seed + k`.
        goal: Return that counts as solved; None takes the environment's own threshold, if it has one.
        rollout_steps: Steps that the selection looks at; None takes 10,000, or 30,000 where those would be
            fewer than 200 episodes: steps of one episode are alike, so that few episodes say little.
        expert: Only episodes with at least this return are looked at; None takes all.
        play_episodes: Fresh episodes of the agent, of each row of the ablation and of the distilled agent.
        tolerance: Share of the agent's return that the distilled one may lose.
        lessons: Of each distilled agent, at most.
        retrain: Whether agents are trained anew on all and on the kept variables; None does so unless the
            agent was trained elsewhere.
        frontier: Whether an agent is distilled for each of a row of ever smaller sets of variables.
        evaluation_episodes: Fresh episodes each agent that is trained anew is evaluated on.
        timing_calls: Calls of each policy that are timed.
        model: The agent trained elsewhere, as `model_identity` names it; None trains one here.

    Example:
        >>> config = RunConfig("CartPole-v1", noise=3)
        >>> config.alpha, RunConfig.from_dict(config.to_dict()) == config
        (0.05, True)
    """

    where: ClassVar[str] = "run"

    environment: str
    environment_options: Mapping[str, Any] = field(default_factory=dict)
    noise: int = 0
    agent: str = "auto"
    preset: str = "fast"
    steps: int | None = None
    seeds: int = 3
    agents: int = 1
    goal: float | None = None
    rollout_steps: int | None = None
    expert: float | None = None
    play_episodes: int = 100
    tolerance: float = 0.05
    lessons: int = 6
    retrain: bool | None = None
    frontier: bool = False
    evaluation_episodes: int = 20
    timing_calls: int = 10_000
    model: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.environment, str) or not self.environment:
            raise BadTypeError(f"run: environment must be a text, got {self.environment!r}.")
        object.__setattr__(self, "environment_options", _options(self.environment_options))
        for name in ("goal", "expert", "tolerance"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, number("run", name, getattr(self, name)))
        least = {
            "noise": 0,
            "seeds": 1,
            "agents": 1,
            "lessons": 1,
            "evaluation_episodes": 1,
            "timing_calls": 1,
        }
        least["play_episodes"] = 2
        least |= {name: 1 for name in ("steps", "rollout_steps") if getattr(self, name) is not None}
        for name, fewest in least.items():
            whole_number("run", name, getattr(self, name), fewest)
        if self.preset not in ("fast", "paper"):
            raise unknown_name("run", "preset", self.preset, ["fast", "paper"])
        if self.agents > 1 and self.model is not None:
            raise BadValueError(
                "run: several agents (agents) are trained here, a model was trained elsewhere. For several "
                "models use terc.rollout, terc.stability and terc.audit."
            )

    @property
    def retrains(self) -> bool:
        """Whether agents are trained anew.

        Example:
            >>> RunConfig("CartPole-v1").retrains, RunConfig("CartPole-v1", model="my:agent").retrains
            (True, False)
        """
        return (self.model is None or self.agent == "model") if self.retrain is None else self.retrain

    @property
    def agent_seeds(self) -> tuple[int, ...]:
        """Seed of each agent."""
        return tuple(SEED_STRIDE * self.seed + number for number in range(self.seeds))

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> RunConfig:
        """The settings in a file; what it lacks has its default, what else it holds is passed over."""
        if "environment" not in record:
            raise DataFileError("run: config.json lacks 'environment'; another program wrote it.")
        return cls(**{one.name: record[one.name] for one in fields(cls) if one.name in record})

    @property
    def in_memory(self) -> tuple[str, ...]:
        """Environment or model that no later process can ask for by name; such a run cannot be continued.

        Example:
            >>> RunConfig("CartPole-v1", model="in memory: PPO").in_memory
            ('the model (PPO)',)
        """
        names = {"environment": self.environment, "model": self.model or ""}
        return tuple(
            f"the {what} ({name.removeprefix(IN_MEMORY)})"
            for what, name in names.items()
            if name.startswith(IN_MEMORY)
        )

    def only(self, *names: str) -> dict[str, Any]:
        """Some of the settings, as plain JSON types."""
        return {name: plain(getattr(self, name)) for name in names}


def default_folder(config: RunConfig) -> Path:
    """Where a run goes if no folder is given.

    Example:
        >>> default_folder(RunConfig("terc/SecretKey-v0", noise=2, seed=1)).as_posix()
        'runs/terc-SecretKey-v0-noise2-seed1'
    """
    name = "".join(
        c if c.isalnum() or c in "-_." else "-" for c in config.environment.removeprefix(IN_MEMORY)
    )
    noise = f"-noise{config.noise}" if config.noise else ""
    agents = f"-agents{config.agents}" if config.agents > 1 else ""
    return Path("runs") / f"{name}{noise}{agents}-seed{config.seed}"


def check_settings(settings: Mapping[str, Any]) -> None:
    """Raise for a setting that `RunConfig` does not have."""
    known = [f.name for f in fields(RunConfig)]
    for name in settings:
        if name not in known:
            raise unknown_name("run", "setting", name, known)


def _options(given: object) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise BadTypeError(f"run: environment_options must map keywords to values, got {given!r}.")
    options: dict[str, Any] = _as_json("environment_options", dict(given))
    return options


def _as_json(where: str, value: Any) -> Any:
    """The value as it comes back from a JSON file.

    Example:
        >>> _as_json("options", {"shape": (3, 4)})
        {'shape': [3, 4]}
    """
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
