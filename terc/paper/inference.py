"""Tables 1 and 2: how much faster is a policy that reads fewer variables?

The time of a call depends on the shape of the network and not on its weights, so fresh networks of the
printed shape are timed: one hidden layer of 64, ReLU (Pendulum: tanh). Full and reduced take turns, call by
call.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import stats

from terc import figures
from terc.agents.network_policy import NetworkPolicy
from terc.agents.policy import PolicySpec
from terc.figures.inference_times import InferenceTime
from terc.paper.claims import Claim, Side, checked, seeds
from terc.paper.experiment import Experiment, Pictures
from terc.paper.scale import Scale
from terc.pipeline.inference import BATCHES, Inference, time_policies
from terc.plurals import some
from terc.reporting.pictures import Picture
from terc.store import Store, Task

HIDDEN = 64
ONE_INPUT = "one-input"
"""Task that shows the most that fewer inputs can save: all but one are removed."""


@dataclass(frozen=True)
class NetworkPair:
    """One row of a table.

    Attributes:
        outputs: Actions, or numbers of the continuous action.
        printed: Batch size -> printed speed-up.
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
    tasks, code = [], (time_policies.__module__,)
    for name, row in ROWS.items():
        pairs = [(f"{seed}", f"networks {seed + 1}", seed, row.reduced) for seed in range(scale.timings)]
        for key, words, seed, reduced in [*pairs, (ONE_INPUT, "one input left", 0, 1)]:
            options = {"row": name, "seed": seed, "calls": scale.calls, "reduced": reduced}
            key, words = f"inference/{name}/{key}", f"inference: {row.title}, {words}"
            tasks.append(Task(key, words, timed, options, code=code, alone=True))
    return tasks


def timed(store: Store, key: str, *, row: str, seed: int, calls: int, reduced: int) -> dict[str, Any]:
    """Times of one full network and of one with fewer inputs."""
    rng, world = np.random.default_rng(seed), ROWS[row]
    sizes = {"full": world.full, "reduced": reduced}
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
    weights = [rng.standard_normal(shape, np.float32) / np.float32(np.sqrt(shape[0])) for shape in shapes]
    layers = tuple((one, np.zeros(one.shape[1], np.float32)) for one in weights)
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


def arithmetic_limit(row: NetworkPair) -> float:
    """The most that fewer inputs can save: multiplications of the full network over those of the reduced.

    Example:
        >>> [round(arithmetic_limit(ROWS[f"secret-key-{keys}"]), 2) for keys in (25, 50)]
        [1.26, 1.56]
    """
    return (row.full + row.outputs) / (row.reduced + row.outputs)


def _ratios(found_by: list[Inference], batch: int) -> dict[str, tuple[float, float, float]]:
    """Runtime -> speed-up and the ends of its spread, each the median over the networks."""
    found: dict[str, list[tuple[float, float, float]]] = {}
    for one in found_by:
        for up in one.speed_up:
            if up.batch == batch:
                found.setdefault(up.runtime, []).append((up.ratio, up.low, up.high))
    medians = {runtime: np.median(np.array(each), axis=0) for runtime, each in found.items()}
    return {runtime: (float(m[0]), float(m[1]), float(m[2])) for runtime, m in medians.items()}


def _who(scale: Scale) -> str:
    return f"{some(scale.timings, 'network')}, {scale.calls:,} calls each, {seeds(scale.timings)}"


def _cell(scale: Scale, store: Store, name: str, batch: int) -> Claim:
    row, limit = ROWS[name], arithmetic_limit(ROWS[name])
    ratios, printed = _ratios(_found(scale, store, name), batch), row.printed[batch]
    most = _ratios([Inference.from_dict(store[f"inference/{name}/{ONE_INPUT}"])], batch)
    who = _who(scale)
    sums = f"({row.full} + {row.outputs}) / ({row.reduced} + {row.outputs}) = {limit:.2f}"
    above = f"Above the {sums} that arithmetic allows. " if printed > limit else ""

    def side(runtimes: list[str]) -> Side | None:
        there = {runtime: ratios[runtime] for runtime in runtimes if runtime in ratios}
        if not there:
            return None
        holds = [low for _, low, high in there.values() if low <= printed <= high]
        # A spread that holds no gain at all as well as the printed one decides nothing.
        agrees = None if holds and max(holds) <= 1.0 else bool(holds)
        each = (f"{runtime} {r:.2f} [{low:.2f}, {high:.2f}]" for runtime, (r, low, high) in there.items())
        text, runtime = "; ".join(each), next(iter(there))
        left = f"Timed with all inputs but one removed: {runtime} {most[runtime][0]:.2f} times faster"
        return checked(text, agrees, who, cause=f"{above}{left} (B = {batch}).").by("timing")

    statement = f"{row.title}, B = {batch}: {printed:.2f} times faster (arithmetic allows {limit:.2f})."
    return Claim(row.where, statement, side(["torch"]), side(["numpy", "onnxruntime"]))


def _by_size(scale: Scale, store: Store) -> Claim:
    limits = [arithmetic_limit(row) for row in ROWS.values()]

    def side(runtime: str) -> Side | None:
        gains = [_ratios(_found(scale, store, name), 64).get(runtime) for name in ROWS]
        if None in gains:
            return None
        rank = stats.spearmanr(limits, [one[0] for one in gains if one])
        each = ", ".join(f"{one[0]:.2f}" for one in gains if one)
        text = f"{runtime}, B = 64: {each}; rank correlation {rank.statistic:.2f} with what arithmetic allows"
        verdict = True if rank.pvalue < 0.05 and rank.statistic > 0 else None
        return checked(text, verdict, f"{len(ROWS)} worlds, {_who(scale)}").by("timing")

    statement = "The gain grows with the share of variables removed."
    return Claim("Table 2", statement, side("torch"), side("numpy"))


def _framework(scale: Scale, store: Store) -> Claim:
    gain = float(np.median([found.gain() or np.nan for found in _found(scale, store, "secret-key-50")]))
    ratios = [_ratios(_found(scale, store, "secret-key-50"), batch) for batch in BATCHES]
    best = max(ratio[0] for each in ratios for ratio in each.values())
    text = f"50 to 3 keys: at most {best:.2f} by fewer inputs; {gain:.1f} by leaving the framework too"
    cause = f"Arithmetic allows {arithmetic_limit(ROWS['secret-key-50']):.2f}."
    side = checked(text, best >= 2.6, _who(scale), cause=cause)
    statement = "A smaller state makes inference up to 2.6 times faster (abstract)."
    return Claim("Table 1", statement, side.by("timing"), None)


def _pictures(scale: Scale, store: Store) -> Pictures:
    found: Pictures = []
    for name, row in ROWS.items():
        rows: tuple[InferenceTime, ...] = _found(scale, store, name)[0].rows
        words = "The first pair of networks: median over calls with quartiles; ticks are the fastest call."
        draw = partial(figures.inference_times, rows)
        found.append((row.where, Picture(f"inference-{name}", f"Inference: {row.title}", words, draw)))
    return found


EXPERIMENT = Experiment("inference", (_tasks,), _claims, _pictures)
