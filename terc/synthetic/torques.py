"""Actions that are numbers, or several choices: saturated, spread only, bimodal, coupled, of vectors."""

import numpy as np

from terc.arrays import Floats
from terc.synthetic.columns import Columns, by_odds, draw, numbered, softmax
from terc.synthetic.labelled import Labelled
from terc.synthetic.series import Steps, kind


def _causes(steps: Steps, count: int, noise: int) -> tuple[Floats, Columns, Columns]:
    """`count` normal variables that last a little: `[n, count]`, as columns, and with `noise` others."""
    x = steps.moving(count, 0.7)
    needed = numbered("x", x)
    return x, needed, needed | steps.noise(noise)


@kind(50, probabilities=None)
def saturated_torque(steps: Steps, noise: int = 7) -> Labelled:
    """One torque of three variables, held at its limits in about 45 % of the steps."""
    x, needed, columns = _causes(steps, 3, noise)
    wanted = x @ np.array([0.9, -0.6, 0.45]) + 0.25 * steps.rng.standard_normal(steps.n)
    return steps.taken(columns, needed, np.clip(wanted, -0.8, 0.8))


@kind(50, probabilities=None)
def thrusters(steps: Steps, noise: int = 6) -> Labelled:
    """A main engine between 0 and 1 and a side engine with a dead zone: exact zeros and ones in both."""
    x, needed, columns = _causes(steps, 4, noise)
    push = steps.rng.standard_normal((steps.n, 2)) * [0.25, 0.3]
    main = np.clip(0.3 + 0.7 * x[:, 0] - 0.5 * np.abs(x[:, 1]) + push[:, 0], 0, 1)
    side = 0.9 * x[:, 2] - 0.7 * x[:, 3] + push[:, 1]
    return steps.taken(columns, needed, np.column_stack([main, np.where(np.abs(side) < 0.6, 0.0, side)]))


@kind(50, probabilities=None)
def arm_with_stops(steps: Steps, noise: int = 6) -> Labelled:
    """Three torques of five joint variables, each clipped at -1 and 1 in a third of the steps or more."""
    x, needed, columns = _causes(steps, 5, noise)
    wanted = np.column_stack(
        [1.2 * x[:, 0] - 0.9 * x[:, 1], 1.5 * np.sin(x[:, 2]) + 0.8 * x[:, 3], 1.4 * x[:, 4] * x[:, 0]]
    )
    jitter = 0.3 * steps.rng.standard_normal((steps.n, 3))
    return steps.taken(columns, needed, np.clip(wanted + jitter, -1, 1))


@kind(50, probabilities=None)
def spread_only(steps: Steps, noise: int = 7) -> Labelled:
    """A torque whose mean follows x0 and whose spread follows x1: x1 says nothing about its direction."""
    x, needed, columns = _causes(steps, 2, noise)
    spread = 0.5 * np.exp(0.7 * x[:, 1])
    return steps.taken(columns, needed, 0.6 * x[:, 0] + spread * steps.rng.standard_normal(steps.n))


@kind(50, probabilities=None)
def two_humps(steps: Steps, noise: int = 7) -> Labelled:
    """Swerve left or right: x1 decides the side and x0 how far, so the mean says little."""
    x, needed, columns = _causes(steps, 2, noise)
    side = 2.0 * draw(by_odds(1.5 * x[:, 1]), rng=steps.rng) - 1
    swerve = side * (1.5 + 0.4 * x[:, 0]) + 0.25 * steps.rng.standard_normal(steps.n)
    return steps.taken(columns, needed, swerve)


@kind(50, probabilities=None)
def coupled_torques(steps: Steps, noise: int = 6) -> Labelled:
    """Two torques with means of their own (x0, x1); x2 decides whether they move together or against."""
    x, needed, columns = _causes(steps, 3, noise)
    first, jitter = steps.rng.standard_normal((steps.n, 2)).T
    together = 0.95 * np.tanh(2 * x[:, 2])
    second = together * first + np.sqrt(1 - together**2) * jitter
    return steps.taken(columns, needed, 0.8 * x[:, :2] + np.column_stack([first, second]))


