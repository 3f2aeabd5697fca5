"""HTML that is safe by construction: text is escaped unless it is already `Markup`."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable
from typing import Any

from terc.selection.visible_names import visible

_VOID = ("input", "meta", "link", "br", "hr")


class Markup(str):
    """Text that is HTML already and is not escaped again.

    Example:
        >>> print(tag("p", "1 < 2", Markup("<br>")))
        <p>1 &lt; 2<br></p>
    """

    __slots__ = ()


def escape(text: object) -> Markup:
    """`text` as HTML: itself if it is Markup, else escaped, invisible characters written out."""
    if isinstance(text, Markup):
        return text
    seen = "".join(c if c.isprintable() or c == "\n" else _written_out(c) for c in str(text))
    return Markup(html.escape(seen))


def _written_out(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def tag(name: str, /, *children: object, **attributes: object) -> Markup:
    """One element. `class_` and `for_` lose their underscore, `aria_label` becomes aria-label.

    An attribute that is True stands alone; one that is None or False is left out.

    Example:
        >>> print(tag("a", "x", href="#y", class_="z", hidden=None))
        <a href="#y" class="z">x</a>
    """
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{join(children)}</{name}>")


def _attribute(key: str, value: object) -> str:
    if value is None or value is False:
        return ""
    shown = key.rstrip("_").replace("_", "-")
    return f" {shown}" if value is True else f' {shown}="{escape(value)}"'


def join(parts: Iterable[object], between: str = "") -> Markup:
    """The parts, each escaped unless Markup, with `between` (HTML) among them."""
    return Markup(between.join(escape(part) for part in parts))


def prose(text: str) -> Markup:
    """A sentence of ours or of a note, with what stands in backticks shown as code.

    Example:
        >>> print(prose("Set `order` & run."))
        Set <code>order</code> &amp; run.
    """
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    return join(tag("code", part) if i % 2 else part for i, part in enumerate(parts))


def variable(name: object) -> Markup:
    """The name of a variable: as text, its direction kept from its neighbours.

    Example:
        >>> print(variable("<script>"))
        <bdi class="variable">&lt;script&gt;</bdi>
    """
    return tag("bdi", visible(name), class_="variable")


def names_in_a_row(names: Iterable[object], most: int = 6) -> Markup:
    """Names for a sentence; beyond `most` they are counted."""
    every = list(names)
    shown = [variable(name) for name in every[:most]]
    if len(every) > most:
        shown[-1] = join([shown[-1], f" and {len(every) - most} more"])
    return join(shown, ", ")


def data_block(identity: str, record: Any) -> Markup:
    """`record` as JSON for the page's script; nothing in it can end the block early."""
    text = json.dumps(record, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return tag("script", Markup(text), type="application/json", id=identity)
