"""Recordings of real worlds by policies that read some of the observations: suite `worlds` of accuracy.py.

A random network reads half of the observations that change, and draws its actions; three steps in ten are
random, so that the world moves. Networks are drawn until each of their inputs bears on the action, and is not
nearly a sum of the other observations. What they read is the right answer; an answer that differs may still
be as good, where other observations tell what is missed. Three columns of noise are added.
MuJoCo's worlds are there where it is installed (`pip install 'terc[mujoco]'`).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import partial

import gymnasium
import numpy as np

from terc import Trajectories
from terc.arrays import Array
from terc.environments import Doped
from terc.synthetic.labelled import Labelled, classes

IDS = (
    "CartPole-v1", "Acrobot-v1", "Pendulum-v1", "MountainCarContinuous-v0", "LunarLander-v3",
    "LunarLanderContinuous-v3", "BipedalWalker-v3",
)  # fmt: skip
MUJOCO = ("Hopper-v5", "Walker2d-v5", "HalfCheetah-v5", "Swimmer-v5", "Reacher-v5", "Pusher-v5")
STEPS = 10_000
RANDOM_STEPS = 2_000
"""Random play that shows where observations lie."""
EXPLORED = 0.3
HIDDEN = 16
SPREAD = 0.2
"""Standard deviation of continuous actions, where -1 to 1 is possible."""
LEAST_WORTH = 0.1
"""Share of the change by a whole other state that each input alone must make."""
OWN = 0.3
"""Standard deviation that the other observations must leave of each input, whose own is one."""


def recorded(world: str, n: int = STEPS, *, seed: int) -> Labelled:
    """A recording of a world with what its policy reads."""
    rng = np.random.default_rng([seed, *world.encode()])
    env = Doped(gymnasium.make(world), n=3)
    names = [str(name) for name in env.get_wrapper_attr("variable_names")]
    start = int(rng.integers(2**31))
    env.action_space.seed(start)
    seen = played(env, lambda state: env.action_space.sample(), RANDOM_STEPS, start)[0]
    read, policy = drawn_policy(seen[:, :-3], env.action_space, rng)

    def act(state: Array) -> Array:
        return env.action_space.sample() if rng.random() < EXPLORED else policy(state)

    states, actions, episodes = played(env, act, n, start)
    data = Trajectories(states, actions, episodes=episodes, names=names)
    return Labelled(data, classes(names[j] for j in read))


def drawn_policy(
    seen: Array, space: gymnasium.Space, rng: np.random.Generator
) -> tuple[Array, Callable[[Array], Array]]:
    """Columns that a random policy reads, and the policy."""
    mean, scale = seen.mean(0), seen.std(0)
    moving = np.flatnonzero(scale > 1e-3)
    z = (seen - mean)[:, moving] / scale[moving]
    own = 1 / np.sqrt(np.diag(np.linalg.inv(np.cov(z.T) + 1e-6 * np.eye(len(moving)))))
    open_to = moving[own > OWN]
    discrete = isinstance(space, gymnasium.spaces.Discrete)
    outputs = int(space.n) if discrete else space.shape[0]
    while True:
        count = max(1, min(len(open_to), round(len(moving) / 2)))
        read = np.sort(rng.choice(open_to, count, replace=False))
        into = 1.5 * rng.normal(size=(count, HIDDEN)) / np.sqrt(count)
        out = rng.normal(size=(HIDDEN, outputs)) / np.sqrt(HIDDEN) * (4 if discrete else 1)

        def answers(states: Array, read: Array = read, into: Array = into, out: Array = out) -> Array:
            inputs = ((states[..., read] - mean[read]) / scale[read]).clip(-4, 4)
            return np.asarray(np.tanh(inputs @ into) @ out)

        if worth(answers, seen, read, rng).min() >= LEAST_WORTH:
            break

    def policy(state: Array) -> Array:
        found = answers(state)
        if discrete:
            chance = np.exp(found - found.max())
            return rng.choice(outputs, p=chance / chance.sum())
        drawn = (found + SPREAD * rng.normal(size=outputs)).clip(-1, 1)
        return (space.low + (drawn + 1) / 2 * (space.high - space.low)).astype(space.dtype)

    return read, policy


def worth(answers: Callable[[Array], Array], states: Array, read: Array, rng: np.random.Generator) -> Array:
    """How far answers move when one input is that of another moment, beside all of them."""
    other = states[rng.permutation(len(states))]
    every, moved = np.square(answers(other) - answers(states)).mean(), []
    for j in read:
        changed = states.copy()
        changed[:, j] = other[:, j]
        moved.append(np.square(answers(changed) - answers(states)).mean() / every)
    return np.array(moved)


def played(
    env: gymnasium.Env, act: Callable[[Array], Array], n: int, seed: int
) -> tuple[Array, Array, Array]:
    """States, actions and episodes of `n` steps."""
    states, actions, episodes = [], [], []
    state, episode = env.reset(seed=seed)[0], 0
    for _ in range(n):
        action = act(state)
        states.append(state)
        actions.append(action)
        episodes.append(episode)
        state, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            state, episode = env.reset()[0], episode + 1
    return np.array(states), np.array(actions), np.array(episodes)


WORLDS = {
    world: partial(recorded, world)
    for world in (*IDS, *(MUJOCO if importlib.util.find_spec("mujoco") else ()))
}
"""Per world what makes a recording of it, from a number of steps and a seed."""
