"""Training any of our agents: which one suits an environment, and how it plays and learns until done."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from terc.agents import actor_critic, ppo, tabular_q
from terc.agents.spaces import spec_of
from terc.agents.stepping import EnvLike, make_stepper
from terc.agents.training import Session, Training
from terc.checks import one_of
from terc.progress import Report
from terc.seeding import generator
from terc.threads import one_thread

AgentConfig = actor_critic.ActorCriticConfig | ppo.PPOConfig | tabular_q.TabularQConfig
"""Settings of an agent. Their `learner` plays and learns by `update`, gives its `policy` and the `parts` of a
checkpoint; one whose states are labels, not numbers, says so by an attribute `nominal`."""
AGENTS = {
    place: name
    for name, module in (("actor_critic", actor_critic), ("ppo", ppo), ("tabular_q", tabular_q))
    for place in module.PRESETS
}
"""Environment and preset -> the agent that has it.

Lunar Lander has PPO in "fast", because the paper's actor-critic does not learn to land there.
"""
NAMES = ("auto", "tabular_q", "actor_critic", "ppo", "sb3")


def choose_config(
    environment: str | None, *, agent: str = "auto", preset: str = "fast", n_variables: int = 25
) -> AgentConfig | None:
    """The settings to train with, or None when Stable-Baselines3 should do it.

    `auto` takes the agent that has settings for the environment, and Stable-Baselines3 elsewhere.

    Args:
        environment: Gymnasium id.
        preset: "paper" (as printed) or "fast" (converges on one core).
        n_variables: Length of a state; the Secret Key Game needs longer with more keys.

    Example:
        >>> choose_config("CartPole-v1").n_envs, choose_config("Acrobot-v1") is None
        (64, True)
    """
    one_of(NAMES)("agent", "agent", agent)
    one_of(["fast", "paper"])("agent", "preset", preset)
    place = (environment or "", preset)
    agent = AGENTS.get(place, "sb3") if agent == "auto" else agent
    if agent == "sb3":
        return None
    if agent == "tabular_q":
        return tabular_q.PRESETS[tabular_q.ID, preset]
    if agent == "ppo":
        return ppo.PRESETS.get(place, ppo.PPOConfig())
    config = actor_critic.PRESETS.get(place, actor_critic.ActorCriticConfig())
    longer = place == ("terc/SecretKey-v0", "fast") and n_variables > 20
    return replace(config, steps=config.steps * n_variables // 20) if longer else config


def train_agent(  # noqa: PLR0913  (all but one are keywords)
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
        env: An id, a function that makes it, a vector environment: see `stepping.make_stepper`.
        seed: Same seed, same training, bit for bit.
        agent: "auto", "tabular_q", "actor_critic", "ppo", "sb3", or the settings of one of ours: an
            `ActorCriticConfig` (discrete actions), `PPOConfig`, or `TabularQConfig` (discrete states).
        preset: "fast" or "paper".
        progress: Called after each update with steps done, steps planned, and the mean return in words.
        checkpoint: File to write on the way; if it exists, the training continues from it with the same
            result. Stable-Baselines3 has none: it starts again.
        record: Most steps to keep as `Training.data`.
        names: Of the variables, for `Training.data`.
    """
    config: AgentConfig | None
    if isinstance(agent, str):
        probe = make_stepper(env, 1)
        n_variables = int((probe.observation_space.shape or (1,))[0])
        config = choose_config(probe.environment, agent=agent, preset=preset, n_variables=n_variables)
        probe.close()
    else:
        config = agent
    if config is None:
        from terc.agents.sb3_training import train_sb3

        return train_sb3(env, seed=seed, progress=progress, record=record, names=names)
    rng = generator(seed)
    stepper = make_stepper(env, config.n_envs)
    spec = spec_of(stepper.environment, stepper.observation_space, stepper.action_space)
    session = Session(stepper, config, seed=seed, record=record, progress=progress, checkpoint=checkpoint)
    with one_thread():
        learner = config.learner(spec, stepper, rng=rng)
        session.begin(learner.parts, rng)
        while not session.finished:
            learner.update(session, rng=rng)
            session.update_done(learner.parts, rng)
    stepper.close()
    return session.result(learner.policy(), names, nominal=getattr(learner, "nominal", False))
