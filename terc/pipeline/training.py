"""One agent of a run: trained, evaluated on fresh episodes, saved as arrays and JSON; all their curves."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import VectorEnv

from terc.agents.learner import AgentConfig, choose_config, train_agent
from terc.agents.policy import Policy, load_policy
from terc.agents.ppo import PPOConfig
from terc.agents.sb3 import SB3Policy
from terc.agents.stepping import EnvLike, VectorStepper
from terc.agents.training import Training
from terc.arrays import Array
from terc.environments.spaces import observation_space
from terc.errors import BadTypeError, DataFileError
from terc.exporting.plain_policy import plain_policy
from terc.pipeline.config import RunConfig
from terc.pipeline.worlds import World
from terc.playing.arena import Arena, seeds
from terc.progress import Report
from terc.records import Record
from terc.return_comparison import AgentGroup, on_one_grid
from terc.returns.play import as_act
from terc.seeding import generator
from terc.store import Store
from terc.trajectories.files import write_atomically

SB3_STEPS = 200_000
# The agent that is trained like the model given to the run.
LIKE_THE_MODEL = "model"
# Episodes of a single step say little each: play until there are enough steps, within reason.
EVALUATION_STEPS, MOST_ROUNDS = 2_000, 50


@dataclass(frozen=True)
class Agent:
    """Which agent of the run: the state it is trained on, and its index."""

    state: str
    number: int
    kept: tuple[str, ...] | None = None

    @property
    def task(self) -> str:
        """Key of the task that trains it."""
        return f"train-{self.state}-{self.number}"

    @property
    def policy_file(self) -> str:
        """Its policy, within the run folder."""
        return f"agents/{self.state}-{self.number}.npz"

    @property
    def record_file(self) -> str:
        """Its learning curve and returns, within the run folder."""
        return f"agents/{self.state}-{self.number}.json"


@dataclass(frozen=True)
class TrainedAgent(Record):
    """What is kept of a training.

    Attributes:
        curve: Steps so far and mean return of the last 100 episodes, one row per mark `[k, 2]`.
        returns: Of fresh episodes of the final policy, likeliest actions `[episodes]`.
        reached: Whether the agent's own goal ended the training; None when it has none.
    """

    curve: Array
    returns: Array
    steps: int
    reached: bool | None
    seed: int


def train_and_save(
    store: Store, config: RunConfig, world: World, agent: Agent, report: Report, like: Policy | None = None
) -> None:
    """Train one agent, evaluate it, save both; continued from its checkpoint if it was interrupted.

    With the agent "model" it is trained like the policy `like`, and saved as a model of its library too.
    """
    seed = config.agent_seeds[agent.number]
    if config.agent == LIKE_THE_MODEL:
        from terc.agents.sb3_training import train_like

        make, given = world.maker(agent.kept, single=True), checked_like(like)
        training = train_like(given, make, seed=seed, steps=config.steps, progress=report)
        save_model(training.policy, store / agent.policy_file)
    else:
        training = _trained(store, config, world, agent, report)
    policy = plain_policy(training.policy, sampling=False)
    if policy is None:
        raise BadTypeError(
            f"run: a {type(training.policy).__name__} cannot be saved without pickle; use agent='ppo'."
        )
    returns = play_episodes(world, policy, config.evaluation_episodes, agent.kept, seed=seed)
    policy.save(store / agent.policy_file)
    # A training in which no episode ended has no curve; what the agent returns in the end is all there is.
    curve = training.curve if len(training.curve) else np.array([[training.steps, np.mean(returns)]])
    kept = TrainedAgent(curve, returns, training.steps, training.reached, seed)
    store.write_json(agent.record_file, kept.to_dict())


def read_trained(store: Store, agent: Agent) -> tuple[Policy, TrainedAgent]:
    """What `train_and_save` saved."""
    kept = TrainedAgent.from_dict(store.read_json(agent.record_file) or {})
    return load_policy(store / agent.policy_file), kept


def _trained(store: Store, config: RunConfig, world: World, agent: Agent, report: Report) -> Training:
    checkpoint = store.unfinished(agent.task) / "training.npz"
    settings = agent_settings(config, world)
    options: dict[str, Any] = {"seed": config.agent_seeds[agent.number], "progress": report, "record": 0}
    if settings is None:
        from terc.agents.sb3_training import train_sb3

        return train_sb3(world.maker(agent.kept, single=True), steps=config.steps or SB3_STEPS, **options)
    return train_or_go_on(world.maker(agent.kept), checkpoint, agent=settings, **options)


def checked_like(policy: Policy | None) -> SB3Policy:
    """The model that agents are trained like; their actors must be networks that a run folder can hold."""
    if not isinstance(policy, SB3Policy):
        raise BadTypeError(
            "run: agent 'model' trains agents like a Stable-Baselines3 model; give one (model=, --model), "
            f"not {'none' if policy is None else type(policy).__name__}."
        )
    name, way_out = type(policy.model).__name__, "Train with terc.agents.train_like, or with agent='ppo'."
    if policy.reads_masks:
        raise BadTypeError(
            f"run: agent 'model' cannot train another {name}: it reads which actions are allowed beside its "
            f"variables, whichever of them are kept. {way_out}"
        )
    flat = isinstance(policy.model.observation_space, spaces.Dict)  # then they read one flat row
    if not (flat or plain_policy(policy, sampling=False)):
        raise BadTypeError(
            "run: agent 'model' takes models whose actors are dense layers with tanh or ReLU, which a run "
            f"folder can hold without pickle; this {name} has others. {way_out}"
        )
    return policy


def save_model(policy: Policy, beside: Path) -> None:
    """The model as its own library saves it, with its `VecNormalize`, beside the policy's file."""
    if isinstance(policy, SB3Policy):
        beside.parent.mkdir(parents=True, exist_ok=True)
        policy.model.save(beside.with_suffix(".zip"))
        if policy.vec_normalize is not None:
            policy.vec_normalize.save(str(beside.with_suffix(".vecnormalize.pkl")))


