"""`compare`: several methods on the same data, on equal terms, resumable."""

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from terc.baselines.comparison import Comparison, holdings
from terc.baselines.methods import EXTRAS, METHODS, Method, require_extra
from terc.baselines.scored import Made, selection_of
from terc.checks import called_rightly
from terc.errors import BadTypeError, BadValueError, TercError, available_names, unknown_name, warn
from terc.fingerprint import array_digest, digest
from terc.parallel.choose import checked_n_jobs
from terc.progress import Event, Listener, Report, following, within
from terc.seeding import generator
from terc.selection.result import Selection, Verdict
from terc.selection.settings import OPTIONS
from terc.store import Store, Task
from terc.synthetic.labelled import Labelled
from terc.trajectories.columns import one_line
from terc.trajectories.data import Trajectories
from terc.trajectories.files import write_text_atomically

DEFAULT = ("terc", "umfi", "permutation")
Chooser = Callable[[Trajectories], Any]
"""A caller's own method: data -> a Selection, or the names to keep."""


@dataclass(frozen=True)
class _Call:
    """What every method is given, and where its selection is kept."""

    data: Trajectories
    seed: int
    n_jobs: int
    store: Store | None


@called_rightly
def compare(  # noqa: PLR0913  (the public contract; all but one have a default)
    data: Trajectories,
    methods: Sequence[str | Chooser] | Mapping[str, str | Chooser] = DEFAULT,
    truth: Labelled | Iterable[str | Iterable[str]] | None = None,
    seed: int = 0,
    n_jobs: int = 1,
    progress: bool | Report = False,
    out: str | Path | None = None,
    options: Mapping[str, Any] | None = None,
) -> Comparison:
    """What several methods keep of the same data: kept sets, agreement, CPU time, information retained.

    Args:
        methods: Names from `terc.baselines.methods.METHODS`, and functions data -> Selection or names to keep
            of your own (use `functools.partial` to give one settings); or a mapping name -> either.
        truth: The right answer where it is known: names, classes of interchangeable names such as
            `[["x1", "x4"], ["x2"]]`, or a `terc.synthetic.Labelled`.
        n_jobs: Worker processes; CPU time is measured with 1 only.
        out: Folder where each method is saved when it is done. A comparison that was interrupted continues
            there; methods may be added; one whose settings or code have changed is run again. Other data or
            another seed are refused. A function that exists in memory only, such as a lambda, is run again
            each time.
        options: Options of `terc.select` for the method "terc", such as `{"alpha": 0.01, "keep": ["a"]}`.

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
    n_jobs, known = checked_n_jobs(n_jobs), _truth(data, truth)
    chosen = _with_options(_named(methods), options or {})
    if out is None:
        return _all(_Call(data, int(seed), n_jobs, None), chosen, known, progress)
    store = Store(Path(os.fspath(out)), "compare")
    with store.locked():
        _prepare(store, data, int(seed), chosen)
        sides = _all(_Call(data, int(seed), n_jobs, store), chosen, known, progress)
        store.write_json("comparison.json", sides.to_dict())
        write_text_atomically(store / "comparison.txt", f"{sides}\n")
    return sides


def _prepare(store: Store, data: Trajectories, seed: int, chosen: Mapping[str, Method]) -> None:
    arrays = (data.states, data.actions, data.episodes, data.rewards, data.probabilities)
    words = (data.names, data.action_kind, sorted(data.levels.items()))
    settings = {"seed": seed, "data": array_digest(*arrays, words=words)[:16], "steps": len(data)}
    notes = list(store.prepare(settings, fixed=list(settings)))
    names = [name for name, method in chosen.items() if method.name is None]
    if names:
        notes.append(f"compare: {', '.join(names)} exists in memory only and is run again each time.")
    for note in notes:
        warn(note)


def _all(
    call: _Call, chosen: Mapping[str, Method], known: Labelled | None, progress: bool | Report
) -> Comparison:
    found: dict[str, Selection] = {}
    with following(progress) as listen:
        for number, (name, method) in enumerate(chosen.items(), start=1):
            found[name] = _run(call, method, Event(name, number, len(chosen) + 1), listen)
        last = Event("information retained", len(chosen) + 1, len(chosen) + 1)
        listen(last)
        held = holdings(call.data, [selection.kept for selection in found.values()], seed=call.seed)
        listen(replace(last, finished=True))
    measured: dict[str, Any] = {"information": held.information, "action_entropy": held.action_entropy}
    pairs = zip(found.items(), held.shares, strict=True)
    sides = {name: replace(one, retained=share, **measured) for (name, one), share in pairs}
    return Comparison(sides, known)


def _run(call: _Call, method: Method, event: Event, listen: Listener) -> Selection:
    """The method's selection: the saved one if there is one, else made and saved."""
    listen(event)
    name, report, done_before = event.task, _within(event, listen), False
    if call.store is None:
        found = _timed(call, name, method, report)
    else:

        def work(store: Store, key: str, **_: Any) -> dict[str, Any]:
            return _timed(call, name, method, report).to_dict()

        options, code = {"method": method.name}, (method.module,)
        task = Task(_file_name(name), name, work, options, code=code)
        done_before = method.name is not None and call.store.is_done(task)
        if not done_before:
            call.store.do(task)
        found = Selection.from_dict(call.store[task.key])
    listen(replace(event, finished=True, kept_from_before=done_before))
    return found


