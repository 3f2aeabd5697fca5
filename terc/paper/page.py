"""`paper.html`: every claim beside our number, and every picture, in one file that opens offline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from terc import figures
from terc.paper.claims import Claim
from terc.paper.experiment import Picture
from terc.reporting.document import document
from terc.reporting.markup import Markup, join, prose, tag
from terc.trajectories.files import write_text_atomically

if TYPE_CHECKING:
    from terc.paper.run import Chapter, Reproduction


def write_page(made: Reproduction) -> Path:
    """Write the page; the path."""
    sections = [(one.experiment.name, one.experiment.title, _chapter(one)) for one in made.chapters]
    write_text_atomically(made.page, document("The paper, reproduced", _first(made), sections))
    return made.page


def _first(made: Reproduction) -> Markup:
    size = (
        f"Scale {made.scale.name}: {made.scale.agents} agents per world, {made.scale.mine_runs} runs of the "
        f"paper's estimator; {made.cpu_seconds / 60:.0f} minutes of one core."
    )
    heading = tag("h1", tag("em", f"{len(made.claims)} claims"), f" of the paper, measured: {made.in_words}.")
    return tag(
        "div",
        tag("p", "terc paper", class_="eyebrow"),
        heading,
        tag("p", size, class_="data"),
        class_="answer",
    )


def _chapter(chapter: Chapter) -> Markup:
    return join(
        [_table(chapter.claims, chapter.experiment.title), *(_picture(one) for one in chapter.pictures)]
    )


def _table(claims: tuple[Claim, ...], title: str) -> Markup:
    names = ("in the paper", "the paper says", "we measure", "verdict", "why")
    head = tag("tr", *(tag("th", name, scope="col") for name in names))
    body = [
        tag(
            "tr",
            tag("th", claim.where, scope="row"),
            tag("td", prose(claim.statement)),
            tag("td", prose(claim.ours)),
            tag("td", tag("strong", claim.verdict)),
            tag("td", prose(claim.why)),
        )
        for claim in claims
    ]
    table = tag("table", tag("thead", head), tag("tbody", *body), class_="claims")
    # Whole on the page: the frame scrolls sideways on a narrow screen, not down.
    options = {"class_": "scroll", "style": "max-height:none", "tabindex": "0", "role": "region"}
    return tag("div", table, aria_label=f"Claims: {title}", **options)


def _picture(picture: Picture) -> Markup:
    text = tag("div", tag("h3", picture.title, id=picture.key), tag("p", picture.words), class_="words")
    drawing = tag("figure", Markup(figures.to_svg(picture.draw(), picture.key)))
    return tag("section", text, drawing, class_="picture", aria_labelledby=picture.key)
