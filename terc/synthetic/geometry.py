"""Geometry: lengths and unit vectors beside their parts, and a second sensor of each thing."""

import numpy as np

from terc.arrays import Floats
from terc.seeding import generator
from terc.synthetic.columns import labelled
from terc.synthetic.labelled import Labelled, singles
from terc.synthetic.series import distractors, in_order, runs, smooth

LENGTH = 40


def _moving(n: int, count: int, noise: int, *, rng: np.random.Generator) -> tuple[Floats, dict[str, Floats]]:
    """`count` variables that last a while `[n, count]`, and `noise` columns beside them."""
    episodes, _ = runs(n, LENGTH)
    x = in_order(smooth((LENGTH, episodes, count), 0.8, rng=rng), n)
    return x, distractors(n, LENGTH, noise, rng=rng)


def air_resistance(n: int = 10_000, *, seed: int = 0, noise: int = 6) -> Labelled:
    """A thrust in three directions against drag, which goes with the speed; `speed` is recorded, too."""
    rng = generator(seed)
    v, others = _moving(n, 3, noise, rng=rng)
    speed = np.linalg.norm(v, axis=1)
    thrust = 0.5 * v * speed[:, None] + 0.3 * rng.standard_normal((n, 3))
    parts = {"v_x": v[:, 0], "v_y": v[:, 1], "v_z": v[:, 2]}
    columns = parts | {"speed": speed} | others
    return labelled(columns, thrust, singles(parts), rng=rng, episodes=runs(n, LENGTH)[1])


def attitude(n: int = 10_000, *, seed: int = 0, noise: int = 6) -> Labelled:
    """A torque of three parts of a unit quaternion, whose fourth they determine."""
    rng = generator(seed)
    x, others = _moving(n, 4, noise, rng=rng)
    x[:, 0] = np.abs(x[:, 0]) + 0.4
    q = x / np.linalg.norm(x, axis=1, keepdims=True)
    tilt = np.tanh(1.5 * q[:, 1] - q[:, 2]) + 1.2 * q[:, 3] * q[:, 2]
    parts = {"q_x": q[:, 1], "q_y": q[:, 2], "q_z": q[:, 3]}
    columns = {"q_w": q[:, 0]} | parts | others
    torque = tilt + 0.1 * rng.standard_normal(n)
    return labelled(columns, torque, singles(parts), rng=rng, episodes=runs(n, LENGTH)[1])


def second_sensors(n: int = 10_000, *, seed: int = 0, noise: int = 6) -> Labelled:
    """A smooth torque of three exact readings, each with a noisier one beside it."""
    rng = generator(seed)
    x, others = _moving(n, 3, noise, rng=rng)
    exact = {f"exact_{k}": x[:, k] for k in range(3)}
    noisy = {f"noisy_{k}": x[:, k] + 0.2 * rng.standard_normal(n) for k in range(3)}
    torque = np.tanh(0.8 * np.sin(2.2 * x[:, 0]) + 0.6 * x[:, 1] ** 2 - x[:, 2])
    torque += 0.07 * rng.standard_normal(n)
    return labelled(exact | noisy | others, torque, singles(exact), rng=rng, episodes=runs(n, LENGTH)[1])