def _file_name(name: str) -> str:
    """The method's name as the name of a file, which allows fewer characters."""
    safe = "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in name)
    return safe if safe == name else f"{safe}-{digest(name)[:8]}"


def _timed(call: _Call, name: str, method: Method, report: Report) -> Selection:
    """What the method answers; whatever a caller's own function raises is one line, with its cause."""
    cpu, wall = time.process_time(), time.perf_counter()
    given = {"seed": call.seed, "n_jobs": call.n_jobs, "progress": report} if method.is_ours else {}
    try:
        result = method.function(call.data, **given)
    except TercError:
        raise
    except Exception as error:
        if method.is_ours:
            raise
        said = f"{type(error).__name__} ({one_line(error)})"
        raise BadValueError(f"compare: the function {name!r} raised {said}.") from error
    seconds = {"wall": time.perf_counter() - wall}
    if call.n_jobs == 1:
        seconds["cpu"] = time.process_time() - cpu
    return replace(_as_selection(call.data, name, result), timings=seconds)


def _within(event: Event, listen: Listener) -> Report:
    """What a method reports, as events of its task; its name is said once."""
    report = within(event, listen)
    return lambda done, total, what: report(done, total, "" if event.task.startswith(what) else what)


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
    if strange := [one for one in kept if one not in data.names]:
        raise unknown_name(f"compare: kept by {name!r}", "variable", strange[0], data.names)
    nan = float("nan")
    rows = {
        j: Verdict(v, nan, nan, nan, nan, nan, v in kept, "needed" if v in kept else "irrelevant")
        for j, v in enumerate(data.names)
    }
    return selection_of(data, rows, Made(name, "", {}), ())


def _named(methods: object) -> dict[str, Method]:
    if isinstance(methods, str) or not isinstance(methods, Iterable):
        raise BadTypeError(
            f"compare: methods must be a list of names and functions, got {methods!r}."
            f"{available_names(METHODS)}"
        )
    pairs = methods.items() if isinstance(methods, Mapping) else [(_name_of(one), one) for one in methods]
    chosen: dict[str, Method] = {}
    for name, one in pairs:
        if name in chosen:
            raise BadValueError(f"compare: method {name!r} comes twice; give a mapping name -> function.")
        chosen[name] = _resolved(one)
    if not chosen:
        raise BadValueError(f"compare: wanted at least one method, got none.{available_names(METHODS)}")
    return chosen


def _with_options(chosen: dict[str, Method], options: Mapping[str, Any]) -> dict[str, Method]:
    """The same methods, terc with these options."""
    ours, known = METHODS["terc"], [name for name in OPTIONS if name != "seed"]
    if strange := [name for name in options if name not in known]:
        raise unknown_name("compare", "option of terc", strange[0], known)
    if options and not any(method.function is ours for method in chosen.values()):
        raise BadValueError(f"compare: options are those of 'terc', which is not among {list(chosen)}.")
    given = Method.of(partial(ours, **options))
    return {name: given if method.function is ours else method for name, method in chosen.items()}


def _name_of(method: object) -> str:
    while isinstance(method, partial):
        method = method.func
    return method if isinstance(method, str) else str(getattr(method, "__name__", type(method).__name__))


def _resolved(method: object) -> Method:
    if isinstance(method, str):
        if method not in METHODS:
            raise unknown_name("compare", "method", method, METHODS)
        if method in EXTRAS:
            require_extra(method, EXTRAS[method])
        return Method.of(METHODS[method])
    if not callable(method):
        raise BadTypeError(f"compare: a method must be a name or a function, got {method!r}.")
    return Method.of(method)


def _truth(data: Trajectories, truth: object) -> Labelled | None:
    if truth is None:
        return None
    if isinstance(truth, Labelled):
        return replace(truth, data=data)
    if isinstance(truth, str) or not isinstance(truth, Iterable):
        raise BadTypeError(f"compare: truth must be a list of names, got {truth!r}.")
    answers = tuple((one,) if isinstance(one, str) else tuple(one) for one in truth)
    if strange := [name for members in answers for name in members if name not in data.names]:
        raise unknown_name("compare: truth", "variable", strange[0], data.names)
    return Labelled(data, answers)