@kind(50, probabilities=None)
def multi_discrete(steps: Steps, noise: int = 7) -> Labelled:
    """Steering, throttle and horn, chosen each by its own softmax of one or two of five variables."""
    x, needed, columns = _causes(steps, 5, noise)
    steer, throttle = 2.0 * x[:, 0] + 1.2 * x[:, 1], 1.6 * x[:, 2] - 1.2 * x[:, 3]
    sides = np.array([-1, 0, 1])
    chances = [
        softmax(steer[:, None] * sides),
        softmax(throttle[:, None] * sides),
        by_odds(2.5 * (x[:, 4] - 0.5)),
    ]
    parts = [draw(part, rng=steps.rng) for part in chances]
    return steps.taken(columns, needed, np.column_stack(parts))


@kind(50, probabilities=None)
def many_levels(steps: Steps, noise: int = 7) -> Labelled:
    """A bid of 0 to 40 that rises with x0 and with the size of x1, and is 40 % lower when x2 is high."""
    x, needed, columns = _causes(steps, 3, noise)
    wanted = (20 + 6 * x[:, 0] + 5 * np.abs(x[:, 1])) * np.where(x[:, 2] > 0.8, 0.6, 1.0)
    bids = np.clip(np.rint(wanted + 2.5 * steps.rng.standard_normal(steps.n)), 0, 40).astype(np.int64)
    return steps.taken(columns, needed, bids)


@kind(40, probabilities=None)
def shell(steps: Steps, noise: int = 7) -> Labelled:
    """A brake force that is high inside a shell around the origin of three coordinates, low elsewhere.

    Each coordinate acts through its square only, and only together with the others.
    """
    place = steps.moving(3, 0.5)
    inside = np.exp(-0.5 * ((np.linalg.norm(place, axis=1) - 1.5) / 0.35) ** 2)
    needed = dict(zip(("east", "north", "up"), place.T, strict=True))
    columns = needed | steps.noise(noise)
    return steps.taken(columns, needed, inside + 0.15 * steps.rng.standard_normal(steps.n))


@kind(40, probabilities=None)
def air_resistance(steps: Steps, noise: int = 6) -> Labelled:
    """A thrust in three directions against drag, which grows with the speed; `speed` is recorded, too."""
    v = steps.moving(3, 0.8)
    others = steps.noise(noise)
    speed = np.linalg.norm(v, axis=1)
    thrust = 0.5 * v * speed[:, None] + 0.3 * steps.rng.standard_normal((steps.n, 3))
    needed = dict(zip(("v_x", "v_y", "v_z"), v.T, strict=True))
    return steps.taken(needed | {"speed": speed} | others, needed, thrust)


@kind(40, probabilities=None)
def attitude(steps: Steps, noise: int = 6) -> Labelled:
    """A torque of three parts of a unit quaternion, whose fourth they determine."""
    x = steps.moving(4, 0.8)
    others = steps.noise(noise)
    x[:, 0] = np.abs(x[:, 0]) + 0.4
    q = x / np.linalg.norm(x, axis=1, keepdims=True)
    tilt = np.tanh(1.5 * q[:, 1] - q[:, 2]) + 1.2 * q[:, 3] * q[:, 2]
    columns = dict(zip(("q_w", "q_x", "q_y", "q_z"), q.T, strict=True)) | others
    return steps.taken(columns, ["q_x", "q_y", "q_z"], tilt + 0.1 * steps.rng.standard_normal(steps.n))


@kind(40, probabilities=None)
def second_sensors(steps: Steps, noise: int = 6) -> Labelled:
    """A smooth torque of three exact readings, each with a noisier one beside it."""
    x = steps.moving(3, 0.8)
    others = steps.noise(noise)
    exact = numbered("exact_", x)
    noisy = {f"noisy_{k}": x[:, k] + 0.2 * steps.rng.standard_normal(steps.n) for k in range(3)}
    torque = np.tanh(0.8 * np.sin(2.2 * x[:, 0]) + 0.6 * x[:, 1] ** 2 - x[:, 2])
    return steps.taken(exact | noisy | others, exact, torque + 0.07 * steps.rng.standard_normal(steps.n))
