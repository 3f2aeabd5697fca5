"""Tables 1 and 2: how much faster is a policy that reads fewer variables?

The time of a call depends on the shape of the network and not on its weights, so fresh networks of the
printed shape are timed: one hidden layer of 64, ReLU (Pendulum: tanh). Full and reduced take turns, call by
call.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from terc import figures
from terc.agents.network_policy import NetworkPolicy
from terc.agents.policy import PolicySpec
from terc.figures.inference_times import InferenceTime
from terc.paper.claims import Claim
from terc.paper.experiment import Experiment
from terc.paper.scale import Scale
from terc.pipeline.inference import BATCHES, Inference, time_policies
from terc.reporting.pictures import Picture
from terc.store import Store, Task

HIDDEN = 64


@dataclass(frozen=True)
class NetworkPair:
    """One row of a table.

    Attributes:
        where: Which table.
        title: The world.
        full: Variables of the full state.
        reduced: Variables of the reduced state.
        outputs: Actions, or numbers of the continuous action.
        printed: Batch size -> printed speed-up.
        continuous: Whether the action is.
    """

    where: str
    title: str
    full: int
    reduced: int
    outputs: int
    printed: Mapping[int, float]
    continuous: bool = False


ROWS = {
    "secret-key-25": NetworkPair("Table 1", "Secret Key, 25 to 3", 25, 3, 81, {1: 1.43, 64: 1.47}),
    "secret-key-50": NetworkPair("Table 1", "Secret Key, 50 to 3", 50, 3, 81, {1: 2.60, 64: 2.20}),
    "cart-pole": NetworkPair("Table 2", "Cart Pole, 7 to 4", 7, 4, 2, {1: 1.16, 64: 1.33}),
    "lunar-lander": NetworkPair("Table 2", "Lunar Lander, 11 to 8", 11, 8, 4, {1: 1.10, 64: 1.25}),
    "pendulum": NetworkPair("Table 2", "Pendulum, 6 to 3", 6, 3, 1, {1: 1.05, 64: 1.03}, continuous=True),
}


def _tasks(scale: Scale, store: Store) -> list[Task]:
    return [
        Task(
            f"inference/{name}/{seed}",
            f"inference: {row.title}, networks {seed + 1}",
            timed,
            {"row": name, "seed": seed, "calls": scale.calls},
            code=(time_policies.__module__,),
            alone=True,
        )
        for name, row in ROWS.items()
        for seed in range(scale.timings)
    ]


def timed(store: Store, key: str, *, row: str, seed: int, calls: int) -> dict[str, Any]:
    """Times of one full and one reduced network."""
    rng, world = np.random.default_rng(seed), ROWS[row]
    sizes = {"full": world.full, "reduced": world.reduced}
    policies = {state: network(inputs, world, rng=rng) for state, inputs in sizes.items()}
    states = {state: rng.random((64, inputs)) for state, inputs in sizes.items()}
    return time_policies(policies, states, calls=calls).to_dict()


def network(inputs: int, row: NetworkPair, *, rng: np.random.Generator) -> NetworkPolicy:
    """A fresh network of the printed shape.

    Example:
        >>> policy = network(3, ROWS["cart-pole"], rng=np.random.default_rng(0))
        >>> [weights.shape for weights, _ in policy.layers]
        [(3, 64), (64, 2)]
    """
    shapes = ((inputs, HIDDEN), (HIDDEN, row.outputs))
    layers = tuple(
        (
            rng.standard_normal(shape, np.float32) / np.float32(np.sqrt(shape[0])),
            np.zeros(shape[1], np.float32),
        )
        for shape in shapes
    )
    if row.continuous:
        spec = PolicySpec(None, inputs, action_size=row.outputs)
        bounds = np.array([[-2.0], [2.0]], np.float32).repeat(row.outputs, 1)
        return NetworkPolicy(spec, layers, "tanh", log_std=np.zeros(row.outputs, np.float32), bounds=bounds)
    return NetworkPolicy(PolicySpec(None, inputs, n_actions=row.outputs), layers)


def _found(scale: Scale, store: Store, name: str) -> list[Inference]:
    return [Inference.from_dict(store[f"inference/{name}/{seed}"]) for seed in range(scale.timings)]


def _claims(scale: Scale, store: Store) -> list[Claim]:
    cells = [_cell(scale, store, name, batch) for name in ROWS for batch in BATCHES]
    return [*cells, _by_size(scale, store), _framework(scale, store)]


def _ratios(scale: Scale, store: Store, name: str, batch: int) -> list[tuple[float, float, float]]:
    return [
        (one.ratio, one.low, one.high)
        for found in _found(scale, store, name)
        for one in found.speed_up
        if (one.runtime, one.batch) == (found.reference, batch)
    ]


def _cell(scale: Scale, store: Store, name: str, batch: int) -> Claim:
    row = ROWS[name]
    ratios = np.array(_ratios(scale, store, name, batch))
    ratio, low, high = (float(value) for value in np.median(ratios, axis=0))
    printed = row.printed[batch]
    agrees = low <= printed <= high
    why = (
        "" if agrees else "Full and reduced timed turn by turn on one thread; overhead outweighs the inputs."
    )
    return Claim.checked(
        row.where,
        f"{row.title}, B = {batch}: {printed:.2f} times faster.",
        f"{ratio:.2f} times [{low:.2f}, {high:.2f}] in {_found(scale, store, name)[0].reference}",
        agrees,
        why,
    )


def _by_size(scale: Scale, store: Store) -> Claim:
    gains = {
        name: float(np.median([ratio for ratio, _, _ in _ratios(scale, store, name, 64)])) for name in ROWS
    }
    left = {name: row.full / row.reduced for name, row in ROWS.items()}
    order = sorted(ROWS, key=lambda name: left[name])
    rising = np.corrcoef([left[name] for name in order], [gains[name] for name in order])[0, 1]
    each = ", ".join(f"{ROWS[name].title} {gains[name]:.2f}" for name in order)
    return Claim.checked(
        "7.5",
        "The gain grows with the share of variables removed.",
        f"B = 64, by falling share kept: {each} (correlation {rising:.2f})",
        bool(rising > 0.5),
    )


def _framework(scale: Scale, store: Store) -> Claim:
    gain = float(np.median([found.gain() or np.nan for found in _found(scale, store, "secret-key-50")]))
    ratio = float(np.median([r for r, _, _ in _ratios(scale, store, "secret-key-50", 1)]))
    return Claim.checked(
        "Abstract",
        "A smaller state makes inference up to 2.6 times faster.",
        f"50 to 3 keys at B = 1: {ratio:.2f} times by fewer inputs, {gain:.1f} times if the "
        "smaller policy also leaves the framework",
        ratio >= 2.6,
        "Most of the time of such a call is the framework's.",
    )


def _pictures(scale: Scale, store: Store) -> list[Picture]:
    pictures = []
    for name, row in ROWS.items():
        rows: tuple[InferenceTime, ...] = _found(scale, store, name)[0].rows
        words = "Median over the calls with quartiles; ticks are the fastest call."
        draw = partial(figures.inference_times, rows)
        pictures.append(Picture(f"inference-{name}", f"Inference: {row.title}", words, draw))
    return pictures


EXPERIMENT = Experiment("inference", "Inference time", (_tasks,), _claims, _pictures)
