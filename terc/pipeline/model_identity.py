"""The name of a model given to a run, so that no run goes on with another agent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from terc.agents.policy import as_policy
from terc.fingerprint import file_digest, import_name
from terc.pipeline.config import IN_MEMORY


def model_identity(model: Any) -> str:
    """Digest of a file, `module:name` of a function, or a note that the model exists in memory only.

    Raises:
        BadTypeError: It is nothing that acts.

    Example:
        >>> model_identity(lambda states: states[:, 0])
        'in memory: function'
    """
    if isinstance(model, str | Path):
        return file_digest(model)
    as_policy(model)
    return import_name(model) or f"{IN_MEMORY}{type(model).__name__}"
