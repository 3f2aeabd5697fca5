"""What tells a model given to a run from another one, so that no run goes on with the wrong agent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from terc.agents.policy import as_policy
from terc.agents.sb3 import SB3Policy
from terc.identity import UNTOLD, content_digest, identity_of
from terc.pipeline.networks import plain_policy, scaling_of
from terc.pipeline.run_folder import file_sum


def model_identity(model: Any) -> str:
    """SHA-256 of a file; of what stands in memory its `identity_of`: a policy's weights, a function's code.

    Raises:
        BadTypeError: It is nothing that acts.

    Example:
        >>> model_identity(lambda states: states[:, 0]) == model_identity(lambda states: states[:, 1])
        False
    """
    if isinstance(model, str | Path):
        return file_sum(model)
    policy = as_policy(model)
    if not isinstance(policy, SB3Policy):
        return identity_of(model)
    digest = content_digest(_acting_parts(policy))
    kind = type(policy.model)
    return f"{kind.__module__}:{kind.__qualname__}" + (UNTOLD if digest is None else f"#{digest}")


def _acting_parts(policy: SB3Policy) -> Any:
    """What a Stable-Baselines3 model acts by; the rest of it (optimiser, environment) moves on with use."""
    plain = plain_policy(policy)
    if plain is not None:
        return plain
    weights = policy.model.policy.state_dict()
    exploration = getattr(policy.model, "exploration_rate", None)
    return [policy.spec, type(policy.model.policy), weights, scaling_of(policy.vec_normalize), exploration]
