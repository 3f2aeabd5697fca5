"""Wiggles: a number that acts through where it falls in a period, not through how large it is."""

import numpy as np

from terc.seeding import generator
from terc.synthetic.columns import by_odds, labelled
from terc.synthetic.labelled import Labelled, singles
from terc.synthetic.series import Acted, Rng, distractors, in_order, kind, mostly, moving, runs, sticky


@kind
def comb(n: int, rng: Rng, noise: int = 9) -> Acted:
    """Two actions by turns along the teeth, each a quarter wide, of one normal `position`; a slip in 9 %.

    There are twenty teeth within 2.5 standard deviations, and no low power of the position is associated
    with the action.
    """
    position = rng.standard_normal(n)
    probabilities = mostly(np.floor(4 * position).astype(np.int64) % 2, 2, 0.09)
    columns = {"position": position} | distractors(n, 1, noise, rng=rng)
    return Acted(columns, probabilities, singles(["position"]))


def wave_torque(n: int = 10_000, *, seed: int = 0, noise: int = 8) -> Labelled:
    """A torque sin(6 phase) + 0.5 load + noise, over five periods of a uniform `phase`."""
    rng = generator(seed)
    length = 50
    phase, load = rng.uniform(-2.6, 2.6, n), moving(n, length, 1, 0.8, rng=rng)[:, 0]
    torque = np.sin(6 * phase) + 0.5 * load + 0.35 * rng.standard_normal(n)
    columns = {"phase": phase, "load": load} | distractors(n, length, noise, rng=rng)
    return labelled(columns, torque, singles(["phase", "load"]), rng=rng, episodes=runs(n, length)[1])


@kind
def room_and_place(n: int, rng: Rng, rooms: int = 7, noise: int = 8) -> Acted:
    """One column codes 40 x room + place; each room has its own threshold in place, and its own direction.

    The log-odds are 2.4 above the room's threshold and -2.4 below (the other way round in every second
    room), plus `energy`.
    """
    length = 80
    _, episodes = runs(n, length)
    moves = (rng.random(n) < 0.06) | (np.diff(episodes, prepend=-1) > 0)
    room = rng.integers(0, rooms, n)[np.maximum.accumulate(np.where(moves, np.arange(n), 0))]
    place, energy = rng.uniform(0, 10, n), rng.standard_normal(n)
    cuts = rng.permutation(np.linspace(2.5, 7.5, rooms))
    side = np.where(place > cuts[room], 1.0, -1.0) * np.where(room % 2 == 0, 1.0, -1.0)
    probabilities = by_odds(2.4 * side + energy)
    columns = {"where": 40.0 * room + place, "energy": energy} | distractors(n, length, noise, rng=rng)
    return Acted(columns, probabilities, singles(["where", "energy"]), episodes=episodes)


@kind
def proxy_of_a_wiggle(n: int, rng: Rng, noise: int = 7) -> Acted:
    """The action follows sin(4.5 z) and w; a noisy reading of sin(4.5 z) stands beside z and adds nothing.

    Two such proxies, one of sin and one of |sin|: given z both are independent of the action.
    """
    length = 50
    z, w = moving(n, length, 2, 0.6, rng=rng).T
    wiggle = np.sin(4.5 * z)
    columns = {
        "z": z,
        "w": w,
        "reading": wiggle + 0.4 * rng.standard_normal(n),
        "strength": np.abs(wiggle) + 0.2 * rng.standard_normal(n),
    } | distractors(n, length, noise, rng=rng)
    return Acted(columns, by_odds(3 * wiggle + 1.2 * w), singles(["z", "w"]), episodes=runs(n, length)[1])


@kind
def time_of_day(n: int, rng: Rng, noise: int = 6) -> Acted:
    """Heating that is on in the morning and the evening, by a clock that counts the hours of five days.

    `clock` runs on from an episode's first hour; `day` is its whole days and `daylight` a noisy reading of
    the sun, and neither adds anything to it. The other cause is how `cold` it is.
    """
    length = 120
    count, episodes = runs(n, length)
    clock = in_order(np.arange(length)[:, None] + rng.uniform(0, 24, count), n)
    cold = moving(n, length, 1, 0.85, rng=rng)[:, 0]
    hour = clock % 24
    at_home = ((hour >= 5) & (hour < 10)) | ((hour >= 16) & (hour < 23))
    sun = np.maximum(0.0, np.sin(np.pi * (hour - 6) / 12))
    columns = {
        "clock": clock,
        "cold": cold,
        "day": np.floor(clock / 24),
        "daylight": sun + 0.25 * rng.standard_normal(n),
        "occupied_next_door": in_order(sticky((length, count, 1), 0.9, rng=rng), n)[:, 0],
    } | distractors(n, length, noise, rng=rng)
    return Acted(
        columns,
        by_odds(np.where(at_home, 2.0, -2.0) + 1.1 * cold),
        singles(["clock", "cold"]),
        episodes=episodes,
    )


@kind
def tilted_stripes(n: int, rng: Rng, noise: int = 8) -> Acted:
    """Stripes across the plane of x and y: the action is the sign of sin(2.2 (x + y)), a slip in 8 %."""
    x, y = rng.uniform(-2, 2, (2, n))
    stripe = (np.sin(2.2 * (x + y)) > 0).astype(np.int64)
    columns = {"x": x, "y": y} | distractors(n, 1, noise, rng=rng)
    return Acted(columns, mostly(stripe, 2, 0.08), singles(["x", "y"]))
