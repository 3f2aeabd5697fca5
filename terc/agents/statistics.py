"""Running statistics inside an environment stay as they are while a policy plays; training updates them."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from terc.errors import TercWarning


@contextmanager
def statistics_kept(env: Any) -> Iterator[None]:
    """Within, Gymnasium's `NormalizeObservation` in `env`, or in copies that it steps, does not learn.

    One that has learned nothing yet keeps learning, with a warning: the policy is shown other numbers than
    in its training.
    """
    found = [wrapper for wrapper in _normalisers(env) if wrapper.update_running_mean]
    learned = [wrapper for wrapper in found if wrapper.obs_rms.count >= 1]
    if len(learned) < len(found):
        warnings.warn(
            "env: NormalizeObservation starts its statistics afresh, so the policy is shown other numbers "
            "than in its training. Pass the environment that it was trained in, or a function that makes one "
            "and sets obs_rms as it was.",
            TercWarning,
            stacklevel=4,
        )
    for wrapper in learned:
        wrapper.update_running_mean = False
    try:
        yield
    finally:
        for wrapper in learned:
            wrapper.update_running_mean = True


def _normalisers(env: Any) -> Iterator[Any]:
    copies = getattr(env, "envs", None)
    while env is not None:
        if type(env).__name__ == "NormalizeObservation" and hasattr(env, "obs_rms"):
            yield env
        copies, env = getattr(env, "envs", copies), getattr(env, "env", None)
    for copy in copies or ():
        yield from _normalisers(copy)
