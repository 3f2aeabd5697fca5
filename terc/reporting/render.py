"""Templates in Jinja2: text is escaped unless it is `Markup`, and invisible signs are written out."""

import base64
import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Self

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from markupsafe import escape as escape_signs

from terc.figures.style import span
from terc.figures.svg import variables
from terc.plurals import some
from terc.returns.verdict import as_sentence
from terc.selection.printing import GIVEN, information_in, number, so_far, why_none
from terc.selection.result import Verdict
from terc.selection.visible_names import visible


def render(template: str, **context: object) -> str:
    """A template of this room, filled; pages get their style and script."""
    return _environment().get_template(template).render(**context)


@cache
def _environment() -> Environment:
    layout: dict[str, Any] = {"autoescape": True, "trim_blocks": True, "lstrip_blocks": True}
    checks: dict[str, Any] = {"undefined": StrictUndefined, "finalize": escape}
    found = Environment(loader=PackageLoader("terc.reporting"), **layout, **checks)
    own = (
        variable,
        percent,
        paragraphs,
        prose,
        number,
        p_value,
        sortable,
        bar_style,
        reason,
        so_far,
        why_none,
    )
    found.filters |= {one.__name__: one for one in own}
    found.filters |= {
        "some": some,
        "names": names_in_a_row,
        "sentence": as_sentence,
        "information_in": information_in,
    }
    found.tests["known"] = lambda value: value is not None and not math.isnan(value)
    script = _asset("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode("utf8")).digest()).decode("ascii")
    style = Markup(_colours() + _asset("page.css"))
    found.globals |= {"script": Markup(script), "script_digest": digest, "style": style}
    return found


def escape(text: object) -> Markup:
    """`text` as HTML: itself if it is Markup, else escaped, invisible characters written out."""
    if isinstance(text, Markup):
        return text
    shown = (c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in str(text))
    return escape_signs("".join(shown))


def prose(text: str) -> Markup:
    """A sentence of ours or of a note, with what stands in backticks shown as code.

    Example:
        >>> print(prose("Set `order` & run."))
        Set <code>order</code> &amp; run.
    """
    if isinstance(text, Markup):
        return text
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    code = Markup("<code>{}</code>")
    return Markup("").join(code.format(escape(p)) if i % 2 else escape(p) for i, p in enumerate(parts))


def variable(name: object) -> Markup:
    """The name of a variable as text; its writing direction does not affect the text around it.

    Example:
        >>> print(variable("<script>"))
        <bdi class="variable">&lt;script&gt;</bdi>
    """
    return Markup('<bdi class="variable">{}</bdi>').format(escape(visible(name)))


def names_in_a_row(names: Iterable[object], most: int = 6) -> Markup:
    """Names for a sentence; beyond `most` they are counted."""
    every = list(names)
    row = Markup(", ").join(variable(name) for name in every[:most])
    return row + f" and {len(every) - most} more" if len(every) > most else row


def reason(verdict: Verdict, most: int = 6) -> Markup:
    """Why a variable stays or goes, and which others that is said of."""
    if verdict.given and verdict.reason in GIVEN:
        return Markup(GIVEN[verdict.reason]).format(names_in_a_row(verdict.given, most))
    return escape(visible(verdict.reason))


def percent(share: float) -> str:
    """A share in per cent with one digit."""
    return f"{100 * share:.1f} %"


def p_value(value: float) -> str:
    """A p-value with no more digits than it deserves.

    Example:
        >>> p_value(0.00004), p_value(0.0321)
        ('< 0.001', '0.032')
    """
    if math.isnan(value):
        return "-"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def sortable(value: float | None) -> Markup:
    """The attribute that a column is sorted by; none for what was not measured, which comes last."""
    if value is None or math.isnan(value):
        return Markup("")
    return Markup(f' data-sort="{value:.8g}"')


def _colours() -> str:
    """Colours as variables: by the screen, or as the reader chose; on paper always the light ones."""
    light, dark = variables(dark=False), variables(dark=True)
    return (
        f":root{{{light}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}\n"
        f"@media screen{{:root[data-theme=dark]{{{dark}}}}}\n"
    )


def _asset(name: str) -> str:
    return resources.files("terc.reporting").joinpath(name).read_text(encoding="utf8")


def paragraphs(*texts: str) -> Markup:
    """Sentences, each a paragraph of its own; empty ones are left out, and paragraphs stay as they are."""
    paragraph = Markup("<p>{}</p>")
    whole = (text if str(text).startswith("<p>") else paragraph.format(prose(text)) for text in texts if text)
    return Markup("").join(whole)


@dataclass(frozen=True)
class BarScale:
    """From nats to per cent of the width.

    Example:
        >>> BarScale(0.0, 0.5).percent(0.25)
        50.0
    """

    low: float
    high: float

    @classmethod
    def of(cls, rows: Sequence[Verdict]) -> Self:
        """The scale that holds all of `rows`."""
        return cls(*span(rows))

    def percent(self, value: float) -> float:
        """Place of `value` between the ends, kept inside them."""
        share = (value - self.low) / (self.high - self.low)
        return round(100 * min(1.0, max(0.0, share)), 2)


def bar_style(verdict: Verdict, scale: BarScale) -> str:
    """The places of bar, interval and threshold as CSS variables."""
    gain, null = (0.0 if math.isnan(value) else value for value in (verdict.gain, verdict.null_high))
    low, high = (gain if math.isnan(end) else end for end in (verdict.low, verdict.high))
    places = {"a": min(0.0, gain), "b": max(0.0, gain), "l": low, "h": high, "n": null}
    return "".join(f"--{key}:{scale.percent(value)}%;" for key, value in places.items())
