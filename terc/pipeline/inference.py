"""What a smaller state saves at run time: calls of the two policies, timed turn by turn.

Other work on the machine slows calls down for a while, so the policies take turns call by call and each is
timed alone: both meet the same disturbances. The minimum shows what the code costs, the median and the
quartiles what one gets. On a small network the overhead of the framework outweighs the inputs, so the same
policies are timed in torch, as ONNX and as plain numpy, as far as these are installed.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from terc.agents.network_policy import NetworkPolicy
from terc.agents.policy import Policy
from terc.arrays import Array
from terc.exporting.numpy_policy import load_source, numpy_source
from terc.exporting.onnx_policy import onnx_bytes
from terc.figures.inference_times import InferenceTime
from terc.progress import Report
from terc.records import Record
from terc.threads import one_thread

Call = Callable[[Array], Any]
BATCHES = (1, 64)
FRAMEWORKS = ("torch", "onnxruntime")
WARM_UP = 50
BLOCKS = 20


@dataclass(frozen=True)
class SpeedUp:
    """How many times faster the reduced policy is, by median.

    Attributes:
        ratio: Median of the full over median of the reduced.
        low: Lower end of the spread: 2.5 % quantile of the ratio over blocks of the calls.
    """

    runtime: str
    batch: int
    ratio: float
    low: float
    high: float


@dataclass(frozen=True)
class Inference(Record):
    """Times of all policies.

    Attributes:
        speed_up: One for each runtime and batch, where there are two policies.
        missing: Runtimes that would fit but are not installed.

    Example:
        >>> rows = (InferenceTime("full", "torch", 1, 16.0), InferenceTime("reduced", "numpy", 1, 4.0))
        >>> Inference(rows).gain()
        4.0
    """

    rows: tuple[InferenceTime, ...]
    speed_up: tuple[SpeedUp, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def reference(self) -> str:
        """The runtime that others are compared with: torch, or numpy where torch was not timed."""
        return "torch" if any(row.runtime == "torch" for row in self.rows) else "numpy"

    def gain(self, batch: int = 1) -> float | None:
        """How many times faster the quickest form of the smallest policy is than the full one as it was."""
        place = ("full", self.reference, batch)
        before = [r.median for r in self.rows if (r.state, r.runtime, r.batch) == place]
        states = [r.state for r in self.rows]
        state = "reduced" if "reduced" in states else "full"
        after = [r.median for r in self.rows if (r.state, r.batch) == (state, batch)]
        return before[0] / min(after) if before and after else None


def time_policies(
    policies: Mapping[str, Policy],
    states: Mapping[str, Array],
    *,
    calls: int = 10_000,
    progress: Report | None = None,
) -> Inference:
    """Microseconds per call of each policy, in each runtime that is installed and fits it.

    Args:
        states: State -> rows to act on `[n, d]`; they are repeated if they are fewer than a batch.
    """
    rows: list[InferenceTime] = []
    ratios: list[SpeedUp] = []
    forms = {state: runtimes(policy) for state, policy in policies.items()}
    shared = [name for name in next(iter(forms.values())) if all(name in form for form in forms.values())]
    groups = [(name, batch) for name in shared for batch in BATCHES]
    with one_thread():
        for number, (name, batch) in enumerate(groups):
            batches = {s: np.resize(states[s], (batch, states[s].shape[1])) for s in policies}
            taken = _take_turns({s: forms[s][name] for s in policies}, batches, calls)
            for state, times in taken.items():
                median, least, low, high = (float(q) / 1000 for q in np.quantile(times, [0.5, 0, 0.25, 0.75]))
                inputs = states[state].shape[1]
                rows.append(InferenceTime(state, name, batch, median, least, low, high, inputs))
            if len(taken) == 2:
                ratios.append(_ratio(name, batch, *taken.values()))
            if progress is not None:
                progress(number + 1, len(groups), f"{name}, batch {batch}")
    networks = [forms[state] for state, policy in policies.items() if isinstance(policy, NetworkPolicy)]
    missing = tuple(name for name in FRAMEWORKS if networks and name not in networks[0])
    return Inference(tuple(rows), tuple(ratios), missing)


def runtimes(policy: Policy) -> dict[str, Call]:
    """Runtime -> a function from states to likeliest actions; those that are installed and fit the policy."""
    variables = [f"x_{k}" for k in range(policy.spec.n_variables if policy.spec else 0)]
    found: dict[str, Call] = {}
    if isinstance(policy, NetworkPolicy):
        with suppress(ImportError):
            found["torch"] = _in_torch(policy)
        with suppress(ImportError):
            found["onnxruntime"] = _in_onnxruntime(onnx_bytes(policy, variables, ""))
    return found | {"numpy": load_source(numpy_source(policy, variables, range(len(variables)), "timed"))}


def _in_torch(policy: NetworkPolicy) -> Call:
    import torch

    module, discrete = policy.to_torch().eval(), policy.spec.is_discrete

    def call(states: Array) -> Any:
        with torch.inference_mode():
            outputs = module(torch.from_numpy(states).float())
            return outputs.argmax(dim=1) if discrete else outputs

    return call


def _in_onnxruntime(model: bytes) -> Call:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return lambda states: session.run(None, {"states": states})


def _take_turns(calls_of: Mapping[str, Call], batches: Mapping[str, Array], calls: int) -> dict[str, Array]:
    """Nanoseconds of each call `[calls]`; the policy that goes first changes every turn."""
    pairs = [(call, np.ascontiguousarray(batches[state], np.float32)) for state, call in calls_of.items()]
    for call, states in pairs * WARM_UP:
        call(states)
    times = np.empty((len(pairs), calls), np.int64)
    order = list(enumerate(pairs))
    clock = time.perf_counter_ns
    for turn in range(calls):
        for place, (call, states) in order:
            began = clock()
            call(states)
            times[place, turn] = clock() - began
        order.reverse()
    return dict(zip(calls_of, times, strict=True))


def _ratio(runtime: str, batch: int, full: Array, reduced: Array) -> SpeedUp:
    count = min(BLOCKS, len(full))
    blocks = zip(np.array_split(full, count), np.array_split(reduced, count), strict=True)
    ratios: Sequence[float] = [float(np.median(a) / np.median(b)) for a, b in blocks]
    low, high = np.quantile(ratios, [0.025, 0.975])
    return SpeedUp(runtime, batch, float(np.median(full) / np.median(reduced)), float(low), float(high))
