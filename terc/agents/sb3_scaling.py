"""Which `VecNormalize` a model needs: never guessed, and refused where its statistics are missing."""

from typing import Any

import numpy as np

from terc.arrays import Array
from terc.errors import BadTypeError, BadValueError
from terc.flattening.layout import Layout
from terc.flattening.vec_env import outer_scaling

# A variable does not change by such a factor from one step to the next; from its own units to scaled ones it
# may (a pressure of 101,325 becomes 0.3).
OTHER_UNITS = 1_000.0
WAY_OUT = (
    "Give the statistics that were saved with it (--vecnormalize FILE; vec_normalize= the file or the "
    "VecNormalize itself); if there were none, say so: --vecnormalize none (vec_normalize=False)."
)


def scaling_for(model: Any, given: Any) -> Any:
    """The `VecNormalize` that scales what `model` sees, or None where nothing does.

    Args:
        model: Of Stable-Baselines3.
        given: A `VecNormalize`; False where the caller says that there was none; None to take the one around
            the model's environment.

    Raises:
        BadValueError: The model was trained behind one and it is not given, or the one given does not fit.
    """
    if given is False:
        return None
    if given is None:
        around = model.get_env()
        found = None if around is None else outer_scaling(around)
        if model.get_vec_normalize_env() is None and (why := missing_statistics(model, around is not None)):
            raise BadValueError(f"policy: {why}. {WAY_OUT}")
        return found
    if not hasattr(given, "normalize_obs"):
        raise BadTypeError(f"policy: vec_normalize must be a VecNormalize, got {type(given).__name__}.")
    _check_fits(model, given)
    return given


def missing_statistics(model: Any, has_env: bool) -> str:
    """In words, what shows that `model` was trained behind a `VecNormalize`; empty where nothing does.

    Args:
        model: Of Stable-Baselines3.
        has_env: Whether it still has the environment around it that it was trained in.
    """
    original, last = (getattr(model, name, None) for name in ("_last_original_obs", "_last_obs"))
    if original is None:
        return ""
    if not hasattr(model, "replay_buffer_class"):
        # On-policy algorithms note the unscaled state behind a VecNormalize, and only there.
        return "the model was trained behind VecNormalize, and its statistics are missing"
    if last is None or has_env:
        return ""
    # Off-policy ones note it always; without VecNormalize it is the state of one step before.
    layout = Layout.of(model.observation_space, where="policy", shaped=True)
    before, after = (layout.rows(values).astype(np.float64) for values in (original, last))
    if _in_other_units(before, after) or (after < layout.box.low).any() or (after > layout.box.high).any():
        return (
            "the states that the model saw last are not in the environment's units, as after VecNormalize, "
            "whose statistics are missing"
        )
    return ""


def _in_other_units(before: Array, after: Array) -> bool:
    """Whether a column changed by more than variables do in a step; zeros may be padding and do not count."""
    one, other = np.abs(before), np.abs(after)
    larger, smaller = np.maximum(one, other), np.minimum(one, other)
    other_units = (larger > OTHER_UNITS * smaller) & (larger > 1) & (smaller > 0)
    return bool(other_units.all(axis=0).any())


def _check_fits(model: Any, given: Any) -> None:
    wanted, there = model.observation_space, given.observation_space
    if wanted == there or (wanted.shape is not None and wanted.shape == there.shape):
        return
    raise BadValueError(
        f"policy: the VecNormalize has statistics of {there}, but the model sees {wanted}. Where frames are "
        "stacked outside of VecNormalize, pass the environment with both wrappers as env, and the model with "
        "vec_normalize=False."
    )
