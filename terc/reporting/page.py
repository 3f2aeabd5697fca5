"""The page of a selection, a comparison or a run, from its parts."""

from __future__ import annotations

from terc.reporting.comparison_tables import comparison_head, methods_table, variables_by_methods
from terc.reporting.document import document
from terc.reporting.doubts import doubts, doubts_section
from terc.reporting.first_screen import first_screen
from terc.reporting.markup import Markup, join, tag
from terc.reporting.material import Material
from terc.reporting.pictures import gallery, of_agents, of_checks, of_comparison, of_selection
from terc.reporting.quarter_slider import quarter_slider
from terc.reporting.settings import settings_section
from terc.reporting.variables_table import variables_table


def page(material: Material) -> str:
    """The whole HTML document."""
    return document(f"{material.title}: terc report", _first(material), _sections(material))


def _first(material: Material) -> Markup:
    if material.selection is not None:
        points = sum(d.check for d in doubts(material))
        return first_screen(material.selection, material.title, material.saved, points)
    if material.comparison:
        return comparison_head(material.comparison, material.title)
    return tag("div", tag("p", "Run", class_="eyebrow"), tag("h1", material.title), class_="answer")


def _sections(material: Material) -> list[tuple[str, str, Markup]]:
    """(anchor, title, content) of every part below the first screen; empty parts are left out."""
    selection, sides, nothing = material.selection, material.comparison, Markup("")
    parts = [
        ("why", "Why these variables", gallery(of_selection(selection)) if selection else nothing),
        ("agents", "The smaller agent", join([_outcome(material), gallery(of_agents(material))])),
        ("training", "Through training", quarter_slider(material.quarters) if material.quarters else nothing),
        ("variables", "All variables", variables_table(selection) if selection else nothing),
        ("methods", "Methods compared", _methods(material) if sides else nothing),
        ("checks", "Checks", gallery(of_checks(material))),
        ("doubt", "What to doubt", doubts_section(doubts(material))),
        ("settings", "Settings, seeds, versions", settings_section(material)),
    ]
    return [part for part in parts if part[2]]


def _outcome(material: Material) -> Markup:
    lines = [tag("li", f"{sentence[:1].upper()}{sentence[1:]}.") for sentence in material.outcome]
    return tag("ul", *lines, class_="plain outcome") if lines else Markup("")


def _methods(material: Material) -> Markup:
    first = methods_table(material.comparison) if material.selection is not None else ""
    drawn = gallery(of_comparison(material.comparison))
    return join([first, drawn, variables_by_methods(material.comparison)])
