"""`paper.html`: every claim beside our number, and every picture, in one file that opens offline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from terc.reporting.page import Section
from terc.reporting.render import render
from terc.trajectories.files import write_text_atomically

if TYPE_CHECKING:
    from terc.paper.run import Chapter, Reproduction


def write_page(made: Reproduction) -> Path:
    """Write the page; the path."""
    size = (
        f"Scale {made.scale.name}: {made.scale.agents} agents per world, {made.scale.mine_runs} runs of the "
        f"paper's estimator; {made.cpu_seconds / 60:.0f} minutes of one core."
    )
    page = render(
        "paper.html",
        title="The paper, reproduced",
        count=len(made.claims),
        words=made.in_words,
        size=size,
        sections=[Section(one.experiment.name, one.experiment.title, _chapter(one)) for one in made.chapters],
    )
    write_text_atomically(made.page, page)
    return made.page


def _chapter(chapter: Chapter) -> Markup:
    claims = render("claims.html", title=chapter.experiment.title, claims=chapter.claims)
    return Markup(claims + render("pictures.html", pictures=chapter.pictures))
