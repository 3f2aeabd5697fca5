"""`reproduce`: the experiments of the paper in one folder, continued if they were interrupted."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from terc.errors import DataFileError, TercWarning, unknown_name
from terc.paper import condition_1, gym, inference, prisoners, secret_key, synthetic
from terc.paper.claims import PLURAL, Claim
from terc.paper.experiment import Experiment
from terc.paper.markdown import write_docs
from terc.paper.page import write_page
from terc.paper.scale import Scale, scale_named
from terc.paper.work import do_all
from terc.progress import Listener, silent
from terc.records import plain
from terc.reporting.pictures import Picture
from terc.store import Store

EXPERIMENTS = {
    one.EXPERIMENT.name: one.EXPERIMENT
    for one in (synthetic, secret_key, gym, prisoners, condition_1, inference)
}


@dataclass(frozen=True)
class Chapter:
    """What came of one experiment."""

    experiment: Experiment
    claims: tuple[Claim, ...]
    pictures: tuple[Picture, ...]


@dataclass(frozen=True)
class Reproduction:
    """A finished reproduction.

    Attributes:
        folder: Where everything lies.
        scale: How large it was.
        chapters: One per experiment.
        cpu_seconds: What all tasks in the folder took together.
        known: Names of all experiments there are.
    """

    folder: Path
    scale: Scale
    chapters: tuple[Chapter, ...]
    cpu_seconds: float
    known: tuple[str, ...] = ()

    @property
    def page(self) -> Path:
        """The page with everything."""
        return self.folder / "paper.html"

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Of all chapters."""
        return tuple(claim for chapter in self.chapters for claim in chapter.claims)

    def counts(self) -> dict[str, int]:
        """Verdict -> how many claims have it."""
        verdicts = [claim.verdict for claim in self.claims]
        return {verdict: verdicts.count(verdict) for verdict in PLURAL if verdict in verdicts}

    @property
    def in_words(self) -> str:
        """How many claims agree, and how many do not."""
        return ", ".join(f"{count} {PLURAL[verdict]}" for verdict, count in self.counts().items())

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON types."""
        claims = [
            {"experiment": chapter.experiment.name, **vars(claim)}
            for chapter in self.chapters
            for claim in chapter.claims
        ]
        return {
            "folder": str(self.folder),
            "scale": self.scale.name,
            "cpu_seconds": self.cpu_seconds,
            "page": str(self.page),
            "claims": claims,
        }

    def __str__(self) -> str:
        """One line per claim, the counts, and where the page is."""
        lines = []
        for chapter in self.chapters:
            lines.append(chapter.experiment.title)
            lines += [f"  [{claim.verdict}] {claim.statement} {claim.ours}" for claim in chapter.claims]
        return "\n".join([*lines, f"{len(self.claims)} claims: {self.in_words}", f"page: {self.page}"])


def reproduce(
    names: Sequence[str] = ("all",),
    *,
    scale: str = "quick",
    out: str | Path | None = None,
    docs: str | Path | None = None,
    n_jobs: int = 2,
    progress: Listener | None = None,
) -> Reproduction:
    """Run experiments of the paper, or continue them, and write `paper.html`.

    Args:
        names: "synthetic", "secret-key", "gym", "prisoners", "condition-1", "inference", or "all".
        scale: "quick" or "full".
        out: The folder; `runs/paper-SCALE` if not given.
        docs: Where to write `reproduction.md` with its pictures too; None for nowhere.
        n_jobs: Worker processes; the results do not depend on it.
        progress: Called with an `Event` for each task.

    Raises:
        UnknownNameError: No such experiment or scale.
        BadValueError: The folder holds a reproduction of another scale, or something else.
    """
    chosen, size = experiments_named(names), scale_named(scale)
    store = Store(Path(out) if out is not None else Path("runs") / f"paper-{scale}", "paper")
    with store.locked():
        for note in store.prepare({"scale": size.name, "sizes": plain(size)}, fixed=["scale"]):
            warnings.warn(note, TercWarning, stacklevel=2)
        try:
            do_all(chosen, size, store, n_jobs=n_jobs, listen=progress or silent)
            return _written(size, chosen, store, docs)
        except OSError as error:
            raise DataFileError(
                f"paper: cannot write in {store.path} ({error.strerror or error}); what was finished "
                "is safe, go on with the same command."
            ) from error


def experiments_named(names: Sequence[str]) -> list[Experiment]:
    """The experiments of these names, in the paper's order.

    Example:
        >>> [experiment.name for experiment in experiments_named(["prisoners", "synthetic"])]
        ['synthetic', 'prisoners']
    """
    for name in names:
        if name not in (*EXPERIMENTS, "all"):
            raise unknown_name("paper", "experiment", name, [*EXPERIMENTS, "all"])
    return [e for name, e in EXPERIMENTS.items() if name in names or "all" in names]


def _written(
    scale: Scale, chosen: Sequence[Experiment], store: Store, docs: str | Path | None
) -> Reproduction:
    chapters = tuple(
        Chapter(one, tuple(one.claims(scale, store)), tuple(one.pictures(scale, store))) for one in chosen
    )
    seconds = sum(store.seconds(key) for key in store.keys())  # noqa: SIM118
    made = Reproduction(store.path, scale, chapters, seconds, tuple(EXPERIMENTS))
    store.write_json("claims.json", made.to_dict())
    write_page(made)
    if docs is not None:
        write_docs(made, Path(docs))
    return made
