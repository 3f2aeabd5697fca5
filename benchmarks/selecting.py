"""One process that selects from data sets handed to it by path, with the `terc` that is on its path.

It reads one JSON request per line and writes one JSON reply per line, so that two checkouts of the package
can answer for the same data in one run. `accuracy.py` starts it; `Selector` is the other end of the line.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
LITTLE_RETAINED = 0.9  # of the information; below this a 0.1 selection has shown its own doubt


class Selector:
    """A process that answers requests with the `terc` of one checkout; started anew when it dies."""

    def __init__(self, checkout: Path) -> None:
        self._checkout = checkout
        self._process: subprocess.Popen[str] | None = None

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The reply to one request; one with an `error` when the process died over it."""
        process = self._process if self._process and self._process.poll() is None else self._started()
        try:
            process.stdin.write(json.dumps(request) + "\n")  # type: ignore[union-attr]
            process.stdin.flush()  # type: ignore[union-attr]
            line = process.stdout.readline()  # type: ignore[union-attr]
        except BrokenPipeError:
            line = ""
        return json.loads(line) if line else {"error": f"the process ended with code {process.wait()}"}

    def close(self) -> None:
        """End the process."""
        if self._process:
            self._process.stdin.close()  # type: ignore[union-attr]
            self._process.wait()
            self._process = None

    def _started(self) -> subprocess.Popen[str]:
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, **ONE_THREAD, "PYTHONPATH": str(self._checkout)},
        )
        ready = self._process.stdout.readline()  # type: ignore[union-attr]
        if not ready or not Path(json.loads(ready)["package"]).is_relative_to(self._checkout.resolve()):
            raise SystemExit(f"No terc can be imported from {self._checkout}: {ready or 'it ended at once'}")
        return self._process


def has_doubt(selection: Any, implicated: Iterable[str]) -> bool:
    """Whether a selection that is not exact says so itself: a note of doubt, or an undecided culprit.

    Version 0.1 has sentences for notes; there any undecided variable, or little information retained, counts.

    Args:
        selection: What `terc.select` returned.
        implicated: The variables that were missed or wrongly kept.
    """
    undecided = {verdict.name for verdict in selection.verdicts if getattr(verdict, "undecided", False)}
    if any(getattr(note, "kind", None) == "doubt" for note in selection.notes):
        return True
    if selection.notes and all(isinstance(note, str) for note in selection.notes):
        return bool(undecided) or selection.retained.value < LITTLE_RETAINED
    return bool(undecided & set(implicated))


def evaluate(request: Mapping[str, Any]) -> dict[str, Any]:
    """Load, select, compare with the known answer; where asked for, IAMB and what can be shown beside it."""
    import terc
    from terc.synthetic import Labelled

    labelled = Labelled(
        terc.load(request["path"]), _tuples(request["answers"]), _tuples(request["alternatives"])
    )
    started = time.process_time()
    selection = terc.select(
        labelled.data, estimator="auto", seed=request["seed"], min_effect=request["min_effect"]
    )
    reply = {"cpu_seconds": time.process_time() - started} | _compared(labelled, selection.kept)
    implicated = [*reply["wrong"], *(name for group in reply["missed"] for name in group)]
    reply["silent"] = not reply["exact"] and not has_doubt(selection, implicated)
    if request.get("rival"):
        from iamb import iamb, shown

        started = time.process_time()
        found = iamb(labelled.data)
        reply["rival"] = {"cpu_seconds": time.process_time() - started} | _compared(labelled, found)
        boundary = [group[0] for group in labelled.answers]
        reply["rival"]["limit"] = _compared(labelled, shown(labelled.data, boundary))["f1"]
    return reply


def _compared(labelled: Any, kept: tuple[str, ...]) -> dict[str, Any]:
    missed, wrong = labelled.missed(kept), labelled.wrong(kept)
    hits = len(kept) - len(wrong)
    total = 2 * hits + len(wrong) + len(missed)
    return {
        "kept": kept,
        "exact": labelled.is_exact(kept),
        "missed": missed,
        "wrong": wrong,
        "f1": 2 * hits / total if total else 1.0,
    }


def _tuples(value: Any) -> Any:
    """JSON's lists as the tuples they were."""
    return tuple(_tuples(part) for part in value) if isinstance(value, list) else value


def main() -> None:
    """Answer until the line closes. The first selection loads what a selection needs, and is not timed."""
    import terc
    from terc.synthetic import four_redundant

    replies, sys.stdout = sys.stdout, sys.stderr
    terc.select(four_redundant(300).data)
    print(json.dumps({"package": str(Path(terc.__file__).resolve())}), file=replies, flush=True)
    for line in sys.stdin:
        try:
            reply = evaluate(json.loads(line))
        except Exception as error:  # a data set that raises is a wrong answer, not the end of the run
            reply = {"error": f"{type(error).__name__}: {error}".splitlines()[0]}
        print(json.dumps(reply), file=replies, flush=True)


if __name__ == "__main__":
    main()
