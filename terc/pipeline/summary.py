"""The outcome of a run in a few plain lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from terc.pipeline.inference import Inference
from terc.return_comparison import WORSE, ReturnComparison, StateReturns
from terc.selection.result import Interval, Selection


def summary_lines(selection: Selection, comparison: ReturnComparison, inference: Inference) -> list[str]:
    """What was kept and why, the comparison, and the speed-up."""
    return [
        *_kept(selection),
        *_comparison(comparison),
        *_spared(selection, comparison),
        *_speed(inference),
    ]


def spared_variables(selection: Selection) -> tuple[str, ...]:
    """Variables of the environment itself (no added noise) that the agent does not need beside the kept."""
    return tuple(one.name for one in selection.removed if not one.name.startswith("noise_"))


def _kept(selection: Selection) -> list[str]:
    share = selection.retained
    said = f"kept {len(selection.kept)} of {len(selection.names)}: {', '.join(selection.kept) or 'none'}"
    if share.value == share.value:  # not NaN
        said += f" ({100 * share.value:.1f} % of the action information)"
    lines = [said]
    reasons = dict.fromkeys(one.reason for one in selection.removed)
    for reason in reasons:
        names = [one.name for one in selection.removed if one.reason == reason]
        lines.append(f"removed as {reason}: {', '.join(names)}")
    return lines


def _comparison(found: ReturnComparison) -> list[str]:
    lines = [_learned(one) for one in found.states]
    if found.difference is None:
        return [*lines, "no smaller state to compare: nothing, or everything, was kept"]
    return [*lines, found.sentence, *(f"note: {note}" for note in found.notes)]


def _learned(one: StateReturns) -> str:
    said = f"{one.state:<7} {one.variables:>3} variables: return {_words(one.final)}"
    reached = [steps for steps in one.steps_to_goal if steps is not None]
    if reached:
        steps = sorted(reached)[len(reached) // 2]
        said += f", goal reached by {len(reached)} of {len(one.steps_to_goal)} after about {steps:,} steps"
    return said


def _words(value: Interval) -> str:
    return f"{value.value:.1f} [{value.low:.1f}, {value.high:.1f}]"


def _spared(selection: Selection, found: ReturnComparison) -> list[str]:
    names = spared_variables(selection)
    if not names or found.difference is None:
        return []
    full, reduced = found["full"].final.value, found["reduced"].final.value
    said = f"the agent can do without {', '.join(names)}; one trained without returns {reduced:.1f} "
    said += f"instead of {full:.1f}"
    if found.verdict == WORSE:
        said += (
            ", worse: another agent could use what this one had no need of. Name it in keep to have it stay"
        )
    return [said]


def _speed(inference: Inference) -> list[str]:
    lines = [
        f"{one.runtime}, batch {one.batch}: {one.ratio:.2f} times as fast [{one.low:.2f}, {one.high:.2f}]"
        for one in inference.speed_up
    ]
    gain = inference.gain()
    if gain is not None:
        best = min((r for r in inference.rows if r.batch == 1), key=lambda r: (r.state == "full", r.median))
        lines.append(
            f"one state at a time: {gain:.1f} times as fast as the full policy in {inference.reference}, "
            f"with the {best.state} one in {best.runtime} ({best.median:.1f} microseconds)"
        )
    lines += [f"not timed in {name}, which is not installed" for name in inference.missing]
    return lines


def as_record(
    selection: Selection, comparison: ReturnComparison, inference: Inference, folder: Path
) -> dict[str, Any]:
    """The same for machines."""
    return {
        "kept": list(selection.kept),
        "removed": [{"name": one.name, "reason": one.reason} for one in selection.removed],
        "not_needed_by_the_agent": list(spared_variables(selection)),
        "comparison": comparison.to_dict(),
        "verdict": comparison.verdict,
        "inference": inference.to_dict(),
        "speed_up_at_batch_1": inference.gain(),
        "folder": str(folder),
        "report": str(folder / "report.html"),
        "outcome": [*_comparison(comparison), *_spared(selection, comparison)],
        "lines": summary_lines(selection, comparison, inference),
    }
