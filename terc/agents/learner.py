"""One training of any of our agents: its settings make what learns, which plays and learns until done."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from terc.agents.policy import Policy, PolicySpec
from terc.agents.spaces import spec_of
from terc.agents.stepping import EnvLike, Stepper, make_stepper
from terc.agents.training import Session, Training
from terc.progress import Report
from terc.seeding import generator
from terc.threads import one_thread


class Learns(Protocol):
    """What learns: made by `config.learner(spec, stepper, rng=rng)`.

    A learner whose states are labels, not numbers, says so by an attribute `nominal`.
    """

    @property
    def parts(self) -> Mapping[str, Any]:
        """What a checkpoint saves: by name, something with `state` and `restore`."""

    def update(self, session: Session, *, rng: np.random.Generator) -> None:
        """Play on by `session.play`, and learn from it."""

    def policy(self) -> Policy:
        """What has been learnt so far."""


class LearnerConfig(Protocol):
    """The hyper-parameters of an agent, as far as a training reads them."""

    @property
    def n_envs(self) -> int:
        """Environments that are stepped together."""

    def learner(self, spec: PolicySpec, stepper: Stepper, *, rng: np.random.Generator) -> Learns:
        """What learns with these settings."""


def train(  # noqa: PLR0913  (all but two are keywords)
    config: LearnerConfig,
    env: EnvLike,
    *,
    seed: int,
    progress: Report | None = None,
    checkpoint: str | Path | None = None,
    record: int = 200_000,
    names: Sequence[str] | None = None,
) -> Training:
    """Train on `env` (an id, a function that makes it, a vector environment) with the agent of `config`.

    Args:
        config: An `ActorCriticConfig` (discrete actions), `PPOConfig`, or `TabularQConfig` (discrete states).
        env: See `stepping.make_stepper`.
        seed: Same seed, same training, bit for bit.
        progress: Called after each update with steps done, steps planned, and the mean return in words.
        checkpoint: File to write on the way; if it exists, the training continues from it with the same
            result.
        record: Most steps to keep as `Training.data`.
        names: Of the variables, for `Training.data`.
    """
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
