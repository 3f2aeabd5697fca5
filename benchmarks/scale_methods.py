"""One method on one recording in a process of its own: prints the names it keeps, and what that took.

python benchmarks/scale_methods.py METHOD FOLDER [--workers 2] [--backend ray]

`scale.py` starts it. Imports and reading the recording are part of the cost, as they are for a user.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]
SEED = 0
REPEATS = 5
BINS = 4


def read(folder: Path) -> tuple[Array, npt.NDArray[np.int64], npt.NDArray[np.int64], list[str]]:
    """States, actions, episodes and names."""
    import pyarrow.parquet as pq

    table = pq.read_table(folder)
    names = [name for name in table.column_names if name not in ("action", "episode")]
    states = np.column_stack([table[name].to_numpy().astype(np.float32) for name in names])
    return states, table["action"].to_numpy().astype(np.int64), table["episode"].to_numpy(), names


def permutation(folder: Path) -> list[str]:
    """Histogram trees; kept is what held-out episodes miss by two standard deviations when it is permuted."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.inspection import permutation_importance

    x, y, episodes, names = read(folder)
    held = episodes % 3 == 0
    model = HistGradientBoostingClassifier(random_state=SEED).fit(x[~held], y[~held])
    found = permutation_importance(model, x[held], y[held], n_repeats=REPEATS, random_state=SEED)
    return [names[j] for j in np.flatnonzero(found.importances_mean - 2 * found.importances_std > 0)]


def boruta(folder: Path) -> list[str]:
    """Boruta with the forest its authors recommend."""
    from boruta import BorutaPy
    from sklearn.ensemble import RandomForestClassifier

    x, y, _, names = read(folder)
    forest = RandomForestClassifier(max_depth=5, class_weight="balanced", random_state=SEED)
    search = BorutaPy(forest, n_estimators="auto", max_iter=50, random_state=SEED).fit(x, y)
    return [names[j] for j in np.flatnonzero(search.support_)]


def rfecv(folder: Path) -> list[str]:
    """Recursive elimination with cross-validation over a forest, a tenth of the columns at a time."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.feature_selection import RFECV
    from sklearn.model_selection import GroupKFold

    x, y, episodes, names = read(folder)
    forest = RandomForestClassifier(n_estimators=50, min_samples_leaf=5, random_state=SEED)
    search = RFECV(forest, step=0.1, cv=GroupKFold(3)).fit(x, y, groups=episodes)
    return [names[j] for j in np.flatnonzero(search.support_)]


def markov_boundary(folder: Path) -> list[str]:
    """IAMB with G-tests on columns cut at their quartiles."""
    sys.path.insert(0, str(Path(__file__).parent))
    from iamb import iamb

    from terc.trajectories.data import Trajectories

    x, y, _, names = read(folder)
    cuts = np.quantile(x, np.arange(1, BINS) / BINS, axis=0)
    binned = sum((x > cut).astype(np.float64) for cut in cuts)
    return list(iamb(Trajectories(binned, y, names=names)))


def terc_select(folder: Path, *, workers: int = 1, backend: str | None = None) -> list[str]:
    """What `terc select` does, with workers."""
    import terc
    from terc.cli.data_options import DEFAULT_STEPS

    data = terc.load(folder, action="action", episode="episode", steps=DEFAULT_STEPS, seed=SEED)
    return list(terc.select(data, seed=SEED, n_jobs=workers, backend=backend).kept)


RIVALS: dict[str, Callable[[Path], list[str]]] = {
    "permutation": permutation,
    "boruta": boruta,
    "rfecv": rfecv,
    "markov-boundary": markov_boundary,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run and print one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("method", choices=["terc", *RIVALS])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--backend")
    parser.add_argument("--limit", type=int, help="CPU seconds after which the process is ended")
    given = parser.parse_args(arguments)
    if given.limit:
        resource.setrlimit(resource.RLIMIT_CPU, (given.limit, given.limit))
    if given.method == "terc":
        kept = terc_select(given.folder, workers=given.workers, backend=given.backend)
    else:
        kept = RIVALS[given.method](given.folder)
    own = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({"kept": kept, "own_cpu_seconds": own.ru_utime + own.ru_stime}))


if __name__ == "__main__":
    main()
