"""Which smaller agent a run offers: the distilled one, or the one that its frontier confirmed."""

from terc.pipeline import files
from terc.returns.distilled import Distilled
from terc.store import Store


def read_smaller(store: Store) -> tuple[Distilled | None, Distilled | None]:
    """The agent on the kept variables, and the one on the smallest set of the frontier, if any."""
    paths = store / files.DISTILLED, store / files.SMALLEST
    distilled, smallest = (Distilled.load(path) if path.is_file() else None for path in paths)
    return distilled, smallest


def offered(distilled: Distilled | None, smallest: Distilled | None) -> Distilled | None:
    """The one on fewer variables, of those that are as good; the distilled one where they have as many."""
    if smallest is None or distilled is None:
        return distilled or smallest
    fewer = len(smallest.variables) < len(distilled.variables)
    return smallest if fewer or not distilled.as_good else distilled
