"""The verdict of a run in words: what play measured is about the return, all else about the actions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from terc.pipeline import files
from terc.pipeline.inference import Inference
from terc.pipeline.run_doubts import change, doubts_of, row_of, whole_agent
from terc.plurals import some
from terc.return_comparison import BETTER, SAME, ReturnComparison, StateReturns
from terc.returns.ablation import REMOVED, Unplugging
from terc.returns.verdict import RunVerdict

if TYPE_CHECKING:
    from terc.pipeline.finished import Run

# What the selection says of a removed variable: the actions, never the return.
OF_ACTIONS = {
    "irrelevant": "the recorded actions show no sure dependence on {}",
    "redundant": "the variables that are read carry all that is known of the actions by {}",
    "negligible": "if the recorded actions depend on {}, it is by less than the smallest effect that counts",
    "constant": "the recording shows no change of {}",
}
# The same where more steps are needed to be sure.
SO_FAR = {
    "irrelevant": "undecided whether the recorded actions depend on {}",
    "redundant": "undecided whether the variables that are read carry all that is known of the actions by {}",
    "negligible": "undecided whether {} is below the smallest effect that counts for the recorded actions",
}
# Share of other actions from which on it is said; it is known to about 1 %.
OFTEN = 0.01


def verdict_of(run: Run) -> RunVerdict:
    """The verdict of a finished run."""
    learned = run.returns.has_learned
    small = run.smaller
    confirmed = small is not None and small is run.smallest
    return RunVerdict(
        as_good=confirmed or small.as_good if learned and small is not None else None,
        headline=_headline(run, learned),
        smaller=tuple(_smaller(run, learned)),
        reads=tuple(_reads(run)),
        unplugged=tuple(_unplugged(run)),
        doubts=tuple(dict.fromkeys(doubts_of(run))),
        agent=None if small is None else files.SMALLEST if confirmed else files.DISTILLED,
        variables=() if small is None else small.variables,
    )


def summary_lines(run: Run) -> list[str]:
    """All that the terminal shows: the verdict, then the speed."""
    return [*run.verdict.lines(), *_speed(run.inference)]


def _headline(run: Run, learned: bool) -> str:
    if not learned:
        return f"no verdict: {whole_agent(run)} has not learned"
    if (small := run.smaller) is None:
        kept = "every variable" if run.selection.kept else "no variable"
        tried = "" if run.frontier is None else ", and no smaller set is confirmed to hold the return"
        return f"there is no smaller agent: {kept} was kept{tried}"
    if small is run.smallest:
        return f"a smaller agent on {len(small.variables)} of {some(small.n_full, 'variable')} is as good"
    if small.as_good and not small.within:
        return f"as far as {_played(len(small.returns))}, the smaller agent is as good"
    return f"the smaller agent is {'' if small.as_good else 'not '}as good"


def _smaller(run: Run, learned: bool) -> Iterator[str]:
    small, whole = run.smaller, whole_agent(run)
    random = run.returns.random
    beside = "" if random is None else f", random actions on the same seeds {random.brief}"
    solved = "" if run.config.goal is None else f"; {run.config.goal:.4g} counts as solved"
    if small is None:
        yield f"{whole} returns {run.returns.brief}{beside}{solved}"
    else:
        yield (
            f"distilled onto {len(small.variables)} of {some(small.n_full, 'variable')} it returns "
            f"{small.returns.brief} over {some(len(small.returns), 'fresh episode')}, {whole} "
            f"{small.teacher.brief}{beside}{solved}"
        )
        lessons = some(len(small.rounds), "lesson")
        yield (
            f"{whole} taught it in {lessons}, without reward and without retraining; it acts alike in "
            f"{100 * small.agreement:.1f} % of the steps"
        )
        if small.draws:
            yield (
                f"it draws its actions: {whole} varies its own by what the smaller agent does not read, and "
                "the likeliest actions alone do not hold the return"
            )
        if learned and small is run.distilled:
            yield f"{'' if small.as_good else 'not '}as good: {small.reason}"
    if run.frontier is not None and learned:
        yield from (line.strip() for line in run.frontier.answer().splitlines())
        if (other := run.distilled) is not None and other is not small:
            which = f"the agent distilled onto the {some(len(other.variables), 'kept variable')}"
            yield f"{which} returns {other.returns.brief}: {'' if other.as_good else 'not '}as good"
    if run.comparison is not None:
        yield from _retrained(run, run.comparison, learned)


def _retrained(run: Run, found: ReturnComparison, learned: bool) -> Iterator[str]:
    elsewhere = run.config.model is not None and run.config.agent != "model"
    whose = ", which need not be what the model was trained with" if elsewhere else ""
    agents = "; ".join(_learned(one) for one in found.states)
    yield f"retrained with {run.algorithm}{whose}: {agents}"
    if learned and found.verdict in (SAME, BETTER):  # otherwise it is among what to doubt
        yield f"retrained, {found.sentence}"


def _learned(one: StateReturns) -> str:
    final = f"{one.final.value:.4g} [{one.final.low:.4g}, {one.final.high:.4g}]"
    said = f"{some(len(one.finals), 'agent')} on {some(one.variables, 'variable')} {final}"
    reached = [steps for steps in one.steps_to_goal if steps is not None]
    if reached:
        steps = sorted(reached)[len(reached) // 2]
        said += f", {len(reached)} at the goal after about {float(f'{steps:.2g}'):,.0f} steps"
    return said


def _reads(run: Run) -> Iterator[str]:
    selection, share, small = run.selection, run.selection.retained, run.smaller
    said = _these(selection.kept, len(selection.names))
    if small is not None and small is run.smallest:
        yield _these(small.variables, small.n_full)
        said = f"the actions of {whole_agent(run)} depend on {said}"
    if share.value == share.value:  # not NaN
        said += f" ({100 * share.value:.1f} % of the action information)"
    yield said
    removed = [row for row in selection.verdicts if not row.kept]
    for reason, undecided in dict.fromkeys((row.reason, row.undecided) for row in removed):
        alike = [row.name for row in removed if (row.reason, row.undecided) == (reason, undecided)]
        said = (SO_FAR if undecided else OF_ACTIONS).get(reason, "removed as " + reason + ": {}")
        yield f"{said.format(row_of(alike))} ({reason}{' so far' * undecided})"


def _these(variables: Sequence[str], total: int) -> str:
    """Some of all variables, by name."""
    of = f"of {some(total, 'variable')}"
    return f"{len(variables)} {of}: {', '.join(variables)}" if variables else f"none {of}"


def _unplugged(run: Run) -> Iterator[str]:
    if (ablation := run.ablation) is None:
        return
    single = [row for row in ablation.rows if row.variables == (row.name,)]
    worse = sorted((row for row in single if row.high < 0), key=lambda row: row.difference)
    better = [row for row in single if row.low > 0]
    same = [row for row in single if not row.matters]
    read = [row for row in same if row.name in run.selection.kept and row.acts_otherwise > 0]
    others = [row for row in same if row not in read]
    for rows, moves in ((worse, "falls"), (better, "rises")):
        if rows:
            changes = row_of(map(change, rows))
            yield f"the return {moves} when these take values from other moments: {changes}"
    played = len(ablation.returns)
    if read:
        fewer = run.frontier is None and len(run.selection.kept) > 1
        more = "; --frontier shows whether fewer variables do" if fewer else ""
        which = "it" if len(read) == 1 else "any one of them"
        seen = [row for row in read if row.low < row.high]
        which += f" ({change(seen[0], name=False)})" if len(read) == len(seen) == 1 else ""
        which += f": {row_of(map(change, seen))}" if seen and len(read) > 1 else ""
        names = row_of(row.name for row in read)
        yield f"the actions follow {names}, but {_no_change(played, read)} {which}{more}"
    together = [row for row in ablation.rows if row.name == REMOVED and len(row.variables) > 1]
    for row in together:
        many = f"without the {len(row.variables)} removed variables together"
        yield f"{many} the return changes by {change(row, name=False)}"
    if others:
        yield f"{_no_change(played, others)} {row_of(map(_seen, others))}"


def _no_change(episodes: int, rows: Sequence[Unplugging]) -> str:
    """Where returns do change, but not for certain, that is said."""
    certain = "" if all(row.low == row.high for row in rows) else "certain "
    return f"{_played(episodes)} no {certain}change of the return without"


def _played(episodes: int) -> str:
    return f"{some(episodes, 'episode')} show{'s' * (episodes == 1)}"


def _seen(row: Unplugging) -> str:
    """The name, and what was seen of it if anything was: of the return, and of the actions."""
    seen = [] if row.low == row.high else [change(row, name=False)]
    if row.acts_otherwise >= OFTEN:
        seen.append(f"other actions in {100 * row.acts_otherwise:.0f} % of the steps")
    return f"{row.name} ({'; '.join(seen)})" if seen else row.name


def _speed(inference: Inference) -> list[str]:
    lines = []
    for batch in dict.fromkeys(one.batch for one in inference.speed_up):
        ratios = [
            f"{one.ratio:.2f} [{one.low:.2f}, {one.high:.2f}] in {one.runtime}"
            for one in inference.speed_up
            if one.batch == batch
        ]
        states = "one state" if batch == 1 else f"{batch} states"
        lines.append(f"Smaller agent, times as fast as the full one on {states} a call: {', '.join(ratios)}.")
    singly = [row for row in inference.rows if row.batch == 1]
    best = min(singly, key=lambda row: (row.state == "full", row.median), default=None)
    gain = inference.gain()
    if gain is not None and best is not None and best.runtime != inference.reference:
        lines.append(
            f"Fastest on one state a call: the {best.state} policy in {best.runtime} ({best.median:.1f} "
            f"microseconds), {gain:.1f} times as fast as the full one in {inference.reference}."
        )
    return [*lines, *(f"Not timed in {name}, which is not installed." for name in inference.missing)]
