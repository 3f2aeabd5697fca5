"""Recordings of any size whose right answer is known, written block by block as a folder of parquet files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

Floats = npt.NDArray[np.float32]

ANSWERS = (
    ("steady", "steady_copy"), ("slow",), ("switch",), ("narrow", "narrow_copy"),
    ("left",), ("right",), ("key",), ("lock",),
)  # fmt: skip
"""Eight needed variables; two have a copy, and two pairs act only together."""
FEWEST_COLUMNS = sum(map(len, ANSWERS))
EPISODE = 200
STEPS_OF_A_FILE = 500_000
MOST_CELLS = 50_000_000


def write_recording(folder: Path, *, columns: int, steps: int, seed: int) -> None:
    """A four-level action of eight variables among `columns`, in episodes of 200 steps.

    The action is two bits. The first has log-odds in `steady`, `slow` (autocorrelated), `switch` and in
    whether `key` equals `lock`, two fair bits; the second in `narrow` and the product of the signs of `left`
    and `right`. The rest is noise of six kinds, among it walks and columns that drift over the whole
    recording, in scales from 1e-6 to 1e6.
    """
    folder.mkdir(parents=True)
    per_file = min(STEPS_OF_A_FILE, max(EPISODE, MOST_CELLS // columns // EPISODE * EPISODE))
    plan = np.random.default_rng([seed, columns])
    scales = (10.0 ** plan.uniform(-6, 6, columns)).astype(np.float32)
    order = plan.permutation(columns)
    for number, start in enumerate(range(0, steps, per_file)):
        n = min(per_file, steps - start)
        made = _block(n, columns, np.random.default_rng([seed, columns, number]), (start, steps))
        names = list(made)
        table = {names[j]: _scaled(made[names[j]], scales[j]) for j in order}
        action = table | {"action": made["action"], "episode": (start + np.arange(n)) // EPISODE}
        pq.write_table(pa.table(action), folder / f"part-{number:03d}.parquet", row_group_size=100_000)


def _scaled(values: npt.NDArray[np.generic], scale: np.float32) -> npt.NDArray[np.generic]:
    return values * scale if values.dtype == np.float32 else values


def _block(
    n: int, columns: int, rng: np.random.Generator, where: tuple[int, int]
) -> dict[str, npt.NDArray[np.generic]]:
    """Columns of `n` steps, with the action last."""
    start, total = where
    within = np.arange(n) % EPISODE
    needed = _needed(n, rng)
    noise = {
        f"noise_{k}": _noise(k, n, rng, (start + np.arange(n, dtype=np.float32)) / total, within)
        for k in range(columns - FEWEST_COLUMNS)
    }
    return needed | noise | {"action": _actions(needed, rng)}


def _needed(n: int, rng: np.random.Generator) -> dict[str, npt.NDArray[np.generic]]:
    steady, narrow, left, right = rng.standard_normal((4, n), dtype=np.float32)
    return {
        "steady": steady,
        "slow": _autoregressive(n, rng),
        "switch": rng.integers(0, 2, n, dtype=np.int8),
        "narrow": narrow,
        "left": left,
        "right": right,
        "key": rng.integers(0, 2, n, dtype=np.int8),
        "lock": rng.integers(0, 2, n, dtype=np.int8),
        "steady_copy": 3 * steady + 2,
        "narrow_copy": narrow**3,
    }


def _autoregressive(n: int, rng: np.random.Generator, keep: float = 0.9) -> Floats:
    """Standard normal within each episode, each step keeping most of the one before."""
    noise = rng.standard_normal((-(-n // EPISODE), EPISODE), dtype=np.float32)
    for t in range(1, EPISODE):
        noise[:, t] = keep * noise[:, t - 1] + np.float32(np.sqrt(1 - keep**2)) * noise[:, t]
    return noise.ravel()[:n]


def _noise(
    k: int, n: int, rng: np.random.Generator, time: Floats, within: npt.NDArray[np.int64]
) -> npt.NDArray[np.generic]:
    """Six kinds in turn: bits, whole numbers, normals, heavy tails, walks, drift over the recording."""
    kind = k % 6
    if kind == 0:
        return rng.integers(0, 2, n, dtype=np.int8)
    if kind == 1:
        return rng.integers(0, 11, n, dtype=np.int8)
    normal = rng.standard_normal(n, dtype=np.float32)
    if kind == 2:
        return normal
    if kind == 3:
        return normal / np.sqrt(np.maximum(rng.standard_exponential(n, dtype=np.float32), 1e-6))
    if kind == 4:
        total = np.cumsum(normal, dtype=np.float64)
        before = np.repeat((total - normal)[within == 0], EPISODE)[:n]
        return (total - before).astype(np.float32)
    return normal + 3 * np.sin(3 * time + k)


def _actions(x: dict[str, npt.NDArray[np.generic]], rng: np.random.Generator) -> npt.NDArray[np.int8]:
    first = 1.2 * x["steady"] + 0.9 * x["slow"] + 1.6 * (x["switch"] - 0.5)
    first += 1.6 * ((x["key"] == x["lock"]) - 0.5)
    second = 1.5 * np.sign(x["left"] * x["right"]) + 1.0 * x["narrow"]
    draws = rng.random((2, len(first)), dtype=np.float32)
    bits = [1 / (1 + np.exp(-logit)) > draw for logit, draw in zip((first, second), draws, strict=True)]
    return (2 * bits[0] + bits[1]).astype(np.int8)
