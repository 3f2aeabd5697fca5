"""What a reproduction will cost: CPU time per task, by rates that a finished reproduction measured.

The rate of a kind of work in a world is CPU seconds over the product of the options that the work grows with.
`costs.json` beside this module holds rates and says where they are from;
a reproduction writes such a file too.
"""

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from terc.entropy.mine import MineEstimator
from terc.paper.experiment import Expected, Experiment
from terc.paper.gains import DECOYS, PRINTED, SHORT, mine_of
from terc.paper.scale import Scale
from terc.plurals import some
from terc.store import Store, Task

COSTS = Path(__file__).with_name("costs.json")
GROWS_WITH: Mapping[str, tuple[str, ...]] = {
    "agent": ("share",),
    "learner": ("share",),
    "player": ("training",),
    "lengths": ("players", "share", "histories"),
    "ours": ("steps",),
    "umfi": ("runs", "trees"),
    "pi": ("repeats", "steps"),
    "seek": ("steps",),
    "sizes": ("seconds",),
    "timed": ("calls",),
}
"""Work -> the options that its time is a product of."""
COLUMNS = {"cart-pole": 7, "lunar-lander": 11, "pendulum": 6, "secret-key-25": 25, "secret-key-50": 50,
           "synthetic": 6, "prisoners": 9}  # fmt: skip
PLATEAU = 2_000
"""Updates at which the paper's estimator has stopped in most worlds, whatever its N."""
MERGED = 1_000
"""Steps that an update costs as much as where equal rows are merged."""
NEIGHBOURS = 1.4
"""Power of the number of steps by which a search for neighbours grows."""


def kind_of(task: Task) -> str:
    """Name of all tasks of one rate: work, world and, where they differ, whose agents."""
    work = _work(task)
    whose = task.options.get("preset", "")
    world = task.key.split("/")[1 if work in ("redundancy", "sizes") else 0]
    return "|".join(filter(None, (work, world, whose)))


def _work(task: Task) -> str:
    """A method by its short name, or what else is done."""
    method = PRINTED if task.work.__name__ == "whole_updates" else task.options.get("method", "")
    return SHORT.get(method, task.work.__name__)


def size_of(task: Task) -> float:
    """What the time of a task is proportional to."""
    options, work = dict(task.options), _work(task)
    if work == SHORT[PRINTED]:
        return _networks(options, whole="method" not in options)
    if work == "redundancy":
        return float(options["rows"] or 1) ** NEIGHBOURS
    found = [options.get(name) for name in GROWS_WITH.get(work, ())]
    return math.prod(len(v) if isinstance(v, list) else float(v) for v in found if v)


def _networks(options: dict[str, Any], *, whole: bool) -> float:
    """Steps that MINE's networks read in all their updates."""
    world = options["world"]
    if whole:
        printed = MineEstimator.for_world(world)
        return 2.0 * min(printed.batch, options["steps"]) * printed.iterations
    mine = mine_of(options, options["steps"])
    # Equal rows of few levels are merged, so that an update costs the same whatever b is.
    batch = MERGED if world in ("synthetic", "prisoners") else mine.batch
    asked = len(options["right"]) + DECOYS if options["right"] else COLUMNS.get(world, 25)
    return float((asked + 2) * options["runs"] * batch * min(mine.iterations, PLATEAU))


def rates(store: Store, tasks: Iterable[Task]) -> dict[str, float]:
    """Kind -> CPU seconds per unit of size, over all finished tasks of that kind that had something to do."""
    seconds: defaultdict[str, float] = defaultdict(float)
    sizes: defaultdict[str, float] = defaultdict(float)
    for task in tasks:
        if task.options.get("method") == PRINTED and not store[task.key]["config"]["updates"]:
            continue
        seconds[kind_of(task)] += store.seconds(task.key)
        sizes[kind_of(task)] += size_of(task)
    return {kind: seconds[kind] / sizes[kind] for kind in sorted(seconds) if sizes[kind] > 0}


def measured() -> dict[str, Any]:
    """The rates that come with the package, and where they are from."""
    return dict(json.loads(COSTS.read_text(encoding="utf8")))


def planned(experiments: Sequence[Experiment], scale: Scale) -> dict[str, tuple[int, float]]:
    """Experiment -> how many tasks it adds to those before it and the CPU seconds they take, at most.

    Waves that depend on results are taken as large as they can become.
    """
    known = measured()["rates"]
    seen: set[str] = set()
    found = {}
    for experiment in experiments:
        tasks = [task for wave in experiment.waves for task in wave(scale, cast(Store, None))]
        fresh = {task.key: task for task in tasks if task.key not in seen}
        seen |= set(fresh)
        found[experiment.name] = (len(fresh), sum(_seconds(task, known) for task in fresh.values()))
    return found


def expected_of(plan: Mapping[str, tuple[int, float]]) -> Expected:
    """What a plan says to those who do it."""
    known = measured()["rates"]
    tasks, seconds = (sum(column) for column in zip(*plan.values(), strict=True))
    return Expected(int(tasks), seconds, lambda task: _seconds(task, known))


def _seconds(task: Task, known: Mapping[str, float]) -> float:
    """CPU seconds by the rate of its kind; where unknown, of an agent for a learner, else the mean."""
    kind = kind_of(task)
    kind = kind if kind in known else kind.replace("learner|", "agent|")
    alike = [rate for name, rate in known.items() if name.split("|")[0] == kind.split("|")[0]]
    rate = known.get(kind, sum(alike) / len(alike) if alike else 0.0)
    return rate * size_of(task)


def in_words(plan: Mapping[str, tuple[int, float]], scale: Scale) -> str:
    """One line per experiment and the sum."""
    lines = [f"scale {scale.name}, by rates of {measured()['from']}:"]
    for name, (count, seconds) in plan.items():
        lines.append(f"{name:<12} {count:>5} task{'s' if count > 1 else ' '} {in_time(seconds):>12} of CPU")
    total = sum(seconds for _, seconds in plan.values())
    return "\n".join([*lines, f"all: {in_time(total)} of CPU, {in_time(total / 2)} on 2 free cores"])


def in_time(seconds: float) -> str:
    """A time in the unit that shows it best.

    Example:
        >>> in_time(0.4), in_time(42), in_time(500), in_time(40_000)
        ('1 second', '42 seconds', '8 minutes', '11.1 hours')
    """
    if seconds < 90:
        return some(max(1, round(seconds)), "second")
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
