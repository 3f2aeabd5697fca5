"""The pictures of the site that are not made by a benchmark: `python website/pictures.py` (make pictures).

python website/pictures.py before-after criterion     only these
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import gymnasium
import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import terc
from terc.entropy.predictive import PredictiveEstimator
from terc.environments import Doped
from terc.figures.style import HOUSE_SETTINGS, KEPT, MUTED, PAPER
from terc.figures.svg import save

IMAGES = Path(__file__).parent.parent / "docs" / "images"
NOISE = 3


def before_after() -> Figure:
    """A Cart Pole agent that also reads noise: what it reads, what is kept, what both return."""

    def world() -> gymnasium.Env:  # type: ignore[type-arg]
        return Doped(gymnasium.make("CartPole-v1"), n=NOISE)

    agent = terc.agents.train_agent(world, seed=0).policy
    selection = terc.select(terc.rollout(world, agent, steps=10_000, seed=0))
    small = terc.distill(world, agent, selection, seed=0)
    big = terc.play(world, agent, seed=0)

    figure = Figure(figsize=(8.4, 3.0), layout="constrained", facecolor=PAPER)
    figure.set_label("A Cart Pole agent before and after the selection, and the return of both")
    before, after, returns = figure.subplots(1, 3, width_ratios=(1, 1.5, 1))
    names = [verdict.name for verdict in selection.verdicts][::-1]
    _inputs(before, names)
    gains = {verdict.name: verdict for verdict in selection.verdicts}
    after.barh(names, [gains[name].gain for name in names], color=[_colour(gains[n].kept) for n in names])
    for place, name in enumerate(names):
        label = "kept" if gains[name].kept else str(gains[name].reason)
        after.text(max(gains[name].gain, 0.0), place, f" {label}", va="center", color=MUTED, fontsize=8)
    after.set(
        title=f"Selected: {len(selection.kept)} of {len(names)}", xlabel="information gain, nats", yticks=[]
    )
    after.margins(x=0.35)
    labels = [f"reads\n{len(names)}", f"reads\n{len(selection.kept)}", "random\nactions"]
    means = [big.mean, small.returns.mean, big.random.mean]
    returns.bar(labels, means, color=[MUTED, KEPT, "none"], edgecolor=MUTED)
    returns.bar_label(returns.containers[0], [f"{mean:.0f}" for mean in means])
    returns.set(title="Return", ylim=(0, 1.15 * max(means)))
    return figure


def _inputs(axes: Axes, names: list[str]) -> None:
    """The agent as a box that reads every name."""
    for place, name in enumerate(names):
        axes.text(0, place, name, va="center", fontsize=8.5)
        axes.plot([0.62, 0.97], [place, (len(names) - 1) / 2], color=MUTED, linewidth=1)
    axes.text(1.0, (len(names) - 1) / 2, "agent", va="center", ha="left", color=KEPT)
    axes.set(title=f"Before: reads {len(names)}", xlim=(0, 1.3), ylim=(-0.6, len(names) - 0.4))
    axes.set_axis_off()


def _colour(kept: bool) -> str:
    return KEPT if kept else MUTED


def criterion() -> Figure:
    """Gains beside all others, and what elimination keeps, in three worlds."""
    figure = Figure(figsize=(8.4, 2.5), layout="constrained", facecolor=PAPER)
    figure.set_label("Gains of variables in three small worlds: independent, copies, together")
    for axes, (title, names, states, actions) in zip(figure.subplots(1, 3), _worlds(4_000), strict=True):
        data = terc.Trajectories(states, actions, names=names, episodes=np.arange(len(actions)) // 20)
        first = _gains(data)
        kept = terc.select(data).kept
        order = names[::-1]
        axes.barh(order, [first[name] for name in order], color=[_colour(n in kept) for n in order])
        for place, name in enumerate(order):
            text = " kept" if name in kept else " removed"
            axes.text(first[name], place, text, va="center", color=MUTED, fontsize=8)
        axes.set(title=title, xlabel="gain beside all others, nats")
        axes.set_xlim(0, 1.05)
    return figure


def _gains(data: terc.Trajectories) -> dict[str, float]:
    """The gain of each variable beside all others."""
    every = tuple(range(len(data.names)))
    subsets = [every, *(tuple(j for j in every if j != i) for i in every)]
    losses = PredictiveEstimator().conditional_entropies(data, subsets, rng=np.random.default_rng(0))
    return {
        name: float(max(loss - losses[0], 0.0)) for name, loss in zip(data.names, losses[1:], strict=True)
    }


def _worlds(steps: int) -> list[tuple[str, list[str], np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(0)
    a, b, c = rng.normal(size=(3, steps))
    bits = rng.integers(0, 2, (3, steps))
    noisy = (a + 0.4 * b + 0.3 * rng.normal(size=steps) > 0).astype(int)
    follows = (a + 0.3 * rng.normal(size=steps) > 0).astype(int)
    return [
        ("Independent", ["a", "b", "c"], np.stack([a, b, c], 1), noisy),
        ("Copies", ["a", "a again", "c"], np.stack([a, a, c], 1), follows),
        ("Together", ["bit 1", "bit 2", "c"], bits.T, bits[0] ^ bits[1]),
    ]


PICTURES: dict[str, Callable[[], Figure]] = {"before-after": before_after, "criterion": criterion}


def main() -> None:
    """Draw all pictures, or those that are named."""
    for name in sys.argv[1:] or PICTURES:
        with matplotlib.rc_context(HOUSE_SETTINGS):
            figure = PICTURES[name]()
            print(save(figure, IMAGES / f"{name}.svg"))


if __name__ == "__main__":
    main()
