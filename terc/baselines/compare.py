"""`compare`: several methods on the same data, on equal terms, resumable."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from terc.baselines.compare_folder import CompareFolder, digest_of
from terc.baselines.comparison import Comparison
from terc.baselines.methods import EXTRAS, METHODS, described, require_extra
from terc.baselines.retained import holdings
from terc.baselines.scored import Made, selection_of
from terc.errors import BadTypeError, BadValueError, unknown_name
from terc.identity import UNTOLD
from terc.parallel.choose import checked_n_jobs
from terc.seeding import generator
from terc.selection.progress import Report, reporting
from terc.selection.result import Selection, Verdict
from terc.synthetic.labelled import Labelled
from terc.trajectories.data import Trajectories

DEFAULT = ("terc", "umfi", "permutation")
Chooser = Callable[[Trajectories], Any]
"""A caller's own method: data -> a Selection, or the names to keep."""


@dataclass(frozen=True)
class _Call:
    """The settings that every method is given."""

    seed: int
    n_jobs: int


@dataclass(frozen=True)
class _Chosen:
    """A method, and whether it is one of `METHODS`, which take seed, workers and progress."""

    function: Callable[..., Any]
    is_ours: bool

    @cached_property
    def words(self) -> str:
        """What it runs."""
        return described(self.function)


def compare(  # noqa: PLR0913  (the public contract; all but one have a default)
    data: Trajectories,
    methods: Sequence[str | Chooser] | Mapping[str, str | Chooser] = DEFAULT,
    truth: Labelled | Iterable[str | Iterable[str]] | None = None,
    seed: int = 0,
    n_jobs: int = 1,
    progress: bool | Report = False,
    out: str | Path | None = None,
) -> Comparison:
    """What several methods keep of the same data: kept sets, agreement, CPU time, information retained.

    Args:
        data: Recorded steps.
        methods: Names from `terc.baselines.methods.METHODS`, and functions data -> Selection or names to keep
            of your own (use `functools.partial` to give one settings); or a mapping name -> either.
        truth: The right answer where it is known: names, classes of interchangeable names such as
            `[["x1", "x4"], ["x2"]]`, or a `terc.synthetic.Labelled`.
        seed: Same seed, same answers.
        n_jobs: Worker processes; CPU time is measured with 1 only.
        progress: True for a bar on a terminal, or a function `(done, total, what)`.
        out: Folder where each method is saved when it is done. A comparison that was interrupted continues
            there; methods may be added; other data, another seed or a method of your own that has changed
            under its name are refused. One that cannot be known again (it holds an open file, say) is run
            anew each time.

    Returns:
        A mapping method -> Selection that prints as a table.

    Example:
        Two of the three bits make the action; a linear model sees neither.
        >>> import numpy as np
        >>> x = np.random.default_rng(0).integers(0, 2, (1000, 3))
        >>> data = Trajectories(x, x[:, 0] ^ x[:, 1], names=["a", "b", "noise"], episodes=range(1000))
        >>> sides = compare(data, ["terc", "permutation"], truth=["a", "b"])
        >>> sides["terc"].kept, sides.is_exact("permutation")
        (('a', 'b'), False)
    """
    if not isinstance(data, Trajectories):
        raise BadTypeError(f"compare: data must be Trajectories, got {type(data).__name__}.")
    generator(seed)
    call = _Call(int(seed), checked_n_jobs(n_jobs))
    chosen = _named(methods)
    known = _truth(data, truth)
    folder = None if out is None else CompareFolder(Path(os.fspath(out)))
    if folder is not None:
        settings = {"seed": call.seed, "data": digest_of(data), "steps": len(data)}
        folder.prepare(settings, {name: method.words for name, method in chosen.items()})
    found: dict[str, Selection] = {}
    with reporting(progress) as report:
        for number, (name, method) in enumerate(chosen.items()):
            report(number, len(chosen), name)
            found[name] = _run(data, name, method, call, _within(report, number, len(chosen), name), folder)
        report(len(chosen), len(chosen), "information retained")
    sides = Comparison(_with_holdings(data, found, call.seed), known)
    if folder is not None:
        folder.write(sides.to_dict(), str(sides))
    return sides


