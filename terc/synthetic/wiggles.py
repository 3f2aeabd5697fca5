"""Wiggles: a number that acts through where it falls in a period, not through how large it is."""

import numpy as np

from terc.synthetic.columns import by_odds, mostly, numbered
from terc.synthetic.labelled import Labelled
from terc.synthetic.series import Steps, kind


@kind()
def comb(steps: Steps, noise: int = 9) -> Labelled:
    """Two actions by turns along the teeth, each a quarter wide, of one normal `position`; a slip in 9 %.

    There are twenty teeth within 2.5 standard deviations, and no low power of the position is associated
    with the action.
    """
    position = steps.rng.standard_normal(steps.n)
    teeth = np.floor(4 * position).astype(np.int64) % 2
    return steps.drawn({"position": position} | steps.noise(noise), ["position"], mostly(teeth, 2, 0.09))


@kind(50, probabilities=None)
def wave_torque(steps: Steps, noise: int = 8) -> Labelled:
    """A torque sin(6 phase) + 0.5 load + noise, over five periods of a uniform `phase`."""
    needed = {"phase": steps.rng.uniform(-2.6, 2.6, steps.n), "load": steps.one(0.8)}
    jitter = 0.35 * steps.rng.standard_normal(steps.n)
    torque = np.sin(6 * needed["phase"]) + 0.5 * needed["load"] + jitter
    return steps.taken(needed | steps.noise(noise), needed, torque)


@kind(80)
def room_and_place(steps: Steps, rooms: int = 7, noise: int = 8) -> Labelled:
    """One column codes 40 x room + place; each room has its own threshold in place, and its own direction.

    The log-odds are 2.4 above the room's threshold and -2.4 below (the other way round in every second
    room), plus `energy`.
    """
    n, rng = steps.n, steps.rng
    moves = (rng.random(n) < 0.06) | (np.diff(steps.episodes, prepend=-1) > 0)
    room = rng.integers(0, rooms, n)[np.maximum.accumulate(np.where(moves, np.arange(n), 0))]
    place, energy = rng.uniform(0, 10, n), rng.standard_normal(n)
    cuts = rng.permutation(np.linspace(2.5, 7.5, rooms))
    side = np.where(place > cuts[room], 1.0, -1.0) * np.where(room % 2 == 0, 1.0, -1.0)
    needed = {"where": 40.0 * room + place, "energy": energy}
    return steps.drawn(needed | steps.noise(noise), needed, by_odds(2.4 * side + energy))


@kind(50)
def proxy_of_a_wiggle(steps: Steps, noise: int = 7) -> Labelled:
    """The action follows sin(4.5 z) and w; a noisy reading of sin(4.5 z) stands beside z and adds nothing.

    Two such proxies, one of sin and one of |sin|: given z both are independent of the action.
    """
    z, w = steps.moving(2, 0.6).T
    wiggle = np.sin(4.5 * z)
    proxies = {
        "reading": wiggle + 0.4 * steps.rng.standard_normal(steps.n),
        "strength": np.abs(wiggle) + 0.2 * steps.rng.standard_normal(steps.n),
    }
    needed = {"z": z, "w": w}
    return steps.drawn(needed | proxies | steps.noise(noise), needed, by_odds(3 * wiggle + 1.2 * w))


@kind(100)
def sum_modulo_one(steps: Steps, noise: int = 6) -> Labelled:
    """Twice the sum of three uniform numbers, modulo one, is above a half; a slip in 5 %. No two show it."""
    x = steps.rng.random((steps.n, 3))
    side = (2 * x.sum(axis=1) % 1 > 0.5).astype(np.int64)
    needed = numbered("x", x)
    return steps.drawn(needed | steps.noise(noise), needed, mostly(side, 2, 0.05))


@kind(120)
def time_of_day(steps: Steps, noise: int = 6) -> Labelled:
    """Heating that is on in the morning and the evening, by a clock that counts the hours of five days.

    `clock` runs on from an episode's first hour; `day` is its whole days and `daylight` a noisy reading of
    the sun, and neither adds anything to it. The other cause is how `cold` it is.
    """
    clock = steps.in_order(np.arange(steps.length)[:, None] + steps.rng.uniform(0, 24, steps.count))
    needed = {"clock": clock, "cold": steps.one(0.85)}
    hour = clock % 24
    at_home = ((hour >= 5) & (hour < 10)) | ((hour >= 16) & (hour < 23))
    sun = np.maximum(0.0, np.sin(np.pi * (hour - 6) / 12))
    others = {
        "day": np.floor(clock / 24),
        "daylight": sun + 0.25 * steps.rng.standard_normal(steps.n),
        "occupied_next_door": steps.in_order(steps.sticky(0.9))[:, 0],
    }
    odds = np.where(at_home, 2.0, -2.0) + 1.1 * needed["cold"]
    return steps.drawn(needed | others | steps.noise(noise), needed, by_odds(odds))


@kind(60)
def rings(steps: Steps, noise: int = 7) -> Labelled:
    """Rings around the origin of the plane of x and y, half a unit wide each, by turns; a slip in 8 %."""
    x, y = steps.rng.uniform(-2, 2, (2, steps.n))
    ring = np.floor(2 * np.hypot(x, y)).astype(np.int64) % 2
    needed = {"x": x, "y": y}
    return steps.drawn(needed | steps.noise(noise), needed, mostly(ring, 2, 0.08))


@kind()
def tilted_stripes(steps: Steps, noise: int = 8) -> Labelled:
    """Stripes across the plane of x and y: the action is the sign of sin(2.2 (x + y)), a slip in 8 %."""
    x, y = steps.rng.uniform(-2, 2, (2, steps.n))
    stripe = (np.sin(2.2 * (x + y)) > 0).astype(np.int64)
    needed = {"x": x, "y": y}
    return steps.drawn(needed | steps.noise(noise), needed, mostly(stripe, 2, 0.08))
