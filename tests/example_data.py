"""Example results to try the pictures and the report on. Plausible, but measured by nobody."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

from terc.figures.inference_times import InferenceTime
from terc.redundancy.condition_1 import Condition1
from terc.redundancy.history_length import HistoryLength, LagGain
from terc.redundancy.redundancy_index import MostRedundant, PairIndex
from terc.return_comparison import AgentGroup, ReturnComparison, compare_returns
from terc.returns.ablation import Ablation, Unplugging
from terc.returns.confirmation import Confirmation
from terc.returns.front import Frontier, Point
from terc.returns.play import Range, Returns
from terc.returns.verdict import RunVerdict
from terc.selection.result import Interval, Note, Selection, Step, Verdict

_FAILS = Note("doubt", "condition-1", "Condition 1 fails.")


def _needed(name: str, gain: float, acts: str = "alone", half: float = 0.0) -> Verdict:
    half = half or 0.01 + 0.04 * gain
    return Verdict(
        name, gain, gain - half, gain + half, 0.004, 0.0005, True, "needed", instrument="networks",
        alone=gain * 0.7 if acts == "alone" else 0.001, acts=acts,
    )  # fmt: skip


def _unused(name: str, gain: float = 0.0, reason: str = "irrelevant", given: tuple[str, ...] = ()) -> Verdict:
    alone = 0.31 if given else 0.0005
    return Verdict(
        name, gain, gain - 0.003, gain + 0.003, 0.004, 0.62, False, reason, given=given,
        instrument="networks", alone=alone,
    )  # fmt: skip


def cart_pole() -> Selection:
    """Four true variables kept, three noise variables removed.

    Example:
        >>> cart_pole().kept
        ('x', 'x_dot', 'theta', 'theta_dot')
    """
    kept = [
        _needed("x", 0.021),
        _needed("x_dot", 0.094),
        _needed("theta", 0.187),
        _needed("theta_dot", 0.312),
    ]
    noise = [_unused("noise_0", 0.0004), _unused("noise_1", -0.0011), _unused("noise_2", 0.0009)]
    path = (
        Step(("noise_0", "noise_1", "noise_2"), 4, 0.0007, 0.71, True, "no loss"),
        *(Step((v.name,), 3, v.gain, 0.0005, False, "loss is certain") for v in kept),
    )
    return Selection(
        (*kept, *noise), path, Interval(0.996, 0.991, 0.999), 0.571, 0.689, 10_000, 52, "sequential",
        "predictive",
        {"alpha": 0.05, "seed": 0, "order": None, "estimator": "auto"}, {"entropy": 6.2, "elimination": 1.9},
        (Note("fact", "predictors", "losses are of the best mixture of predictors: counts, network."),),
    )  # fmt: skip


def copies() -> Selection:
    """One copy and one function of two kept variables, both removed as redundant."""
    rows = (
        _needed("angle", 0.52),
        _unused("angle_deg", 0.0002, "redundant", ("angle",)),
        _needed("side", 0.11, "together"),
        _unused("cos_angle", 0.0011, "redundant", ("angle", "side")),
        replace(_unused("wind", 0.0032), high=0.0102, low=-0.0038, undecided=True, steps_needed=46_000),
        _unused("clock", 0.0, "constant"),
    )
    path = (Step(("angle_deg",), 5, 0.0002, 0.9, True, "no loss"), Step(("cos_angle",), 4, 0.001, 0.4, True))
    return Selection(
        rows,
        path,
        Interval(0.981, 0.964, 0.992),
        0.64,
        1.02,
        1_800,
        9,
        notes=(_FAILS,),
    )


def secret_keys(count: int = 50, *, seed: int = 0) -> Selection:
    """Three secret keys among `count`; the others are decoys."""
    rng = np.random.default_rng(seed)
    secret = {1: 1.32, 5: 1.61, count - 1: 0.84}
    rows = tuple(
        _needed(f"key_{i}", secret[i], "together")
        if i in secret
        else _unused(f"key_{i}", rng.normal(0, 0.0012))
        for i in range(count)
    )
    decoys = tuple(v.name for v in rows if not v.kept)
    half = len(decoys) // 2
    path = (
        Step(decoys[:half], count - half, 0.0013, 0.44, True, "no loss"),
        Step(decoys[half:], 3, 0.0021, 0.31, True, "no loss"),
        *(Step((v.name,), 2, v.gain, 0.0001, False, "loss is certain") for v in rows if v.kept),
    )
    return Selection(
        rows, path, Interval(1.0, 0.997, 1.002), 3.1, 3.42, 10_000, 10_000, estimator="predictive",
        config={"alpha": 0.05, "seed": seed}, timings={"entropy": 14.1},
    )  # fmt: skip


def prisoners() -> Selection:
    """Nine steps of history against Tit for 4 Tats: the last three decide."""
    gains = {1: 0.41, 2: 0.36, 3: 0.29}
    rows = tuple(
        _needed(f"pair_{k}", gains[k], "together") if k in gains else _unused(f"pair_{k}", 0.0004 * (-1) ** k)
        for k in range(1, 10)
    )
    return Selection(rows, (), Interval(0.999, 0.995, 1.0), 0.55, 0.56, 10_000, 40, estimator="plugin")


def quarters() -> dict[str, Selection]:
    """Cart Pole through training: the gains grow, position last."""
    growth = {"1": (0.0, 0.01, 0.05, 0.07), "2": (0.0, 0.1, 0.4, 0.35), "3": (0.1, 0.6, 0.8, 0.76),
              "4": (0.7, 0.9, 0.97, 0.95), "expert": (1.0, 1.0, 1.0, 1.0)}  # fmt: skip
    base = cart_pole()
    return {label: _grown(base, dict(zip(base.kept, share, strict=True))) for label, share in growth.items()}


def _grown(selection: Selection, share: dict[str, float]) -> Selection:
    rows = []
    for row in selection.verdicts:
        gain = row.gain * share.get(row.name, 1.0)
        kept = row.kept and gain > 0.008
        rows.append(replace(row, gain=gain, low=gain - 0.006, high=gain + 0.006, kept=kept))
    return replace(selection, verdicts=tuple(rows))


def comparison() -> dict[str, Selection]:
    """Three methods that disagree about Cart Pole."""
    base = cart_pole()
    misses = {"umfi": ("x",), "permutation": ("x", "x_dot")}
    sides = {"terc": base}
    for method, missed in misses.items():
        rows = tuple(
            replace(v, gain=0.001, low=-0.002, high=0.004, kept=False, reason="irrelevant")
            if v.name in missed
            else v
            for v in base.verdicts
        )
        share = Interval(0.93 - 0.2 * len(missed), 0.85 - 0.2 * len(missed), 0.96 - 0.2 * len(missed))
        sides[method] = replace(
            base, verdicts=rows, method=method, retained=share, steps=(), timings={"all": 41.0}
        )
    return sides


def curves(
    seeds: int = 5, *, seed: int = 0
) -> dict[str, tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]]:
    """Returns of full and reduced agents on Cart Pole while they learn, `[seeds, points]` each."""
    rng = np.random.default_rng(seed)
    steps = np.linspace(0, 300_000, 61)

    def returns(rate: float) -> npt.NDArray[np.float64]:
        speed = rate * rng.uniform(0.8, 1.25, size=(seeds, 1))
        rise = 475 / (1 + np.exp(-(steps / 1000 - 120 / speed) / 22))
        return np.clip(rise + rng.normal(0, 14, (seeds, len(steps))), 9, 500)

    return {"full (7)": (steps, returns(1.0)), "reduced (4)": (steps, returns(1.45))}


def learning() -> ReturnComparison:
    """Five agents on the full state of Cart Pole against five on the reduced one."""
    rng = np.random.default_rng(0)
    curve = [np.array([[1000.0, 400.0], [2000.0, 480.0]])] * 5
    groups = [
        AgentGroup(state, count, curve, [rng.normal(480, 9, 20) for _ in range(5)])
        for state, count in (("full", 7), ("reduced", 4))
    ]
    return compare_returns(groups, 475.0, rng=rng)


def played(mean: float, half: float = 6.0) -> Returns:
    """Returns with an interval, beside random actions."""
    random = Returns(22.0, Range(20.0, 24.0), np.full(9, 22.0))
    return Returns(mean, Range(mean - half, mean + half), np.full(9, mean), random)


def ablation() -> Ablation:
    """Cart Pole with each variable unplugged, and all that were removed."""
    losses = {"x": 0.0, "x_dot": -12.0, "theta": -393.1, "theta_dot": -461.1, "noise_0": 0.0, "noise_1": 1.5}
    rows = [
        Unplugging(name, (name,), 490 + loss, loss, loss - 8, loss + 8, 0.2 if loss else 0.01)
        for name, loss in losses.items()
    ]
    noise = ("noise_0", "noise_1", "noise_2")
    rows.append(Unplugging("removed", noise, 489.0, -1.0, -9.0, 7.0, 0.02))
    return Ablation(tuple(rows), played(490.0), "moments", ("x", "x_dot", "theta", "theta_dot"))


def front() -> Frontier:
    """Agents on seven to one variables of Cart Pole."""
    order = ("noise_2", "noise_1", "noise_0", "x", "x_dot", "theta", "theta_dot")
    means = (489.0, 490.0, 488.0, 490.0, 487.0, 470.0, 190.0)
    points = [
        Point(order[k:], float(len(order) - k), played(mean, 9.0), 0.95) for k, mean in enumerate(means)
    ]
    tried = (
        Confirmation(order[5:], (-22.0, -25.0, -14.0), 4.0, 100, 0.025),
        Confirmation(order[4:], (-2.0, 1.0, -4.0), 2.0, 100, 0.0125),
    )
    return Frontier(tuple(points), played(490.0), order, {}, tried=tried)


def verdict() -> RunVerdict:
    """Of a run that went well, with one thing to doubt."""
    return RunVerdict(
        True,
        "the smaller agent is as good",
        ("distilled onto 4 of 7 variables it returns 489 [485, 493], the full agent 490 [484, 496]",),
        (
            "4 of 7 variables: x, x_dot, theta, theta_dot",
            "the recorded actions show no dependence on noise_0",
        ),
        ("the return falls when these take values from other moments: theta_dot (-461.1 [-469.1, -453.1])",),
        (Note("doubt", "below-goal", "a better agent may read others"),),
    )


def inference() -> list[InferenceTime]:
    """Times of a call on the full and on the reduced state."""
    medians = {("torch", 1): (16.9, 16.6), ("torch", 64): (31.0, 28.4), ("onnxruntime", 1): (6.9, 6.8),
               ("numpy", 1): (4.9, 4.6), ("numpy", 64): (19.6, 16.1)}  # fmt: skip
    return [
        InferenceTime(state, runtime, batch, t, 0.93 * t, 0.97 * t, 1.08 * t, inputs)
        for (runtime, batch), pair in medians.items()
        for state, inputs, t in zip(("full", "reduced"), (7, 4), pair, strict=True)
    ]


def condition_1() -> Condition1:
    """Ten pairs of subsets of Cart Pole, none perfectly redundant."""
    names = ("x", "x_dot", "theta", "theta_dot")
    chosen = [((a,), (b, c)) for a in names for b, c in combinations(names, 2) if a not in (b, c)][:10]
    values = [0.29 / (1 + i) - 0.03 for i in range(10)]
    pairs = tuple(
        PairIndex(*both, Interval(v, v - 0.02, v + 0.02)) for both, v in zip(chosen, values, strict=True)
    )
    bars = MostRedundant(pairs, 0.689, True, "All pairs were looked at.")
    return Condition1("holds", None, "holds", "holds", bars, (4, 4), ("All sets were looked at.",))


def history() -> HistoryLength:
    """Information in zero to six steps of history against Tit for 4 Tats: three are enough."""
    lost = tuple(Interval(v, max(0.0, v - 0.02), v + 0.02) for v in (0.55, 0.38, 0.18, 0.0, 0.0, 0.0, 0.0))
    gains = tuple(LagGain("pair", k, 0.5 / k if k < 4 else 0.0, k < 4) for k in range(1, 7))
    return HistoryLength(3, 6, lost, 0.55, {"pair": 3}, gains)
