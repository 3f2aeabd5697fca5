"""`paper.html`: every claim with its two measurements, and every picture, in one file that opens offline."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from terc.paper.claims import COLUMNS, Claim, Side
from terc.paper.summary import COUNTS, SIZES, summary
from terc.reporting.page import Section
from terc.reporting.render import render
from terc.trajectories.files import write_text_atomically

if TYPE_CHECKING:
    from terc.paper.run import Place, Reproduction


@dataclass(frozen=True)
class ClaimRow:
    """A claim as a line of a table; a number beside a verdict points to its cause below.

    Attributes:
        sides: What each column says, None where it says nothing, with the number of its cause or 0.
    """

    statement: str
    sides: tuple[tuple[Side | None, int], ...]


def table(claims: Iterable[Claim]) -> tuple[list[ClaimRow], list[str]]:
    """The lines, and the causes that they point to, each once."""
    causes: list[str] = []
    rows = []
    for claim in claims:
        sides = []
        for column in COLUMNS:
            side = claim.sides.get(column)
            if side is not None and side.cause and side.cause not in causes:
                causes.append(side.cause)
            number = causes.index(side.cause) + 1 if side is not None and side.cause else 0
            sides.append((side, number))
        rows.append(ClaimRow(claim.statement, tuple(sides)))
    return rows, causes


def write_page(made: Reproduction) -> Path:
    """Write the page; the path."""
    first = summary(made)
    sections = [Section(one.key, one.title, _place(one)) for one in made.places]
    sections.append(Section("sizes", SIZES, Markup("<p>{}</p>").format(first.sizes)))
    title = "The paper, reproduced"
    page = render("paper.html", title=title, summary=first, counts=COUNTS, sections=sections)
    write_text_atomically(made.page, page)
    return made.page


def _place(place: Place) -> Markup:
    rows, causes = table(place.claims)
    claims = render("claims.html", title=place.title, rows=rows, causes=causes, columns=COLUMNS)
    return Markup(claims + render("pictures.html", pictures=place.pictures))
