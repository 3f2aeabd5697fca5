"""What to doubt in a run, found in its numbers; each note has a code that stays the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from terc.return_comparison import TOO_FEW, WORSE
from terc.returns.ablation import Unplugging
from terc.returns.distilled import Distilled
from terc.returns.play import Returns
from terc.returns.verdict import NOT_LEARNED
from terc.selection.result import Note
from terc.selection.visible_names import listed

if TYPE_CHECKING:
    from terc.pipeline.finished import Run

# Names in one sentence, and how long each may be; beyond, they are counted, or cut.
MOST_NAMES, LONGEST = 8, 80
# An interval of the return that reaches further than this share of it on either side says little.
WIDE = 0.1


def doubts_of(run: Run) -> Iterator[Note]:
    """The gravest first, those of the selection last."""
    yield from _on_learning(run)
    yield from _on_return(run)
    yield from _on_distilled(run.distilled)
    yield from _on_agents(run)
    yield from (note for note in run.selection.notes if note.kind == "doubt")


def whole_agent(run: Run) -> str:
    """The agent that is explained, in words."""
    return "the full agent" if run.config.model is None else "the model"


def not_learned(agent: str, found: Returns) -> str:
    """The reason for saying that an agent has not learned."""
    if found.random is not None and not found.beats_random:
        beside = f"(it returns {found.brief}, they {found.random.brief} on the same seeds)"
        return f"{agent} is {found.beside_random} {beside}"
    shown = "" if found.blind is None else found.blind.brief
    return (
        f"{agent} makes no use of what it reads (it returns {found.brief}, and {shown} when it is shown the "
        "states of other moments)"
    )


def row_of(names: Iterable[str]) -> str:
    """Names for a sentence; beyond the first ones they are counted."""
    return listed(names, MOST_NAMES, LONGEST)


def change(row: Unplugging, *, name: bool = True) -> str:
    """A difference of the return with its interval."""
    found = f"{row.difference:+.4g} [{row.low:.4g}, {row.high:.4g}]"
    return f"{row.name} ({found})" if name else found


def _on_learning(run: Run) -> Iterator[Note]:
    found, goal = run.returns, run.config.goal
    if not found.has_learned:
        words = "so that nothing here says whether a smaller agent is as good. Train it longer, or give one"
        yield Note("doubt", NOT_LEARNED, f"{not_learned(whole_agent(run), found)}, {words} that has learned")
    elif goal is not None and found.mean < goal:
        words = f"{whole_agent(run)} returns {found.mean:.4g}, less than the {goal:.4g} that counts as solved"
        yield Note("doubt", "below-goal", f"{words}: a better agent may read other variables")
    half = max(found.mean - found.interval.low, found.interval.high - found.mean)
    if half > WIDE * abs(found.mean):
        words = (
            f"the return of {whole_agent(run)}, {found.mean:.4g}, is known to within {half:.3g} only; more "
        )
        yield Note(
            "doubt", "wide-return", f"{words}episodes than {len(found)} (play_episodes) would narrow it"
        )


def _on_return(run: Run) -> Iterator[Note]:
    """Variables that the selection removed and the return depends on."""
    if run.ablation is None or not run.returns.has_learned:
        return
    reasons = {one.name: one.reason for one in run.selection.removed}
    costly = [row for row in run.ablation.rows if row.name in reasons and row.high < 0]
    alone = [row for row in costly if reasons[row.name] != "redundant"]
    if alone:
        words = f"the actions hardly depend on {row_of(row.name for row in alone)}, but the return does: "
        words += f"unplugged {row_of(map(change, alone))}. Name what matters in keep"
        yield Note("doubt", "removed-but-worth", words)
    copies = [row for row in costly if reasons[row.name] == "redundant"]
    if copies:
        words = (
            f"{whole_agent(run)} as it is loses return without {row_of(map(change, copies))}; the smaller "
        )
        yield Note("doubt", "redundant-but-read", f"{words}agent reads other variables that carry the same")


def _on_distilled(small: Distilled | None) -> Iterator[Note]:
    if small is None:
        return
    numbers = f"{small.returns.mean - small.teacher.mean:+.4g} {small.difference}"
    if not small.as_good:
        words = f"the distilled agent does not hold the return (difference {numbers}): keep more variables, "
        yield Note("doubt", "distilled-worse", f"{words}or retrain")
    elif small.difference.high < 0:
        words = f"the distilled agent counts as equally good, yet certainly it is somewhat worse ({numbers})"
        yield Note("doubt", "distilled-loss", words)


def _on_agents(run: Run) -> Iterator[Note]:
    found = run.comparison
    if found is None or not run.returns.has_learned:
        return
    if found.verdict == WORSE:
        yield Note("doubt", "retrained-worse", f"retrained, {found.sentence}")
    if found.verdict == TOO_FEW:
        words = f"retrained agents: {found.sentence}; more of them (seeds) would decide"
        yield Note("doubt", "few-agents", words)
    for note in found.notes:
        yield Note("doubt", "retrained", note)
