"""Which agent for which environment, and one call that trains it."""

from collections.abc import Sequence
from pathlib import Path

from terc.agents import actor_critic, ppo, tabular_q
from terc.agents.learner import train
from terc.agents.stepping import EnvLike, make_stepper
from terc.agents.training import Training
from terc.errors import unknown_name
from terc.progress import Report

AgentConfig = actor_critic.ActorCriticConfig | ppo.PPOConfig | tabular_q.TabularQConfig

# agent of the preset; the paper's actor-critic does not learn to land, so `fast` takes PPO there
AGENTS = {
    ("CartPole-v1", "paper"): "actor_critic",
    ("CartPole-v1", "fast"): "actor_critic",
    ("LunarLander-v3", "paper"): "actor_critic",
    ("LunarLander-v3", "fast"): "ppo",
    ("Pendulum-v1", "paper"): "ppo",
    ("Pendulum-v1", "fast"): "ppo",
    ("terc/SecretKey-v0", "paper"): "actor_critic",
    ("terc/SecretKey-v0", "fast"): "actor_critic",
    ("terc/TitForNTats-v0", "paper"): "tabular_q",
    ("terc/TitForNTats-v0", "fast"): "tabular_q",
}
NAMES = ("auto", "tabular_q", "actor_critic", "ppo", "sb3")


def choose_config(
    environment: str | None, *, agent: str = "auto", preset: str = "fast", n_variables: int = 25
) -> AgentConfig | None:
    """The settings to train with, or None when Stable-Baselines3 should do it.

    `auto` takes the agent of the preset where there is one and Stable-Baselines3 elsewhere.

    Example:
        >>> choose_config("CartPole-v1").n_envs, choose_config("Acrobot-v1") is None
        (64, True)
    """
    if agent not in NAMES:
        raise unknown_name("agent", "agent", agent, NAMES)
    if agent == "auto":
        agent = AGENTS.get((environment or "", preset), "sb3")
    if agent == "sb3":
        return None
    if agent == "tabular_q":
        return tabular_q.TabularQConfig.preset(preset)
    if agent == "actor_critic":
        if (environment or "", preset) not in actor_critic.PRESETS:
            return actor_critic.ActorCriticConfig()
        return actor_critic.ActorCriticConfig.preset(environment or "", preset, n_variables=n_variables)
    return ppo.PRESETS.get((environment or "", preset), ppo.PPOConfig())


def train_agent(  # noqa: PLR0913  (the arguments of every agent's `train`, and which agent)
    env: EnvLike,
    *,
    seed: int,
    agent: str | AgentConfig = "auto",
    preset: str = "fast",
    progress: Report | None = None,
    checkpoint: str | Path | None = None,
    record: int = 200_000,
    names: Sequence[str] | None = None,
) -> Training:
    """Train the agent that fits `env`: ours where we have settings for it, else Stable-Baselines3's.

    Args:
        env: See `stepping.make_stepper`.
        seed: Same seed, same training.
        agent: "auto", "tabular_q", "actor_critic", "ppo", "sb3", or the settings of one of ours.
        preset: "fast" or "paper".
        progress: Called with steps done, steps planned, and the mean return in words.
        checkpoint: File to write on the way and to continue from. Stable-Baselines3 has none: it starts
            again.
        record: Most steps to keep as `Training.data`.
        names: Of the variables, for `Training.data`.
    """
    config = agent if not isinstance(agent, str) else _config_for(env, agent, preset)
    if config is None:
        from terc.agents.sb3_training import train_sb3

        return train_sb3(env, seed=seed, progress=progress, record=record, names=names)
    return train(config, env, seed=seed, progress=progress, checkpoint=checkpoint, record=record, names=names)


def _config_for(env: EnvLike, agent: str, preset: str) -> AgentConfig | None:
    probe = make_stepper(env, 1)
    environment, n_variables = probe.environment, int((probe.observation_space.shape or (1,))[0])
    probe.close()
    return choose_config(environment, agent=agent, preset=preset, n_variables=n_variables)
