"""When each variable was removed, and why: the tests of the elimination from top to bottom."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from terc.errors import BadValueError
from terc.figures import style
from terc.selection.result import Selection, Step
from terc.selection.visible_names import listed, shortened, visible

ROW = 0.26


@style.in_house_style
def elimination_path(selection: Selection, *, top: int = 30) -> Figure:
    """One row per test: the candidates for removal, what that would have cost, what remained.

    A hollow mark was removed; a filled one stays. The grey bars count the variables that remain.

    Args:
        top: At most this many rows; the middle of a longer path is left out and counted.

    Example:
        >>> from example_data import cart_pole
        >>> elimination_path(cart_pole()).get_label()
        'Path of elimination in 5 tests: noise_0, noise_1, noise_2 removed; 4 variables remain at the end.'
    """
    if not selection.steps:
        raise BadValueError("elimination_path: the selection has no steps; this method records none.")
    rows, gap = list(range(len(selection.steps))), max(0, len(selection.steps) - top)
    if gap:
        rows = rows[: top // 2] + rows[-(top - top // 2) :]
    steps = [selection.steps[i] for i in rows]
    # Variables in each test, less those that it removed; the naive method tests each beside all others.
    left = [step.given + (0 if step.removed else len(step.tried)) for step in steps]
    figure = style.new_figure(0.75 + ROW * len(rows))
    counts, losses, outcomes = figure.subplots(1, 3, sharey=True, width_ratios=[0.5, 1.0, 1.65])
    _draw_counts(counts, left, len(selection.verdicts))
    _draw_losses(losses, steps)
    _write_outcomes(outcomes, steps)
    who = [f"{i + 1}. {_tried(selection.steps[i], selection.names)}" for i in rows]
    counts.set_yticks(range(len(rows)), map(style.plain, who))
    counts.set_ylim(len(rows) - 0.4, -0.6)
    if gap:
        for axes in (counts, losses, outcomes):
            axes.axhline(top // 2 - 0.5, color=style.MUTED, linewidth=0.8, linestyle=(0, (1, 2)))
        outcomes.set_xlabel(f"dotted: {gap} tests left out", color=style.MUTED)
    return style.describe(figure, _alternative(selection))


def _tried(step: Step, names: Sequence[str]) -> str:
    """The first name, in the room that is left by how many more there are."""
    others = len(step.tried) - 1
    return listed(step.tried, 1, min(18, 28 - len(f" and {others} more") * (others > 0)), names)


def _draw_counts(axes: Axes, left: Sequence[int], total: int) -> None:
    style.tidy(axes, grid="")
    axes.spines["bottom"].set_visible(False)
    axes.barh(range(len(left)), left, height=0.72, color=style.FAINT)
    for place, count in enumerate(left):
        axes.text(total * 0.04, place, f"{count}", va="center", color=style.INK)
    axes.set_xlim(0, total)
    axes.set_xticks([])
    axes.set_xlabel("remain")


def _draw_losses(axes: Axes, steps: Sequence[Step]) -> None:
    style.tidy(axes)
    axes.tick_params(labelleft=False)
    axes.axvline(0.0, color=style.MUTED, linewidth=0.8)
    axes.hlines(range(len(steps)), 0, [s.gain for s in steps], color=style.MUTED, linewidth=1.0)
    for place, step in enumerate(steps):
        face, edge = (style.PAPER, style.INK) if step.removed else (style.KEPT, style.KEPT)
        axes.plot(step.gain, place, marker="o", markersize=6.5, color=face, mec=edge, mew=1.2)
    axes.margins(x=0.12)
    axes.locator_params(axis="x", nbins=2)
    axes.set_xlabel("nats lost")


def _write_outcomes(axes: Axes, steps: Sequence[Step]) -> None:
    style.tidy(axes, grid="")
    axes.spines[["bottom", "left"]].set_visible(False)
    axes.tick_params(labelleft=False)
    axes.set_xticks([])
    axes.set_xlim(0, 1)
    for place, step in enumerate(steps):
        colour = style.MUTED if step.removed else style.INK
        because = f" ({visible(step.because)})" if step.because else ""
        words = style.plain(shortened(("removed" if step.removed else "stays") + because, 28))
        axes.text(0.0, place, words, va="center", fontsize=8, color=colour)


def _alternative(selection: Selection) -> str:
    tried = (name for step in selection.steps if step.removed for name in step.tried)
    gone = [name for name in dict.fromkeys(tried) if name not in selection.kept]
    removed = f"{listed(gone, 6)} removed" if gone else "none removed"
    count = len(selection.kept)
    end = "1 variable remains at the end" if count == 1 else f"{count} variables remain at the end"
    return f"Path of elimination in {len(selection.steps)} tests: {removed}; {end}."