def _run(
    data: Trajectories,
    name: str,
    method: _Chosen,
    call: _Call,
    report: Report,
    folder: CompareFolder | None,
) -> Selection:
    """The method's selection: the saved one if there is one, else made and saved."""
    before = None if folder is None or UNTOLD in method.words else folder.finished(name)
    if before is not None:
        return before
    cpu, wall = time.process_time(), time.perf_counter()
    given = {"seed": call.seed, "n_jobs": call.n_jobs, "progress": report} if method.is_ours else {}
    result = method.function(data, **given)
    seconds = {"wall": time.perf_counter() - wall}
    if call.n_jobs == 1:
        seconds["cpu"] = time.process_time() - cpu
    selection = replace(_as_selection(data, name, result), timings=seconds)
    if folder is not None:
        folder.finish(name, selection)
    return selection


def _within(report: Report, number: int, total: int, name: str) -> Report:
    """What a method reports, told as a part of the whole."""
    return lambda done, of, what: report(number, total, f"{name}: {what}, {done}/{of}")


def _as_selection(data: Trajectories, name: str, result: Any) -> Selection:
    if isinstance(result, Selection):
        if result.names != data.names:
            raise BadValueError(f"compare: method {name!r} answered for other variables than the data's.")
        return result
    if isinstance(result, str) or not isinstance(result, Iterable):
        raise BadTypeError(
            f"compare: method {name!r} must return a Selection or names to keep, got {type(result).__name__}."
        )
    kept = set(result)
    for one in kept:
        if one not in data.names:
            raise unknown_name(f"compare: kept by {name!r}", "variable", one, data.names)
    nan = float("nan")
    rows = {
        j: Verdict(v, nan, nan, nan, nan, nan, v in kept, "needed" if v in kept else "irrelevant")
        for j, v in enumerate(data.names)
    }
    return selection_of(data, rows, Made(name, "", {}), ())


def _with_holdings(data: Trajectories, found: Mapping[str, Selection], seed: int) -> dict[str, Selection]:
    held = holdings(data, [selection.kept for selection in found.values()], seed=seed)
    return {
        name: replace(
            selection, retained=share, information=held.information, action_entropy=held.action_entropy
        )
        for (name, selection), share in zip(found.items(), held.shares, strict=True)
    }


def _named(methods: object) -> dict[str, _Chosen]:
    if isinstance(methods, str) or not isinstance(methods, Iterable):
        raise BadTypeError(
            f"compare: methods must be a list of names and functions, got {methods!r}. "
            f"Names are {list(METHODS)}."
        )
    pairs = methods.items() if isinstance(methods, Mapping) else [(_name_of(one), one) for one in methods]
    chosen: dict[str, _Chosen] = {}
    for name, one in pairs:
        if name in chosen:
            raise BadValueError(f"compare: method {name!r} comes twice; give a mapping name -> function.")
        chosen[name] = _resolved(one)
    if not chosen:
        raise BadValueError(f"compare: wanted at least one method of {list(METHODS)}, got none.")
    return chosen


def _name_of(method: object) -> str:
    while isinstance(method, partial):
        method = method.func
    return method if isinstance(method, str) else str(getattr(method, "__name__", type(method).__name__))


def _resolved(method: object) -> _Chosen:
    if isinstance(method, str):
        if method not in METHODS:
            raise unknown_name("compare", "method", method, METHODS)
        if method in EXTRAS:
            require_extra(method, EXTRAS[method])
        return _Chosen(METHODS[method], is_ours=True)
    if not callable(method):
        raise BadTypeError(f"compare: a method must be a name or a function, got {method!r}.")
    return _Chosen(method, is_ours=False)


def _truth(data: Trajectories, truth: object) -> Labelled | None:
    if truth is None:
        return None
    if isinstance(truth, Labelled):
        return replace(truth, data=data)
    if isinstance(truth, str) or not isinstance(truth, Iterable):
        raise BadTypeError(f"compare: truth must be a list of names, got {truth!r}.")
    answers = tuple((one,) if isinstance(one, str) else tuple(one) for one in truth)
    for name in (name for members in answers for name in members):
        if name not in data.names:
            raise unknown_name("compare: truth", "variable", name, data.names)
    return Labelled(data, answers)