def train_or_go_on(make: EnvLike, checkpoint: Path, **options: Any) -> Training:
    """The training, from its checkpoint where that can be continued, else from the beginning."""
    try:
        return train_agent(make, checkpoint=checkpoint, **options)
    except DataFileError:
        if not checkpoint.exists():
            raise
    # The environment does not follow from its seed, the settings were others, or the file is damaged.
    checkpoint.unlink()
    return train_agent(make, checkpoint=checkpoint, **options)


def agent_settings(config: RunConfig, world: World) -> AgentConfig | None:
    """Settings of the agent, the same for the full and the reduced state; None for Stable-Baselines3."""
    env = world.one()
    flat, count = isinstance(observation_space(env), spaces.Box), len(world.names)
    vector = isinstance(env, VectorEnv)
    if vector and config.agent in ("sb3", LIKE_THE_MODEL):
        VectorStepper(env).check_that_sb3_can_train()
    env.close()
    if config.agent == LIKE_THE_MODEL:
        return None
    flat = flat and (config.agent == "sb3" or not vector)
    chosen = choose_config(world.id, agent=config.agent, preset=config.preset, n_variables=count)
    if chosen is None and not flat:
        # Stable-Baselines3 would turn whole numbers into one-hot columns, which are other variables.
        if config.agent == "sb3":
            raise BadTypeError("run: agent 'sb3' needs a Box of observations here; use agent='ppo'.")
        chosen = PPOConfig()
    if chosen is None or config.steps is None:
        return chosen
    return replace(chosen, steps=config.steps)


def algorithm_words(config: RunConfig, world: World) -> str:
    """What agents of this run are trained with, for a sentence."""
    if config.agent == LIKE_THE_MODEL:
        return "the model's own algorithm and settings"
    settings = agent_settings(config, world)
    words = {"ActorCriticConfig": "actor-critic", "PPOConfig": "PPO", "TabularQConfig": "tabular Q-learning"}
    return "PPO of Stable-Baselines3" if settings is None else words[type(settings).__name__]


def play_episodes(
    world: World, policy: Policy, episodes: int, kept: Sequence[str] | None = None, *, seed: int
) -> Array:
    """Returns of at least `episodes` fresh episodes, likeliest actions."""
    rng, returns = generator(seed), list[Array]()
    with Arena(world.maker(kept), episodes) as arena:
        act = as_act(policy, greedy=True, rng=rng)
        while len(returns) < MOST_ROUNDS and arena.steps < EVALUATION_STEPS:
            returns.append(arena.play(act, seeds(int(rng.integers(2**31)), episodes))[0])
    return np.concatenate(returns)


def write_curves(path: Path, groups: Sequence[AgentGroup]) -> None:
    """One row per state, agent and step."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    grid, tables = on_one_grid({group.state: group.curves for group in groups})
    states, seeds, values = zip(
        *((g.state, seed, v) for g in groups for seed, v in zip(g.seeds, tables[g.state], strict=True)),
        strict=True,
    )
    columns = {"state": np.repeat(states, len(grid)).tolist(), "seed": np.repeat(seeds, len(grid))}
    columns |= {"step": np.tile(grid, len(states)), "return": np.concatenate(values)}
    write_atomically(path, lambda sink: pq.write_table(pa.table(columns), sink))
