"""An agent trained elsewhere: how it is opened, and its name, so that no run continues with another agent."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from terc.agents.policy import Policy, as_policy, load_policy, policy_path, refuse_statistics
from terc.errors import BadValueError, DataFileError
from terc.fingerprint import file_digest, import_name
from terc.pipeline.config import IN_MEMORY
from terc.trajectories.files import alternatives


@dataclass(frozen=True)
class Model:
    """What the caller gave as the agent.

    Attributes:
        source: A policy, a model, a function, or the path of a file; None where an agent is trained here.
        allow_pickle: Whether that file may be unpickled.
        vec_normalize: File of the `VecNormalize` of a Stable-Baselines3 `.zip`.
    """

    source: Any = None
    allow_pickle: bool = False
    vec_normalize: str | Path | None = None

    def policy(self) -> Policy:
        """The agent, opened."""
        if self.source is None:
            raise BadValueError(
                "run: this run began with a model; give it again to continue (model=, --model)."
            )
        scaling = self.vec_normalize
        if isinstance(self.source, str | Path):
            return load_policy(self.source, allow_pickle=self.allow_pickle, vec_normalize=scaling)
        refuse_statistics(self.source, scaling)
        return as_policy(self.source)


def models_of(source: Any, allow_pickle: bool, vec_normalize: Any) -> tuple[Model, ...]:
    """One `Model` for each that a caller gave, with the scaling at the same place."""
    sources = source if isinstance(source, list | tuple) else [] if source is None else [source]
    if source is not None and not sources:
        raise BadValueError("run: model= is an empty list; give at least one, or leave it out to train one.")
    scalings = vec_normalize if isinstance(vec_normalize, list | tuple) else [vec_normalize] * len(sources)
    if len(scalings or sources) != len(sources):
        raise BadValueError(
            f"vec_normalize (--vecnormalize): wanted one for each of {len(sources)} model(s), in their "
            f"order, 'none' where there was none, got {len(scalings)}."
        )
    pairs = zip(sources, scalings or [None] * len(sources), strict=True)
    return tuple(Model(one, allow_pickle, scaling) for one, scaling in pairs)


def model_identity(model: Any, vec_normalize: str | Path | None = None) -> str:
    """Digest of a file, `module:name` of a function, or a note that the model exists in memory only.

    Example:
        >>> model_identity(lambda states: states[:, 0])
        'in memory: function'
    """
    if isinstance(model, str | Path):
        found = file_digest(policy_path(model))
        if vec_normalize is None or str(vec_normalize) == "none":
            return found
        if not (scaling := Path(vec_normalize)).is_file():
            beside = alternatives(scaling.name, sorted(one.name for one in scaling.parent.glob("*.pkl")))
            raise DataFileError(
                f"vec_normalize (--vecnormalize): there is no file {str(vec_normalize)!r}.{beside}"
            )
        return f"{found} {file_digest(scaling)}"
    as_policy(model)
    return import_name(model) or f"{IN_MEMORY}{type(model).__name__}"
