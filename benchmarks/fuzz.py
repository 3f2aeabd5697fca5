"""Odd input at length: the answer is a result or a `TercError`, in bounded time and memory.

python benchmarks/fuzz.py --minutes 20            every property in turn, each time with new examples
python benchmarks/fuzz.py --only files --seed 7   one property, its examples drawn from this seed

Each property is a function of hypothesis' `data`; a find is shrunk to a small example and printed.
`tests/test_fuzz.py` runs the same properties with few examples.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import gymnasium
import numpy as np
import pandas as pd
from gymnasium import spaces
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st

import terc
from terc.agents.network_policy import NetworkPolicy
from terc.agents.policy import PolicySpec
from terc.cli.main import main as command_line

SECONDS = 60
"""Of CPU time that one example may take."""
MEMORY = 8 << 30
"""Bytes of addresses that the process may take."""

NASTY = ["<script>alert(1)</script>", "a\x1b[31m", "\u202eb", "=cmd()", "\r\nx", "ß", " ", "", "a" * 5000]
names = st.one_of(st.sampled_from([*NASTY, "action", "episode", "x", "x_1", "reward"]), st.text(max_size=8))
numbers = st.one_of(
    st.floats(width=64),
    st.integers(-(2**70), 2**70),
    st.sampled_from([np.nan, np.inf, -np.inf, 1e308, -1e-308, 2**63, 0, True, None, "a", "1", b"x", 1j]),
)


def column(draw: Callable[[Any], Any], rows: int) -> Any:
    """Values of one column: mostly plain, sometimes anything."""
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    kinds: dict[str, Callable[[], Any]] = {
        "bits": lambda: rng.integers(0, 2, rows),
        "levels": lambda: rng.integers(0, draw(st.integers(1, 60)), rows),
        "numbers": lambda: rng.normal(size=rows) * 10.0 ** draw(st.integers(-300, 300)),
        "constant": lambda: np.full(rows, draw(st.floats(allow_nan=False))),
        "text": lambda: rng.choice(draw(st.lists(st.text(max_size=3), min_size=1, max_size=4)), rows),
        "growing": lambda: np.arange(rows),
        "single": lambda: rng.normal(size=rows).astype(np.float32),
        "truth": lambda: rng.random(rows) < 0.5,
        "dates": lambda: pd.date_range("2020", periods=rows),
        "gaps": lambda: np.where(rng.random(rows) < 0.1, np.nan, rng.normal(size=rows)),
        "anything": lambda: (
            draw(st.lists(numbers, min_size=rows, max_size=rows)) if rows < 50 else [None] * rows
        ),
        "category": lambda: pd.Categorical(rng.choice(["u", "v"], rows)),
    }
    return kinds[draw(st.sampled_from([*kinds, "bits", "levels", "numbers", "numbers"]))]()


def frame(draw: Callable[[Any], Any]) -> pd.DataFrame:
    """A table with an action, an episode and some columns."""
    rows = draw(st.sampled_from([0, 1, 2, 7, 40, 120, 120, 120]))
    found = pd.DataFrame({"a": column(draw, rows), "e": np.arange(rows) // draw(st.integers(1, 30))})
    for number in range(draw(st.integers(0, 4))):
        name = draw(st.one_of(names, st.just(f"v{number}"), st.just(f"v{number}")))
        found.insert(len(found.columns), name, column(draw, rows), allow_duplicates=True)
    return found


options = st.fixed_dictionaries(
    {},
    optional={
        "estimator": st.sampled_from(["auto", "plugin", "plugin", "knn", "nothing", None, 3]),
        "method": st.sampled_from(["sequential", "naive", "minimal", "best"]),
        "alpha": st.one_of(st.floats(), st.sampled_from([0.05, 0, 1, "x", None])),
        "min_effect": st.one_of(st.floats(), st.none()),
        "order": st.one_of(st.lists(names, max_size=3), st.just("random"), st.just(5)),
        "costs": st.dictionaries(names, st.one_of(st.floats(), st.text(max_size=2)), max_size=2),
        "groups": st.lists(st.lists(names, max_size=2), max_size=2),
        "keep": st.lists(names, max_size=2),
        "seed": st.one_of(st.integers(-3, 2**70), st.floats()),
        "error_rate": st.sampled_from(["family", "discovery", "none"]),
        "target": st.sampled_from(["actions", "reward", "next", "end", ""]),
    },
)


def frames(data: Any) -> None:
    """Any frame, any names, any options: a selection that holds together, or a `TercError`."""
    recording = terc.Trajectories.from_frame(frame(data.draw), action="a", episode="e")
    selection = terc.select(recording, **data.draw(options))
    # Of other targets the action is a variable, too.
    assert {*selection.kept, *(one.name for one in selection.removed)} >= set(recording.names)
    assert len(selection.verdicts) == len(selection.kept) + len(selection.removed)
    f"{selection}".encode("utf8", "backslashreplace")
    with scratch() as folder:
        selection.save(folder / "s.json")
        assert terc.Selection.load(folder / "s.json").kept == selection.kept
        page = terc.report(selection, folder / "r.html").read_text(encoding="utf8")
        assert "<script>alert(1)" not in page


def arrays(data: Any) -> None:
    """Any shapes and types of arrays."""
    shape = st.lists(st.integers(0, 5), max_size=3)
    kind = st.sampled_from(["f8", "i8", "u1", "?", "f2", "c16", "U3", "O", "M8[s]", "V4"])
    made = [np.zeros(tuple(data.draw(shape)), data.draw(kind)) for _ in range(3)]
    values = st.one_of(st.none(), st.sampled_from(made), numbers, st.lists(numbers, max_size=4))
    words = ["episodes", "names", "action_kind", "probabilities", "rewards", "progress"]
    more = data.draw(st.fixed_dictionaries({}, optional=dict.fromkeys(words, values)))
    found = terc.Trajectories(data.draw(values), data.draw(values), **more)
    found.quarters()
    found.with_history(data.draw(st.integers(-1, 4)))
    terc.Trajectories.concat([found, found])


def files(data: Any) -> None:
    """Files with bytes changed, cut or added: they load as something, or are refused."""
    suffix = data.draw(st.sampled_from([".parquet", ".csv", ".npz", ".hdf5", ".json", ".zip", ".policy.npz"]))
    with scratch() as folder:
        path = folder / f"steps{suffix}"
        write_sound(path)
        path.write_bytes(damaged(path.read_bytes(), data.draw))
        if suffix == ".json":
            terc.report(path, folder / "r.html")
        elif suffix in (".zip", ".policy.npz"):
            terc.agents.load_policy(path)
        else:
            found = terc.load(
                path, **data.draw(st.sampled_from([{}, {"action": "action"}, {"action": "x0"}]))
            )
            terc.select(found, estimator="plugin")


def commands(data: Any) -> None:
    """Any words on the command line: an exit code that is meant, and one line where it is 2."""
    verbs = [
        "select",
        "compare",
        "history",
        "redundancy",
        "report",
        "export",
        "doctor",
        "example",
        "ablate",
        "",
    ]
    flags = [
        "--action",
        "--episode",
        "--alpha",
        "--keep",
        "--group",
        "--cost",
        "--json",
        "--steps",
        "--out",
        "--x",
    ]
    values = st.sampled_from(
        ["action", "steps.csv", "steps.parquet", "missing.csv", "0.1", "-1", "a=b", "all", "\x00"]
    )
    words = data.draw(st.lists(st.one_of(st.sampled_from(flags), values, st.text(max_size=4)), max_size=5))
    with scratch() as folder, contextlib.chdir(folder):
        for suffix in (".csv", ".parquet"):
            write_sound(folder / f"steps{suffix}")
        said = io.StringIO()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
            try:
                command_line([data.draw(st.sampled_from(verbs)), *words])
            except SystemExit as ended:
                code = ended.code
        assert code in (0, 1, 2), code
        assert code != 2 or said.getvalue().splitlines()[-1].startswith("terc: "), said.getvalue()


def space(draw: Callable[[Any], Any], depth: int = 2) -> Any:
    """A space of Gymnasium: numbers, choices, rarely anything else, in dictionaries and tuples."""
    kinds: dict[str, Callable[[], Any]] = {
        "box": lambda: box(draw),
        "number": lambda: spaces.Box(-1.0, 1.0, (draw(st.integers(1, 4)),)),
        "choice": lambda: spaces.Discrete(draw(st.integers(1, 5)), start=draw(st.integers(-2, 2))),
        "choices": lambda: spaces.MultiDiscrete(draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))),
        "switches": lambda: spaces.MultiBinary(draw(st.sampled_from([1, 3, [2, 2]]))),
        "strange": lambda: draw(
            st.sampled_from(
                [spaces.Text(3), spaces.Sequence(spaces.Discrete(2)), spaces.Box(0, 255, (8, 8, 3), np.uint8)]
            )
        ),
        "dict": lambda: spaces.Dict(
            {name: space(draw, depth - 1) for name in draw(st.lists(names, max_size=3))}
        ),
        "tuple": lambda: spaces.Tuple([space(draw, depth - 1) for _ in range(draw(st.integers(0, 3)))]),
    }
    chosen = [*kinds, "number", "number", "choice", "choices"]
    return kinds[draw(st.sampled_from(chosen if depth else [*kinds][:5]))]()


def box(draw: Callable[[Any], Any]) -> Any:
    """Numbers of any type, shape and bounds."""
    kind = draw(st.sampled_from([np.float16, np.float32, np.float64, np.int8, np.uint8, np.int64]))
    low, high = draw(st.sampled_from([(0, 1), (-5, 5), (-np.inf, np.inf), (0, np.inf), (3, 3)]))
    shape = draw(st.sampled_from([(), (1,), (3,), (2, 3), (0,), (2, 1, 2)]))
    if np.issubdtype(kind, np.integer):
        low, high = max(low, 0), min(high, 100)
    return spaces.Box(low, high, shape, kind)


class Odd(gymnasium.Env[Any, Any]):
    """Shows samples of its space; now and then it does what it should not."""

    def __init__(self, observation_space: Any, action_space: Any, fault: str) -> None:
        self.observation_space, self.action_space, self.fault = observation_space, action_space, fault

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, Any]:
        """Begin."""
        super().reset(seed=seed)
        self.observation_space.seed(seed)
        return self.observation_space.sample(), None if self.fault == "info" else {}

    def step(self, action: Any) -> Any:
        """Go on."""
        if self.fault == "raises":
            raise KeyError("motor")
        shown = self.observation_space.sample()
        if self.fault == "gaps" and isinstance(shown, np.ndarray):
            shown = np.full(shown.shape, np.nan)
        if self.fault == "shape":
            shown = np.zeros(9)
        reward = {"reward": "much", "endless": np.inf}.get(self.fault, 1.0)
        return shown, reward, bool(self.np_random.random() < 0.2), False, {}


def plays(data: Any) -> None:
    """Any environment and any answer of a policy: trajectories that hold together, or a `TercError`."""
    faults = ["", "", "", "", "raises", "gaps", "shape", "info", "reward", "endless"]
    shown, taken = space(data.draw), space(data.draw)
    fault, how = data.draw(st.sampled_from(faults)), data.draw(st.sampled_from(["one", "one", "many", "odd"]))
    answer = data.draw(
        st.one_of(numbers, st.lists(numbers, max_size=3), st.dictionaries(names, numbers, max_size=2))
    )
    taken.seed(0)

    def policy(states: Any) -> Any:
        if how == "odd":
            return answer
        return taken.sample() if how == "one" else [taken.sample() for _ in states]

    one = lambda: Odd(shown, taken, fault)  # noqa: E731
    several = data.draw(st.sampled_from([False, False, False, True]))
    made = (lambda: gymnasium.vector.SyncVectorEnv([one, one])) if several else one
    found = terc.rollout(made, policy, steps=120, seed=0)
    assert len(found) == 120 and np.isfinite(found.states).all() and len(found.names) == found.states.shape[1]
    terc.ablate(made, policy, found.names[:1], episodes=2, steps=120)
    if not data.draw(st.integers(0, 9)):  # it takes a second
        terc.distill(made, policy, found.names[:1], episodes=2, rounds=1, steps=120)
    terc.select(found, estimator="plugin")


PROPERTIES = {"frames": frames, "arrays": arrays, "files": files, "commands": commands, "plays": plays}


def write_sound(path: Path) -> None:
    """A small file of each kind as terc, or a library, writes it."""
    rng = np.random.default_rng(0)
    found = terc.Trajectories(
        rng.integers(0, 2, (60, 3)), rng.integers(0, 2, 60), episodes=np.arange(60) // 6
    )
    if path.name.endswith(".policy.npz"):
        layers = tuple((rng.normal(size=size), rng.normal(size=size[1])) for size in ((3, 4), (4, 2)))
        NetworkPolicy(PolicySpec(None, 3, n_actions=2), layers).save(path)
    elif path.suffix == ".json":
        terc.select(found, estimator="plugin").save(path)
    elif path.suffix == ".zip":
        import zipfile

        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("data", "{}")
            archive.writestr("policy.pth", b"x" * 50)
    elif path.suffix == ".hdf5":
        import h5py

        with h5py.File(path, "w") as file:
            file["observations"], file["actions"] = found.states, found.actions
            file["terminals"] = np.arange(60) % 6 == 5
    else:
        found.save(path)


def damaged(content: bytes, draw: Callable[[Any], Any]) -> bytes:
    """The bytes with some changed, cut off, doubled or put in."""
    raw = bytearray(content)
    for _ in range(draw(st.integers(0, 4))):
        place = draw(st.integers(0, max(len(raw) - 1, 0)))
        if raw:
            raw[place] = draw(st.integers(0, 255))
    begin = draw(st.one_of(st.just(0), st.integers(0, len(raw))))
    cut = draw(st.one_of(st.just(len(raw)), st.integers(0, len(raw))))
    middle = draw(st.one_of(st.just(b""), st.just(b""), st.binary(max_size=12)))
    return bytes(raw[:cut]) + middle + bytes(raw[cut:] if draw(st.booleans()) else raw[begin:begin])


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A folder that is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def ends_well(property_: Callable[[Any], None]) -> Callable[[Any], None]:
    """The property, for which a `TercError` is an answer too."""

    def tried(data: Any) -> None:
        with warnings.catch_warnings(), contextlib.suppress(terc.TercError):
            warnings.simplefilter("ignore")
            property_(data)

    return tried


def check(name: str, *, examples: int, seed: int | None = None) -> None:
    """Try one property with so many examples; raises what it finds, shrunk."""
    phases = (Phase.generate, Phase.shrink)
    found = given(st.data())(ends_well(PROPERTIES[name]))
    found = settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=phases,
        suppress_health_check=list(HealthCheck),
    )(found)
    (found if seed is None else seeded(seed)(found))()


def limit() -> None:
    """Bounds on memory, and on the CPU time of one round of examples."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    def late(*_: Any) -> None:
        raise TimeoutError("too much CPU time")

    signal.signal(signal.SIGPROF, late)


def main() -> None:
    """Look for as long as was asked; exit 1 if anything was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--only", nargs="*", choices=list(PROPERTIES), default=list(PROPERTIES))
    parser.add_argument("--seed", type=int, default=0, help="of the first round")
    chosen = parser.parse_args()
    limit()
    end, round_, finds, tried = time.monotonic() + 60 * chosen.minutes, chosen.seed, 0, 0
    examples = 25
    while time.monotonic() < end:
        for name in chosen.only:
            signal.setitimer(signal.ITIMER_PROF, SECONDS * 3)
            try:
                check(name, examples=examples, seed=round_)
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
                finds += 1
                print(f"--- {name}, seed {round_}", flush=True)
                traceback.print_exc(limit=-6, file=sys.stdout)
            tried += examples
        round_ += 1
    seeds = f"seeds {chosen.seed} to {round_ - 1}"
    print(f"{tried:,} examples in {chosen.minutes:g} minutes, {seeds}: {finds} finds")
    sys.exit(bool(finds))


if __name__ == "__main__":
    main()
