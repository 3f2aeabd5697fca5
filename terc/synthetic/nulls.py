"""Noise and nulls: data sets in which nothing, or nothing but three variables, may be kept."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from terc.arrays import Floats
from terc.seeding import generator
from terc.synthetic.columns import (
    at_least,
    by_odds,
    draw,
    equal_episodes,
    family,
    labelled,
    mixed_noise,
    numbered,
    one_of,
    walk,
)
from terc.synthetic.labelled import Labelled
from terc.synthetic.series import Steps

COLUMNS = ("independent", "ar", "walk", "trend", "constant")


@family
def nulls(  # noqa: PLR0913  (each is one property of the null; all but the size are keywords)
    n: int = 5_000,
    *,
    seed: int = 0,
    columns: str = "mixed",
    episodes: int = 60,
    effect: float = 0.0,
    drift: float = 0.0,
    slow: float = 0.0,
    continuous: bool = False,
    tails: float = 0.0,
    count: int = 12,
) -> Labelled:
    """`count` columns and an action that does not depend on them.

    Args:
        columns: "independent", "ar" (each step keeps 0.99), "walk" (random walks from each episode's
            beginning), "trend" (a slope of its own in each episode), "constant" (within an episode),
            "mixed": these by turns, or "labels": thirty of them, the same throughout an episode.
        effect: Spread of an unrecorded effect of the episode on the action's log-odds (or mean).
        drift: Spread of a slow drift across episodes of the action, and of another one of each column.
        slow: Share that the action's own unrecorded cause keeps of the step before; 0 for none.
        tails: Degrees of freedom of Student's t from which the number is drawn; 0 for a normal.
    """
    one_of("nulls", "columns", columns, (*COLUMNS, "mixed", "labels"))
    at_least("nulls", "episodes", episodes, 1)
    rng = generator(seed)
    steps = Steps(n, -(-n // episodes), rng)
    kinds = COLUMNS if columns == "mixed" else (columns,)
    states = np.column_stack([steps.in_order(_series(kinds[k % len(kinds)], steps)) for k in range(count)])
    score = effect * rng.standard_normal(steps.count)[steps.episodes]
    if slow:
        score += 1.5 * steps.one(slow)
    if drift:
        drifts = Steps(steps.count, steps.count, rng).moving(count + 1, 0.97)[steps.episodes]
        score += drift * drifts[:, 0]
        states += drift * states.std(axis=0) * drifts[:, 1:]
    luck = rng.standard_t(tails, n) if tails else rng.standard_normal(n)
    actions = score + luck if continuous else draw(by_odds(score), rng=rng)
    noise = numbered("noise_", states)
    nominal = tuple(noise) if columns == "labels" else ()
    return labelled(noise, actions, (), rng=rng, episodes=steps.episodes, nominal=nominal)


def _series(kind: str, steps: Steps) -> Floats:
    """One variable `[length, episodes]` of a kind."""
    rng, shape = steps.rng, (steps.length, steps.count)
    if kind == "independent":
        return rng.standard_normal(shape)
    if kind == "ar":
        return steps.smooth(0.99)[:, :, 0]
    if kind == "walk":
        return np.cumsum(rng.standard_normal(shape), axis=0)
    if kind == "trend":
        slope = 1 + rng.standard_normal(steps.count)
        return np.linspace(0, 4, steps.length)[:, None] * slope + 0.3 * rng.standard_normal(shape)
    held = rng.integers(0, 30, steps.count) if kind == "labels" else rng.standard_normal(steps.count)
    return np.tile(held.astype(np.float64), (steps.length, 1))


def _case(columns: str, episodes: int, **settings: Any) -> tuple[str, Callable[..., Labelled]]:
    """A name that says what is in it, and the data set."""
    words = {
        "effect": "effect",
        "drift": "drift",
        "slow": "slow action",
        "continuous": "continuous action",
        "tails": "heavy tails",
    }
    said = [columns, f"{episodes} episode{'s' if episodes > 1 else ''}", *(words[key] for key in settings)]
    return ", ".join(said), partial(nulls, columns=columns, episodes=episodes, **settings)


NULLS: dict[str, Callable[..., Labelled]] = dict(
    [
        *(_case("independent", episodes) for episodes in (12, 60)),
        *(_case("independent", episodes, effect=1.0) for episodes in (30, 200)),
        *(_case("ar", episodes, effect=1.0) for episodes in (12, 60)),
        *(_case("ar", episodes) for episodes in (30, 200)),
        *(_case("walk", episodes) for episodes in (12, 60)),
        *(_case("walk", episodes, effect=1.0) for episodes in (30, 200)),
        *(_case("trend", episodes, effect=1.0) for episodes in (12, 60)),
        *(_case("trend", episodes) for episodes in (30, 200)),
        *(_case("constant", episodes) for episodes in (12, 30, 60, 200)),
        *(_case("constant", episodes, effect=1.0) for episodes in (12, 60, 200)),
        *(_case("mixed", episodes) for episodes in (12, 60)),
        *(_case("mixed", episodes, effect=1.0) for episodes in (12, 30, 60, 200)),
        *(_case(columns, 1, slow=0.95) for columns in ("independent", "ar", "walk", "trend")),
        *(_case("mixed", episodes, drift=1.0) for episodes in (12, 30, 60, 200)),
        _case("ar", 30, slow=0.97),
        _case("walk", 60, slow=0.97),
        _case("ar", 60, effect=1.0, continuous=True),
        _case("independent", 200, continuous=True),
        _case("mixed", 60, continuous=True, tails=2.0),
        _case("labels", 200, effect=1.0),
        _case("labels", 200, effect=1.0, continuous=True),
    ]
)
"""44 null data sets by name: the right answer of each is to keep nothing."""

NULLS_SET_ASIDE: dict[str, Callable[..., Labelled]] = dict(
    [
        _case("independent", 60, effect=1.0),
        _case("ar", 200, effect=1.0),
        _case("constant", 30, effect=1.0),
        _case("trend", 12, slow=0.97),
        _case("walk", 1),
        _case("constant", 60, drift=1.0),
        _case("constant", 12, effect=1.0, continuous=True),
        _case("mixed", 30, effect=1.0, continuous=True),
        _case("walk", 30, drift=1.0, continuous=True),
        _case("mixed", 200, slow=0.97),
    ]
)
"""Ten more, for final tables: never tune on these."""


@family
def pure_noise(n: int = 10_000, *, seed: int = 0, noise: int = 25) -> Labelled:
    """Independent columns of mixed kinds (numbers, bits, heavy tails, labels) beside a random action."""
    rng = generator(seed)
    columns, nominal = mixed_noise(n, noise, rng=rng)
    return labelled(columns, rng.integers(0, 4, n), (), nominal=nominal)


@family
def drifting_noise(n: int = 10_000, *, seed: int = 0, noise: int = 25, episodes: int = 50) -> Labelled:
    """Random walks that start over in each episode, beside a sticky action that does not depend on them.

    The action repeats the one before in 95 % of steps, so within an episode it goes along with some walk
    by chance: only a test that counts episodes instead of steps is not misled.
    """
    rng = generator(seed)
    number = equal_episodes(n, episodes)
    first = np.diff(number, prepend=-1) > 0
    steps = rng.standard_normal((n, noise)) * np.where(first, 3.0, 1.0)[:, None]
    walks = walk(steps, number)
    # A sticky bit: each episode draws its first action, later steps switch with probability 0.05.
    switches = np.where(first, rng.random(n) < 0.5, rng.random(n) < 0.05)
    actions = walk(switches.astype(np.float64), number).astype(np.int64) % 2
    return labelled(numbered("walk_", walks), actions, (), episodes=number)


@family
def noise_beside_deterministic(
    n: int = 10_000, *, seed: int = 0, noise: int = 25, with_probabilities: bool = False
) -> Labelled:
    """A policy without any randomness of its own on three normal variables, beside `noise` mixed columns."""
    rng = generator(seed)
    x = rng.standard_normal((n, 3))
    scores = np.column_stack([x[:, 0] + 0.5 * x[:, 1], x[:, 1] - x[:, 2], x[:, 0] * x[:, 2]])
    actions = scores.argmax(axis=1)
    needed = numbered("x", x)
    others, nominal = mixed_noise(n, noise, rng=rng)
    probabilities = np.eye(3)[actions] if with_probabilities else None
    return labelled(needed | others, actions, needed, rng=rng, nominal=nominal, probabilities=probabilities)
