"""Episodes: one long or few, drifting, with contexts, moods and offsets that last a whole episode."""

from dataclasses import replace

import numpy as np

from terc.synthetic.columns import by_odds, numbered, softmax
from terc.synthetic.labelled import Labelled
from terc.synthetic.series import Steps, kind


def _at_most(steps: Steps, episodes: int) -> Steps:
    """The steps in that many episodes, or fewer where they do not fill them."""
    return replace(steps, length=-(-steps.n // episodes))


def _at_least(steps: Steps, episodes: int) -> Steps:
    """The steps in that many episodes, or one more for the rest."""
    return replace(steps, length=max(1, steps.n // episodes))


@kind()
def one_long_episode(steps: Steps, noise: int = 10) -> Labelled:
    """A single episode of slow variables, of which three act; the noise is as slow."""
    steps = _at_most(steps, 1)
    x = steps.moving(3 + noise, 0.97)
    needed = dict(zip(["depth", "heading", "fuel"], x.T, strict=False))
    scores = np.column_stack([1.8 * x[:, 0], 1.6 * x[:, 1], 1.4 * np.abs(x[:, 2])])
    return steps.drawn(needed | numbered("noise_", x[:, 3:]), needed, softmax(scores))


@kind()
def few_long_episodes(steps: Steps, episodes: int = 12, noise: int = 8) -> Labelled:
    """Twelve long episodes of a policy on three variables, beside slow noise and four held columns."""
    steps = _at_most(steps, episodes)
    x = steps.moving(3, 0.9)
    needed = numbered("x", x)
    odds = 1.8 * x[:, 0] - 1.5 * x[:, 1] + 1.2 * x[:, 0] * x[:, 2]
    return steps.drawn(needed | steps.held(4) | steps.noise(noise), needed, by_odds(odds))


@kind()
def context_per_episode(steps: Steps, episodes: int = 250, noise: int = 6) -> Labelled:
    """The agent moves towards a `goal`, drawn for each of 250 episodes; other held columns do not act."""
    steps = _at_least(steps, episodes)
    goal = steps.rng.uniform(-1.5, 1.5, steps.count)[steps.episodes]
    position = steps.one(0.8)
    needed = {"goal": goal, "position": position}
    columns = needed | steps.held(4) | steps.noise(noise)
    return steps.drawn(columns, needed, by_odds(2.5 * (goal - position)))


@kind(80)
def sticky_bits(steps: Steps, noise: int = 10) -> Labelled:
    """The exclusive or of two bits that switch in 4 % of the steps, and `drive`, among other such bits."""
    bits = steps.in_order(steps.sticky(0.96, 2 + noise))
    drive = steps.one(0.8)
    odds = 1.8 * (1 - 2 * (bits[:, 0] != bits[:, 1])) + drive
    return steps.drawn(numbered("bit_", bits) | {"drive": drive}, ["bit_0", "bit_1", "drive"], by_odds(odds))


@kind(125)
def drifting_world(steps: Steps, noise: int = 8) -> Labelled:
    """Variables that drift from episode to episode, of which two act; the noise drifts as much.

    The action drifts too, but only through the two.
    """
    drift = Steps(steps.count, steps.count, steps.rng).moving(2 + noise, 0.95)
    x = steps.moving(2 + noise, 0.7) + drift[steps.episodes]
    return steps.drawn(numbered("x", x), ["x0", "x1"], by_odds(1.6 * x[:, 0] - 1.2 * x[:, 1]))


@kind(probabilities=None)
def unrecorded_mood(steps: Steps, episodes: int = 60, noise: int = 5) -> Labelled:
    """Two variables and a mood of the whole episode, which is not recorded, among columns held as long."""
    steps = _at_most(steps, episodes)
    x = steps.moving(2, 0.8)
    mood = steps.rng.standard_normal(steps.count)[steps.episodes]
    needed = numbered("x", x)
    odds = 1.7 * x[:, 0] + 1.3 * np.abs(x[:, 1]) - 1 + mood
    return steps.drawn(needed | steps.held(6) | steps.noise(noise), needed, by_odds(odds))


@kind()
def sensor_offset(steps: Steps, episodes: int = 250, noise: int = 6) -> Labelled:
    """A reading shifted by an offset of the episode; the agent corrects for the offset, a column of its own.

    The offset alone says nothing about the action.
    """
    steps = _at_least(steps, episodes)
    offset = 1.5 * steps.rng.standard_normal(steps.count)[steps.episodes]
    truth = steps.one(0.7)
    needed = {"reading": truth + offset, "offset": offset}
    return steps.drawn(needed | steps.held(3) | steps.noise(noise), needed, by_odds(2.2 * truth))


@kind(100)
def own_turn(steps: Steps, slots: int = 6, noise: int = 4) -> Labelled:
    """The agent acts at every sixth step of an episode, by `drive`; its `slot` says at which ones."""
    time, drive = np.arange(steps.n) % steps.length, steps.one(0.8)
    slot = steps.rng.integers(0, slots, steps.count)[steps.episodes]
    action = np.where(time % slots == slot, 1 + (drive > 0), 0)
    needed = {"time": time, "slot": slot, "drive": drive}
    return steps.drawn(needed | steps.noise(noise), needed, softmax(4.0 * (action[:, None] == np.arange(3))))


@kind(100, probabilities=None)
def repeated_reference(steps: Steps, noise: int = 5) -> Labelled:
    """Feedback on two errors, and 1.1 % of I(A; X) by an acceleration that every episode repeats."""
    rng, error, rate = steps.rng, steps.one(0.9), steps.one(0.8)
    acceleration = np.sqrt(2) * np.sin(2 * np.pi * (np.arange(steps.n) % steps.length) / 50)
    needed = {"error": error, "error_rate": rate, "acceleration": acceleration}
    torque = 1.5 * error + 0.7 * rate + 0.06 * acceleration + 0.3 * rng.standard_normal(steps.n)
    return steps.taken(needed | steps.noise(noise), needed, torque)


@kind(100)
def alternating_arm(steps: Steps, noise: int = 5) -> Labelled:
    """The left arm in one episode, the right one in the next, which counts for 1.5 % of I(A; X)."""
    target, pull = steps.one(0.8), steps.one(0.7)
    arm = steps.episodes % 2
    needed = {"target": target, "pull": pull, "arm": arm}
    odds = 2.0 * target - 1.4 * pull + 0.58 * (arm - 0.5)
    return steps.drawn(needed | steps.noise(noise), needed, by_odds(odds))
