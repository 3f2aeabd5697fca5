"""Actions that are numbers, or several choices: saturated, spread only, bimodal, coupled, of vectors."""

import numpy as np

from terc.arrays import Floats
from terc.seeding import generator
from terc.synthetic.columns import by_odds, draw, labelled, softmax
from terc.synthetic.labelled import Answer, Labelled, singles
from terc.synthetic.series import distractors, in_order, moving, runs, smooth


def _causes(n: int, count: int, noise: int, *, rng: np.random.Generator) -> tuple[Floats, dict[str, Floats]]:
    """`count` normal variables that last a little `[n, count]`, and all columns with `noise` others."""
    length = 50
    episodes, _ = runs(n, length)
    x = in_order(smooth((length, episodes, count), 0.7, rng=rng), n)
    return x, {f"x{k}": x[:, k] for k in range(count)} | distractors(n, length, noise, rng=rng)


def _recorded(
    columns: dict[str, Floats], actions: Floats, needed: int, *, rng: np.random.Generator
) -> Labelled:
    answers: Answer = singles(f"x{k}" for k in range(needed))
    return labelled(columns, actions, answers, rng=rng, episodes=runs(len(actions), 50)[1])


def saturated_torque(n: int = 10_000, *, seed: int = 0, noise: int = 7) -> Labelled:
    """One torque of three variables, held at its limits in about 45 % of the steps."""
    rng = generator(seed)
    x, columns = _causes(n, 3, noise, rng=rng)
    wanted = x @ np.array([0.9, -0.6, 0.45]) + 0.25 * rng.standard_normal(n)
    return _recorded(columns, np.clip(wanted, -0.8, 0.8), 3, rng=rng)


def thrusters(n: int = 10_000, *, seed: int = 0, noise: int = 6) -> Labelled:
    """A main engine between 0 and 1 and a side engine with a dead zone: exact zeros and ones in both."""
    rng = generator(seed)
    x, columns = _causes(n, 4, noise, rng=rng)
    push = rng.standard_normal((n, 2)) * [0.25, 0.3]
    main = np.clip(0.3 + 0.7 * x[:, 0] - 0.5 * np.abs(x[:, 1]) + push[:, 0], 0, 1)
    side = 0.9 * x[:, 2] - 0.7 * x[:, 3] + push[:, 1]
    return _recorded(columns, np.column_stack([main, np.where(np.abs(side) < 0.6, 0.0, side)]), 4, rng=rng)


def arm_with_stops(n: int = 10_000, *, seed: int = 0, noise: int = 6) -> Labelled:
    """Three torques of five joint variables, each clipped at -1 and 1 in a third of the steps or more."""
    rng = generator(seed)
    x, columns = _causes(n, 5, noise, rng=rng)
    wanted = np.column_stack(
        [1.2 * x[:, 0] - 0.9 * x[:, 1], 1.5 * np.sin(x[:, 2]) + 0.8 * x[:, 3], 1.4 * x[:, 4] * x[:, 0]]
    )
    return _recorded(columns, np.clip(wanted + 0.3 * rng.standard_normal((n, 3)), -1, 1), 5, rng=rng)


def spread_only(n: int = 10_000, *, seed: int = 0, noise: int = 7) -> Labelled:
    """A torque whose mean follows x0 and whose spread follows x1: x1 says nothing about its direction."""
    rng = generator(seed)
    x, columns = _causes(n, 2, noise, rng=rng)
    torque = 0.6 * x[:, 0] + 0.5 * np.exp(0.7 * x[:, 1]) * rng.standard_normal(n)
    return _recorded(columns, torque, 2, rng=rng)


def two_humps(n: int = 10_000, *, seed: int = 0, noise: int = 7) -> Labelled:
    """Swerve left or right: the side goes by x1, how far by x0, so the mean says little and two humps all."""
    rng = generator(seed)
    x, columns = _causes(n, 2, noise, rng=rng)
    side = 2.0 * draw(by_odds(1.5 * x[:, 1]), rng=rng) - 1
    swerve = side * (1.5 + 0.4 * x[:, 0]) + 0.25 * rng.standard_normal(n)
    return _recorded(columns, swerve, 2, rng=rng)


def coupled_torques(n: int = 10_000, *, seed: int = 0, noise: int = 6) -> Labelled:
    """Two torques with means of their own (x0, x1); x2 decides whether they move together or against."""
    rng = generator(seed)
    x, columns = _causes(n, 3, noise, rng=rng)
    jitter = rng.standard_normal((n, 2))
    together = 0.95 * np.tanh(2 * x[:, 2])
    second = together * jitter[:, 0] + np.sqrt(1 - together**2) * jitter[:, 1]
    torques = 0.8 * x[:, :2] + np.column_stack([jitter[:, 0], second])
    return _recorded(columns, torques, 3, rng=rng)


def multi_discrete(n: int = 10_000, *, seed: int = 0, noise: int = 7) -> Labelled:
    """Steering, throttle and horn, chosen each by its own softmax of one or two of five variables."""
    rng = generator(seed)
    x, columns = _causes(n, 5, noise, rng=rng)
    zero = np.zeros(n)
    steer = 2.0 * x[:, 0] + 1.2 * x[:, 1]
    throttle = 1.6 * x[:, 2] - 1.2 * x[:, 3]
    parts = [
        draw(softmax(np.column_stack([-steer, zero, steer])), rng=rng),
        draw(softmax(np.column_stack([-throttle, zero, throttle])), rng=rng),
        draw(by_odds(2.5 * (x[:, 4] - 0.5)), rng=rng),
    ]
    return _recorded(columns, np.column_stack(parts), 5, rng=rng)


def many_levels(n: int = 10_000, *, seed: int = 0, noise: int = 7) -> Labelled:
    """A bid of 0 to 40: rises with x0, with the size of x1, and falls by half when x2 is high."""
    rng = generator(seed)
    x, columns = _causes(n, 3, noise, rng=rng)
    wanted = (20 + 6 * x[:, 0] + 5 * np.abs(x[:, 1])) * np.where(x[:, 2] > 0.8, 0.6, 1.0)
    bids = np.clip(np.rint(wanted + 2.5 * rng.standard_normal(n)), 0, 40).astype(np.int64)
    return _recorded(columns, bids, 3, rng=rng)


def shell(n: int = 10_000, *, seed: int = 0, noise: int = 7) -> Labelled:
    """A brake force that is high inside a shell around the origin of three coordinates, low elsewhere.

    Each coordinate acts through its square only, and only together with the others.
    """
    rng = generator(seed)
    length = 40
    place = moving(n, length, 3, 0.5, rng=rng)
    inside = np.exp(-0.5 * ((np.linalg.norm(place, axis=1) - 1.5) / 0.35) ** 2)
    columns = dict(zip(("east", "north", "up"), place.T, strict=True))
    return labelled(
        columns | distractors(n, length, noise, rng=rng),
        inside + 0.15 * rng.standard_normal(n),
        singles(columns),
        rng=rng,
        episodes=runs(n, length)[1],
    )


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
