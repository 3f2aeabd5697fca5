"""A figure as SVG with real text, whose colours follow the page it is put on."""

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
from matplotlib.figure import Figure

from terc.errors import BadValueError
from terc.figures.style import COLOURS, HOUSE_SETTINGS

_SVG = "http://www.w3.org/2000/svg"
_XLINK_HREF = "{http://www.w3.org/1999/xlink}href"
_HEX = re.compile(r"#[0-9a-f]{6}\b")
_FORMATS = (".svg", ".png", ".pdf")


def to_svg(figure: Figure, key: str = "figure", *, alone: bool = False) -> str:
    """The figure as one `<svg>` element: searchable text, a text alternative, colours as CSS variables.

    Args:
        key: Put before every id, so that several figures can live in one page. Letters, digits, `-`.
        alone: For a file of its own: adds the namespace and the colours for light and dark screens.

    Example:
        >>> from matplotlib.figure import Figure
        >>> drawing = Figure()
        >>> _ = drawing.text(0.1, 0.5, "<b> & 'c'")
        >>> "&lt;b&gt; &amp; 'c'" in to_svg(drawing)
        True
    """
    root = ElementTree.fromstring(_rendered(figure, key))
    _drop(root, ("metadata", "style"))
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
        found = element.attrib.items()
        element.attrib = {"href" if k == _XLINK_HREF else k: _value(k, v, key) for k, v in found}
    _name(root, str(figure.get_label()) or "Figure", key)
    if alone:
        root.set("xmlns", _SVG)
        style = ElementTree.Element("style")
        style.text = theme_css(":root")
        root.insert(0, style)
    else:
        del root.attrib["width"], root.attrib["height"]
    return ElementTree.tostring(root, encoding="unicode")


def save(figure: Figure, path: str | Path) -> Path:
    """Write the figure as .svg (real text, follows light and dark), .png (200 dpi) or .pdf."""
    path = Path(path)
    if path.suffix.lower() not in _FORMATS:
        raise BadValueError(f"figures.save: path must end with one of {list(_FORMATS)}, got {path.name!r}.")
    if path.suffix.lower() == ".svg":
        path.write_text(to_svg(figure, alone=True), encoding="utf8")
    else:
        with matplotlib.rc_context(HOUSE_SETTINGS), _no_glyph_warnings():
            figure.savefig(path, dpi=200)
    return path


def theme_css(scope: str) -> str:
    """CSS that gives each colour variable of `scope` its light value, and its dark one on dark screens."""
    dark = f"{scope} {{ {variables(dark=True)} }}"
    light = f"{scope} {{ {variables(dark=False)} }}"
    return f"{light}\n@media screen and (prefers-color-scheme: dark) {{ {dark} }}"


def variables(*, dark: bool) -> str:
    """The colour variables as CSS declarations."""
    return " ".join(f"--terc-{role}: {pair[int(dark)]};" for role, pair in COLOURS.items())


def _rendered(figure: Figure, key: str) -> str:
    buffer = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    ours = {**HOUSE_SETTINGS, "svg.fonttype": "none", "svg.hashsalt": key}
    with matplotlib.rc_context(ours), _no_glyph_warnings():
        figure.savefig(buffer, format="svg", metadata=nothing)
    return buffer.getvalue()


@contextmanager
def _no_glyph_warnings() -> Iterator[None]:
    """Browsers have fonts for scripts that matplotlib lacks: its measure is rough, the text is complete."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support .* natively")
        yield


def _drop(root: ElementTree.Element, names: tuple[str, ...]) -> None:
    """Remove what reaches beyond the figure: a `<style>` of matplotlib would apply to the whole page."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.removeprefix(f"{{{_SVG}}}") in names:
                parent.remove(child)
    root.set("style", "stroke-linejoin: round; stroke-linecap: butt")


def _value(name: str, value: str, key: str) -> str:
    if name == "id":
        return f"{key}-{value}"
    if name in (_XLINK_HREF, "href") and value.startswith("#"):
        return f"#{key}-{value[1:]}"
    if name == "style":
        named = _HEX.sub(lambda found: _VARIABLES.get(found[0], found[0]), value)
        return named.replace("url(#", f"url(#{key}-")
    return value.replace("url(#", f"url(#{key}-") if name in ("clip-path", "fill", "mask") else value


_VARIABLES = {light: f"var(--terc-{role}, {light})" for role, (light, _) in COLOURS.items()}


def _name(root: ElementTree.Element, text: str, key: str) -> None:
    title = ElementTree.Element("title", {"id": f"{key}-title"})
    title.text = text
    root.insert(0, title)
    root.set("role", "img")
    root.set("aria-labelledby", f"{key}-title")
    root.set("class", "terc-figure")
