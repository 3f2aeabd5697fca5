"""Action distributions on arrays: discrete actions, and independent normals over continuous ones."""

import numpy as np

from terc.arrays import Array

HALF_LOG_2PI = 0.5 * float(np.log(2 * np.pi))


def sample_categorical(probabilities: Array, *, rng: np.random.Generator) -> Array:
    """One index per row of `probabilities` `[n, K]`, by inverting the cumulative sum.

    Example:
        >>> sample_categorical(np.array([[0.0, 1.0], [1.0, 0.0]]), rng=np.random.default_rng(0))
        array([1, 0])
    """
    cumulative = np.cumsum(probabilities, axis=1)
    # the last entry may miss 1 by rounding: scaling the draw keeps it inside
    draw = rng.random((len(probabilities), 1)) * cumulative[:, -1:]
    return (cumulative <= draw).sum(axis=1).clip(0, probabilities.shape[1] - 1)


def normal_log_density(actions: Array, mean: Array, log_std: Array) -> Array:
    """Log density `[n]` of actions `[n, k]` under independent normals.

    Example:
        >>> round(float(normal_log_density(np.zeros((1, 1)), np.zeros((1, 1)), np.zeros(1))[0]), 4)
        -0.9189
    """
    scaled = (actions - mean) * np.exp(-log_std)
    density: Array = -0.5 * np.einsum("ij,ij->i", scaled, scaled)
    return density - log_std.sum() - HALF_LOG_2PI * actions.shape[1]
