"""`paper.html` and `docs/reproduction.md`: every claim with its two measurements, and every picture."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from terc import figures
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
    sections = []
    for place in made.places:
        rows, causes = table(place.claims)
        claims = render("claims.html", title=place.title, rows=rows, causes=causes, columns=COLUMNS)
        shown = Markup(claims + render("pictures.html", pictures=place.pictures))
        sections.append(Section(place.key, place.title, shown))
    sections.append(Section("sizes", SIZES, Markup("<p>{}</p>").format(first.sizes)))
    title = "The paper, reproduced"
    page = render("paper.html", title=title, summary=first, counts=COUNTS, sections=sections)
    write_text_atomically(made.page, page)
    return made.page


IMAGES = "images/reproduction"
WHO = "*agents, steps, seeds*"


def write_docs(made: Reproduction, docs: Path) -> Path:
    """Write `reproduction.md`, its claims as `reproduction.json` and its pictures below `docs`; the page."""
    (docs / IMAGES).mkdir(parents=True, exist_ok=True)
    for place in made.places:
        for picture in place.pictures:
            figures.save(picture.draw(), docs / IMAGES / f"{picture.key}.svg")
    claims = {name: value for name, value in made.to_dict().items() if name not in ("folder", "page")}
    write_text_atomically(docs / "reproduction.json", json.dumps(claims, indent=1, ensure_ascii=False))
    target = docs / "reproduction.md"
    write_text_atomically(target, markdown(made))
    return target


def markdown(made: Reproduction) -> str:
    """The page as text."""
    first, names = summary(made), " ".join(made.experiments) if made.missing else "all"
    lines = [
        "# The paper, reproduced",
        "",
        f"Written by `terc paper {names} --scale {made.scale.name} --write-docs docs`; "
        "do not edit. The same for machines: [reproduction.json](reproduction.json). "
        "`terc paper --plan` says what a run costs.",
        "",
        f"> {first.quote}",
        "",
        f"How many {COUNTS}:",
        "",
        *_grid(first.head, first.counts),
        "",
        *(f"- {note}" for note in first.notes),
    ]
    for place in made.places:
        lines += ["", f"## {place.title}", "", *_claims(place), *_pictures(place)]
    lines += ["", f"## {SIZES}", "", first.sizes]
    return "\n".join(lines) + "\n"


def _claims(place: Place) -> list[str]:
    found, causes = table(place.claims)
    rows = []
    for row in found:
        cells, who = [row.statement], [WHO]
        for side, number in row.sides:
            cells.append(f"**{side.verdict}**{f' ({number})' * bool(number)}: {side.found}" if side else "")
            who.append(f"*{side.who}*" if side else "")
        rows += [cells, who]
    head = ["the paper says", *COLUMNS]
    notes = [f"{number}. {cause}" for number, cause in enumerate(causes, 1)]
    return [*_grid(head, rows), *(["", *notes] if notes else [])]


def _grid(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(_cell(text) for text in line)} |" for line in lines]


def _cell(text: str) -> str:
    r"""Text that cannot end a cell.

    Example:
        >>> print(_cell("a | b"))
        a \| b
    """
    return " ".join(text.split()).replace("|", r"\|")


def _pictures(place: Place) -> list[str]:
    lines = []
    for picture in place.pictures:
        link = f"![{picture.title}]({IMAGES}/{picture.key}.svg)"
        lines += ["", f"### {picture.title}", "", picture.words, "", link]
    return lines
