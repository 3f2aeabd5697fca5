"""`reproduce`: the experiments of the paper in one folder, continued if they were interrupted."""

import itertools
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from terc import figures
from terc.errors import DataFileError, UnknownNameError, unknown_name, warn
from terc.paper import condition_1, inference, prisoners, studied, synthetic, theory
from terc.paper.claims import COLUMNS, PLURAL, Claim
from terc.paper.experiment import Experiment, do_all
from terc.paper.page import write_docs, write_page
from terc.paper.plan import expected_of, in_words, planned, rates
from terc.paper.scale import Scale, scale_named
from terc.progress import Listener, silent
from terc.records import plain
from terc.reporting.pictures import Picture
from terc.store import Store

EXPERIMENTS = {
    one.name: one
    for one in (
        theory.EXPERIMENT,
        synthetic.EXPERIMENT,
        studied.SECRET_KEY,
        *studied.GYM,
        prisoners.EXPERIMENT,
        condition_1.EXPERIMENT,
        inference.EXPERIMENT,
    )
}
TOGETHER = {"gym": [one.name for one in studied.GYM], "all": list(EXPERIMENTS)}
"""Words for several experiments."""
ANY_OF_GYM = "gym (or one of its worlds: cart-pole, lunar-lander, pendulum)"
PLACES = {
    "Theory": ("Theory: lemmas, theorems, Algorithm 1", "theory"),
    "Section 7.1": ("7.1: consistent over seeds", "all"),
    "Fig. 1": ("Fig. 1: synthetic data", "synthetic"),
    "Fig. 3": ("Fig. 3: the Secret Key Game", "secret-key"),
    "Fig. 4": ("Fig. 4: the Secret Key Game through training", "secret-key"),
    "Table 1": ("Table 1: inference, Secret Key Game", "inference"),
    "Fig. 5": ("Fig. 5: Cart Pole, Lunar Lander, Pendulum", ANY_OF_GYM),
    "Fig. 6": ("Fig. 6: Cart Pole through training", "cart-pole"),
    "Fig. 7": ("Fig. 7: Lunar Lander through training", "lunar-lander"),
    "Fig. 8": ("Fig. 8: Pendulum through training", "pendulum"),
    "Table 2": ("Table 2: inference, Gym environments", "inference"),
    "Fig. 10": ("Fig. 10: Iterated Prisoner's Dilemma", "prisoners"),
    "Fig. 11": ("Fig. 11: Condition 1", "condition-1"),
    "Fig. 12": ("Fig. 12: the dilemma through training", "prisoners"),
    "Appendix": ("Appendix: training and estimation", "all"),
}
"""Places of the paper in its order, each with its heading and the experiment that shows it."""


@dataclass(frozen=True)
class Place:
    """The claims and pictures of one figure, table or section of the paper."""

    name: str
    title: str
    claims: tuple[Claim, ...]
    pictures: tuple[Picture, ...]

    @property
    def key(self) -> str:
        """Its anchor."""
        return re.sub("[. ]+", "-", self.name.lower())


@dataclass(frozen=True)
class Reproduction:
    """A finished reproduction.

    Attributes:
        places: One per figure, table or section that they speak of, in the paper's order.
        cpu_seconds: What all tasks in the folder took together.
        made_by: Commit, versions and machine -> how many tasks were made by it.
    """

    folder: Path
    scale: Scale
    experiments: tuple[str, ...]
    places: tuple[Place, ...]
    cpu_seconds: float
    made_by: dict[str, int]

    @property
    def missing(self) -> tuple[str, ...]:
        """Experiments of the paper that were left out."""
        return tuple(name for name in EXPERIMENTS if name not in self.experiments)

    @property
    def page(self) -> Path:
        """The page with everything."""
        return self.folder / "paper.html"

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Of all places."""
        return tuple(claim for place in self.places for claim in place.claims)

    def verdicts(self, column: str, methods: Sequence[str] | None = None) -> Counter[str]:
        """Verdict -> how many claims have it in one column, by some methods or by all."""
        sides = [claim.sides[column] for claim in self.claims if column in claim.sides]
        return Counter(side.verdict for side in sides if methods is None or side.method in methods)

    def counts(self, column: str) -> dict[str, int]:
        """The same in the order of the verdicts."""
        found = self.verdicts(column)
        return {verdict: found[verdict] for verdict in PLURAL if found[verdict]}

    def in_words(self, column: str) -> str:
        """How many claims agree in one column, and how many do not."""
        return ", ".join(f"{count} {PLURAL[verdict]}" for verdict, count in self.counts(column).items())

    def by_whom(self) -> dict[tuple[str, str], Counter[str]]:
        """Whose method and whose agents -> how often each verdict."""
        found: dict[tuple[str, str], Counter[str]] = {}
        for claim in self.claims:
            for side in claim.sides.values():
                found.setdefault((side.method, side.agent), Counter())[side.verdict] += 1
        return found

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON types."""
        claims = [
            {"place": c.place, "statement": c.statement, **{k: vars(s) for k, s in c.sides.items()}}
            for c in self.claims
        ]
        counts = {column: self.counts(column) for column in COLUMNS}
        found = self.by_whom().items()
        whom = [{"method": m, "agent": a, **{v: n[v] for v in PLURAL}} for (m, a), n in found]
        return {
            "folder": str(self.folder),
            "scale": self.scale.name,
            "experiments": list(self.experiments),
            "cpu_seconds": self.cpu_seconds,
            "page": str(self.page),
            "made_by": self.made_by,
            "counts": counts,
            "by_whom": whom,
            "claims": claims,
        }

    def __str__(self) -> str:
        lines = []
        for place in self.places:
            lines.append(place.title)
            for claim in place.claims:
                verdicts = "; ".join(f"{column}: {side.verdict}" for column, side in claim.sides.items())
                lines.append(f"  [{verdicts}] {claim.statement}")
        counts = [f"{column}: {self.in_words(column)}" for column in COLUMNS]
        return "\n".join([*lines, f"{len(self.claims)} claims", *counts, f"page: {self.page}"])


