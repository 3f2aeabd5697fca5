"""Control: a cart-pole with a stochastic policy, a pendulum and an arm with continuous actions."""

import numpy as np

from terc.arrays import Floats, Integers
from terc.seeding import generator
from terc.synthetic.columns import Rng, by_odds, draw, equal_episodes, family, labelled, numbered
from terc.synthetic.labelled import Labelled
from terc.synthetic.series import Steps

CART_POLE = ("cart_position", "cart_velocity", "pole_angle", "pole_velocity")
CART_POLE_WEIGHTS = np.array([1.4, 1.6, 22.0, 3.6])
"""Log-odds of pushing right per unit of each variable: those of a good linear controller, softened."""

PENDULUM = ("cos_angle", "sin_angle", "velocity")


@family
def cart_pole_like(
    n: int = 10_000, *, seed: int = 0, noise: int = 3, with_probabilities: bool = False
) -> Labelled:
    """A cart-pole under a logistic linear policy with random shoves, doped with `noise` uniform columns.

    All four physical variables matter, the cart's position least (about 0.035 nats given the others).
    Episodes differ in length: they end when the pole falls, the cart leaves, or their drawn time is up.
    """
    rng = generator(seed)
    states, actions, episodes = _cart_pole_steps(n, rng=rng)
    columns = dict(zip(CART_POLE, states.T, strict=True))
    columns |= {f"noise_{k}": rng.uniform(-5, 5, n) for k in range(noise)}
    probabilities = by_odds(states @ CART_POLE_WEIGHTS) if with_probabilities else None
    return labelled(columns, actions, CART_POLE, episodes=episodes, probabilities=probabilities)


def _cart_pole_steps(n: int, *, rng: Rng) -> tuple[Floats, Integers, Integers]:
    """`n` steps of whole episodes, the last one cut: states `[n, 4]`, actions and episode numbers `[n]`."""
    states, actions, episodes = [], [], []
    missing, number = n, 0
    while missing > 0:
        batch_states, batch_actions, lengths = _cart_pole_batch(missing // 100 + 2, rng=rng)
        for k, length in enumerate(lengths):
            states.append(batch_states[:length, k])
            actions.append(batch_actions[:length, k])
            episodes.append(np.full(length, number))
            number += 1
        missing -= int(lengths.sum())
    return np.concatenate(states)[:n], np.concatenate(actions)[:n], np.concatenate(episodes)[:n]


def _cart_pole_batch(count: int, *, rng: Rng) -> tuple[Floats, Integers, Integers]:
    """`count` episodes side by side: states `[200, count, 4]`, actions, and where each one ends."""
    limit = rng.integers(50, 201, count)
    state = rng.uniform(-1, 1, (count, 4)) * np.array([1.2, 0.5, 0.08, 0.5])
    all_states = np.empty((200, count, 4))
    all_actions = np.empty((200, count), dtype=np.int64)
    length = limit.copy()
    for t in range(200):
        action = draw(by_odds(state @ CART_POLE_WEIGHTS), rng=rng)
        all_states[t], all_actions[t] = state, action
        state = _cart_pole_step(state, np.where(action == 1, 10.0, -10.0), rng=rng)
        fallen = (np.abs(state[:, 0]) > 2.4) | (np.abs(state[:, 2]) > 0.21)
        length = np.where(fallen, np.minimum(length, t + 1), length)
    return all_states, all_actions, length


def _cart_pole_step(state: Floats, force: Floats, *, rng: Rng) -> Floats:
    """Euler step of the textbook cart-pole (1 kg cart, 0.1 kg pole of 1 m, 20 ms) with shoves."""
    x, speed, angle, spin = state.T
    sin, cos = np.sin(angle), np.cos(angle)
    push = (force + 0.05 * spin**2 * sin) / 1.1
    turn = (9.8 * sin - cos * push) / (0.5 * (4 / 3 - 0.1 * cos**2 / 1.1))
    slide = push - 0.05 * turn * cos / 1.1
    shove = 0.15 * rng.standard_normal((2, len(x)))
    speed_after, spin_after = speed + 0.02 * slide + shove[0], spin + 0.02 * turn + shove[1]
    return np.column_stack([x + 0.02 * speed, speed_after, angle + 0.02 * spin, spin_after])


@family
def continuous_action(n: int = 10_000, *, seed: int = 0, noise: int = 3) -> Labelled:
    """A pendulum driven by a smooth noisy torque of its angle's cosine and sine and its velocity.

    Cosine and sine determine each other up to sign, and the torque needs both signs, so all three are kept.
    """
    rng = generator(seed)
    steps = Steps(n, 200, rng)
    count = steps.count
    angle, velocity = rng.uniform(-np.pi, np.pi, count), rng.uniform(-4, 4, count)
    states, torques = np.empty((steps.length, count, 3)), np.empty((steps.length, count))
    for t in range(steps.length):
        states[t] = np.column_stack([np.cos(angle), np.sin(angle), velocity])
        cos, sin, _ = states[t].T
        exact = 2 * np.tanh(-1.0 * sin - 0.15 * velocity + 0.8 * cos)
        torques[t] = exact + 0.3 * rng.standard_normal(count)
        shove = 0.5 * rng.standard_normal(count)
        velocity = np.clip(velocity + 0.05 * (15 * np.sin(angle) + 3 * torques[t]) + shove, -8, 8)
        angle = angle + 0.05 * velocity
    columns = dict(zip(PENDULUM, steps.in_order(states).T, strict=True))
    columns |= {f"noise_{k}": rng.uniform(-5, 5, n) for k in range(noise)}
    return labelled(columns, steps.in_order(torques), PENDULUM, episodes=steps.episodes)


@family
def three_torques(n: int = 10_000, *, seed: int = 0, noise: int = 4) -> Labelled:
    """Three continuous torques, each a smooth noisy function of two or three of six joint variables."""
    rng = generator(seed)
    steps = Steps(n, n, rng)
    joints = steps.moving(6, 0.5)
    exact = np.column_stack(
        [
            np.tanh(joints[:, 0] - joints[:, 1]),
            joints[:, 2] * np.cos(joints[:, 3]),
            0.7 * joints[:, 4] + 0.5 * np.abs(joints[:, 5]) + 0.3 * joints[:, 0],
        ]
    )
    needed = numbered("joint_", joints)
    columns = needed | numbered("noise_", steps.moving(noise, 0.5))
    return labelled(
        columns,
        exact + 0.3 * rng.standard_normal((n, 3)),
        needed,
        rng=rng,
        episodes=equal_episodes(n, max(1, n // 100)),
    )
