"""The shell of every page: one HTML file that needs nothing else and asks nobody for anything."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib import resources

from terc.figures.svg import variables
from terc.reporting.markup import Markup, escape, tag

Section = tuple[str, str, Markup]
"""(anchor, title, content)."""


def document(title: str, first: Markup, sections: Sequence[Section]) -> str:
    """The whole HTML document: a bar with links, the first screen, the sections.

    Example:
        >>> page = document("A & B", tag("h1", "Hello"), [("one", "One", tag("p", "text"))])
        >>> "<title>A &amp; B</title>" in page, '<h2 id="one">One</h2><p>text</p>' in page
        (True, True)
    """
    script = _asset("page.js")
    head = [
        Markup('<meta charset="utf-8">'),
        _policy(script),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("link", rel="icon", href="data:,"),
        tag("style", Markup(_colours() + _asset("page.css"))),
    ]
    body = [
        tag("a", "Skip to the answer", href="#answer", class_="skip"),
        _bar([(key, title) for key, title, _ in sections]),
        tag("main", first, *(_section(*section) for section in sections), id="answer", tabindex="-1"),
        tag("footer", tag("p", "Made by terc. This file is complete: it loads nothing and sends nothing.")),
        tag("script", Markup(script)),
    ]
    whole = tag("html", tag("head", *head), tag("body", *body), lang="en")
    return f"<!doctype html>\n{whole}\n"


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