def reproduce(  # noqa: PLR0913  (the public contract; all but one are keywords)
    names: Sequence[str] = ("all",),
    *,
    scale: str = "quick",
    out: str | Path | None = None,
    docs: str | Path | None = None,
    drawings: str | Path | None = None,
    n_jobs: int = 2,
    progress: Listener | None = None,
) -> Reproduction:
    """Run experiments of the paper, or continue them, and write `paper.html` and `claims.json`.

    Args:
        names: "theory", "synthetic", "secret-key", "cart-pole", "pendulum", "lunar-lander" ("gym" for all
            three), "prisoners", "condition-1", "inference", or "all".
        scale: "quick" or "full".
        out: The folder; `runs/paper-SCALE` if not given.
        docs: Where to write `reproduction.md` with its pictures too; None for nowhere.
        drawings: Where to write every picture as .svg and .pdf; None for nowhere.
    """
    chosen, size = experiments_named(names), scale_named(scale)
    store = Store(Path(out) if out is not None else Path("runs") / f"paper-{scale}", "paper")
    with store.locked():
        for note in store.prepare({"scale": size.name, "sizes": plain(size)}, fixed=["scale"]):
            warn(note)
        try:
            expected = expected_of(planned(chosen, size))
            listen = progress or silent
            done = do_all(chosen, size, store, n_jobs=n_jobs, listen=listen, expected=expected)
            costs = {"from": f"a run at scale {size.name}", "rates": rates(store, done)}
            store.write_json("costs.json", costs)
            made = _gathered(size, chosen, store)
            store.write_json("claims.json", made.to_dict())
            write_page(made)
            if docs is not None:
                write_docs(made, Path(docs))
            if drawings is not None:
                write_figures(made, Path(drawings))
        except OSError as error:
            raise DataFileError(
                f"paper: cannot write in {store.path} ({error.strerror or error}); what was finished "
                "is safe; continue with the same command."
            ) from error
    return made


def plan(names: Sequence[str] = ("all",), *, scale: str = "quick", as_json: bool = False) -> str:
    """What `reproduce` would do and cost, in words or as JSON; nothing is done."""
    size = scale_named(scale)
    found = planned(experiments_named(names), size)
    if not as_json:
        return in_words(found, size)
    rows = {name: {"tasks": tasks, "cpu_seconds": round(cpu, 1)} for name, (tasks, cpu) in found.items()}
    return json.dumps({"scale": size.name, "plan": rows}, indent=1)


def experiments_named(names: Sequence[str]) -> list[Experiment]:
    """The experiments of these names, in the paper's order."""
    for name in names:
        if name not in EXPERIMENTS and name not in TOGETHER:
            raise _no_experiment(name)
    chosen = {one for name in names for one in TOGETHER.get(name, [name])}
    return [experiment for name, experiment in EXPERIMENTS.items() if name in chosen]


def _no_experiment(name: str) -> UnknownNameError:
    """The error; for a figure or table of the paper, in any spelling, it names the experiment."""
    found = re.fullmatch(r"(fig|table)[a-z]*[^a-z0-9]*(\d+)", name.lower())
    place = f"{'Fig.' if found[1] == 'fig' else 'Table'} {found[2]}" if found else ""
    if place in PLACES:
        return UnknownNameError(
            f"paper: no experiment named {name!r}; {place} is made by: terc paper {PLACES[place][1]}."
        )
    return unknown_name("paper", "experiment", name, [*EXPERIMENTS, *TOGETHER])


def write_figures(made: Reproduction, folder: Path) -> list[Path]:
    """Every picture as .svg and as .pdf, such as `fig-5-cart-pole-bars-ours.svg`; the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for place in made.places:
        for picture, kind in itertools.product(place.pictures, ("svg", "pdf")):
            written.append(figures.save(picture.draw(), folder / f"{place.key}-{picture.key}.{kind}"))
    return written


def _gathered(scale: Scale, chosen: Sequence[Experiment], store: Store) -> Reproduction:
    claims = [claim for one in chosen for claim in one.claims(scale, store)]
    pictures = [pair for one in chosen for pair in one.pictures(scale, store)]
    places = []
    for name, (title, _) in PLACES.items():
        here = tuple(claim for claim in claims if claim.place == name)
        shown = tuple(picture for place, picture in pictures if place == name)
        places += [Place(name, title, here, shown)] * bool(here)
    keys, names = store.keys(), tuple(one.name for one in chosen)
    made_by = dict(Counter(store.made_by(key) for key in keys))
    seconds = sum(store.seconds(key) for key in keys)
    return Reproduction(store.path, scale, names, tuple(places), seconds, made_by)
