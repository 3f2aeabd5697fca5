"""The games of the paper: secret keys among many, and play against Tit-For-N-Tats."""

import numpy as np
from scipy.special import ndtr

from terc.arrays import Booleans, Floats, Integers
from terc.seeding import generator
from terc.synthetic.columns import at_least, family, labelled, numbered, two_sided
from terc.synthetic.labelled import Labelled
from terc.synthetic.series import Steps

LIMIT = 40
"""Guesses run from -40 to 40 and are stored as 0..80."""


@family
def secret_keys(
    n: int = 10_000, *, seed: int = 0, keys: int = 25, noise: float = 0.0, with_probabilities: bool = False
) -> Labelled:
    """Play of the Secret Key Game: the guess is 3 y1 - 3 y2 + y3 for three keys at seeded positions.

    Keys are integers 0..10. The guess carries rounded normal noise of standard deviation `noise` (0: an
    expert), is clipped to -40..40 and stored as 0..80. Each game is an episode of one step.

    Example:
        >>> labelled = secret_keys(100, keys=5)
        >>> y1, y2, y3 = (labelled.data.states[0, labelled.data.column(name)] for (name,) in labelled.answers)
        >>> 3 * y1 - 3 * y2 + y3 + 40 == labelled.data.actions[0]
        np.True_
    """
    at_least("secret_keys", "keys", keys, 3)
    rng = generator(seed)
    states = rng.integers(0, 11, (n, keys))
    positions = rng.choice(keys, 3, replace=False)
    secret = states[:, positions] @ np.array([3, -3, 1])
    guess = np.clip(np.rint(secret + noise * rng.standard_normal(n)), -LIMIT, LIMIT).astype(np.int64)
    return labelled(
        numbered("key_", states),
        guess + LIMIT,
        [f"key_{k}" for k in positions],
        probabilities=_guess_probabilities(noise)[secret + LIMIT] if with_probabilities else None,
    )


def _guess_probabilities(noise: float) -> Floats:
    """`[secret + 40, guess + 40]`: the chance of each guess given the secret, clipping included."""
    span = np.arange(-LIMIT, LIMIT + 1)
    if noise == 0:
        return np.eye(len(span))
    below = ndtr((np.arange(-2 * LIMIT, 2 * LIMIT) + 0.5) / noise)
    # cdf[s, g] is P(guess <= g | s) for every guess but the last, whose bound is 1 because of the clipping.
    cdf = below[(span[None, :-1] - span[:, None]) + 2 * LIMIT]
    edges = np.hstack([np.zeros((len(span), 1)), cdf, np.ones((len(span), 1))])
    return np.diff(edges, axis=1)


@family
def ipd_play(
    n: int = 10_000,
    *,
    seed: int = 0,
    tats: int = 4,
    history: int = 9,
    explore: float = 0.1,
    with_probabilities: bool = False,
) -> Labelled:
    """The best answer to Tit-For-N-Tats, with a share `explore` of its moves reversed.

    The agent cooperates (0) when its last N - 1 moves were all defections (1), otherwise it defects. The
    variables are the last `history` pairs of moves, `pair_1` the most recent, coded own + 2 x opponent's:
    the actions depend on `pair_1` .. `pair_{N-1}` and on no older pair.
    """
    at_least("ipd_play", "tats", tats, 2)
    at_least("ipd_play", "history", history, tats - 1)
    rng = generator(seed)
    steps = Steps(n, -(-n // min(n, 50)), rng)
    # Steps before the recorded ones fill the history and the opponent's memory.
    flips = rng.random((history + tats + steps.length, min(n, 50))) < explore
    own, opponent, planned = play(flips, tats)
    columns = steps.stack(history + 1, pair=own + 2 * opponent)
    del columns["pair_0"]
    p_defect = np.where(steps.in_order(planned) == 1, 1 - explore, explore)
    return labelled(
        columns,
        steps.in_order(own),
        [f"pair_{k}" for k in range(1, tats)],
        episodes=steps.episodes,
        nominal=columns,
        probabilities=two_sided(p_defect) if with_probabilities else None,
    )


@family
def ipd_cycle(n: int = 10_000, *, seed: int = 0, tats: int = 4, history: int = 9) -> Labelled:
    """The pure best cycle against Tit-For-N-Tats: N - 1 defections, one cooperation, for ever.

    Condition 1 of the paper fails here. The pair N steps ago decides alone, and so does one pair of each
    other phase of the cycle; both are accepted. Every single information gain is zero when the history
    covers the cycle twice. `seed` turns the cycle.

    Example:
        >>> cycle = ipd_cycle(100, tats=4)
        >>> cycle.is_exact(["pair_1", "pair_2", "pair_3"]), cycle.is_exact(["pair_8"])
        (True, True)
        >>> cycle.is_exact(["pair_1", "pair_2"])
        False
    """
    at_least("ipd_cycle", "tats", tats, 2)
    at_least("ipd_cycle", "history", history, tats - 1)
    turn = int(generator(seed).integers(tats))
    flips = np.zeros((history + tats + turn + n, 1), dtype=bool)
    own, opponent, _ = play(flips, tats)
    steps = Steps(n, n, generator(seed))
    columns = steps.stack(history + 1, pair=own + 2 * opponent)
    del columns["pair_0"]
    decides, *others = (
        tuple(f"pair_{k}" for k in range(1, history + 1) if k % tats == phase) for phase in range(tats)
    )
    return labelled(
        columns,
        steps.in_order(own),
        others,
        episodes=steps.episodes,
        nominal=columns,
        alternatives=[[decides]] if decides else [],
    )


def play(flips: Booleans, tats: int) -> tuple[Integers, Integers, Integers]:
    """Moves `[T, games]` of agent and opponent, and the agent's intended moves before `flips`.

    The opponent defects in a step when the agent defected in each of the `tats` steps before it.
    """
    own = np.empty(flips.shape, dtype=np.int64)
    opponent, planned = np.empty_like(own), np.empty_like(own)
    streak = np.zeros(flips.shape[1], dtype=np.int64)
    for t, flip in enumerate(flips):
        planned[t] = streak < tats - 1
        own[t] = planned[t] ^ flip
        opponent[t] = streak >= tats
        streak = np.where(own[t] == 1, streak + 1, 0)
    return own, opponent, planned
