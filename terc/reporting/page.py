"""The page: one HTML file that needs nothing else and asks nobody for anything."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources

from terc.figures.svg import variables
from terc.reporting.comparison_tables import comparison_head, methods_table, variables_by_methods
from terc.reporting.doubts import doubts, doubts_section
from terc.reporting.first_screen import first_screen
from terc.reporting.markup import Markup, escape, join, tag
from terc.reporting.material import Material
from terc.reporting.pictures import gallery, of_agents, of_checks, of_comparison, of_selection
from terc.reporting.quarter_slider import quarter_slider
from terc.reporting.settings import settings_section
from terc.reporting.variables_table import variables_table


def page(material: Material) -> str:
    """The whole HTML document."""
    script = _asset("page.js")
    head = [
        Markup('<meta charset="utf-8">'),
        _policy(script),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{material.title}: terc report"),
        tag("link", rel="icon", href="data:,"),
        tag("style", Markup(_colours() + _asset("page.css"))),
    ]
    sections = _sections(material)
    body = [
        tag("a", "Skip to the answer", href="#answer", class_="skip"),
        _bar([(key, title) for key, title, _ in sections]),
        tag(
            "main",
            _first(material),
            *(_section(*section) for section in sections),
            id="answer",
            tabindex="-1",
        ),
        tag("footer", tag("p", "Made by terc. This file is complete: it loads nothing and sends nothing.")),
        tag("script", Markup(script)),
    ]
    document = tag("html", tag("head", *head), tag("body", *body), lang="en")
    return f"<!doctype html>\n{document}\n"


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


def _section(key: str, title: str, content: Markup) -> Markup:
    heading = tag("h2", title, id=key)
    return tag("section", heading, content, class_="part", aria_labelledby=key)


def _bar(parts: list[tuple[str, str]]) -> Markup:
    links = [tag("li", tag("a", title, href=f"#{key}")) for key, title in parts]
    toggle = tag("button", "Dark", type="button", id="theme", hidden=True)
    brand = tag("span", "terc", class_="brand")
    return tag(
        "header", brand, tag("nav", tag("ul", *links), aria_label="Parts of the report"), toggle, class_="top"
    )


def _colours() -> str:
    """Colours as variables: by the screen, or as the reader chose; on paper always the light ones."""
    light, dark = variables(dark=False), variables(dark=True)
    return (
        f":root{{{light}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}\n"
        f"@media screen{{:root[data-theme=dark]{{{dark}}}}}\n"
    )


def _policy(script: str) -> Markup:
    """The rule for the browser: load nothing, run only the script of this very page."""
    digest = base64.b64encode(hashlib.sha256(script.encode("utf8")).digest()).decode("ascii")
    rule = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return Markup(f'<meta http-equiv="Content-Security-Policy" content="{escape(rule)}">')


def _asset(name: str) -> str:
    return resources.files("terc.reporting").joinpath(name).read_text(encoding="utf8")
