"""Figures as files: themes, contrast, formats."""

from xml.etree import ElementTree

import pytest
from example_data import cart_pole

from terc import figures
from terc.figures.style import COLOURS


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_colours_reach_the_contrast_that_wcag_asks_for(theme):
    paper, faint = COLOURS["paper"][theme], COLOURS["faint"][theme]
    for role in ("ink", "muted", "blue", "red", "vermillion", "green", "purple", "gold"):
        assert contrast(COLOURS[role][theme], paper) >= 4.5, role
    for role in ("ink", "muted"):
        assert contrast(COLOURS[role][theme], faint) >= 4.5, role


def simulated(colour, kind):
    """The colour as seen without one kind of cone (Vienot, Brettel, Mollon 1999, linear RGB)."""
    matrix = {
        "protan": ((0.11238, 0.88762, 0.0), (0.11238, 0.88762, 0.0), (0.00401, -0.00401, 1.0)),
        "deutan": ((0.29275, 0.70725, 0.0), (0.29275, 0.70725, 0.0), (-0.02234, 0.02234, 1.0)),
    }[kind]
    rgb = [(int(colour[i : i + 2], 16) / 255) ** 2.2 for i in (1, 3, 5)]
    return [max(0.0, sum(m * c for m, c in zip(row, rgb, strict=True))) ** (1 / 2.2) for row in matrix]


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("kind", ["protan", "deutan"])
@pytest.mark.parametrize("pair", [("blue", "vermillion"), ("blue", "red"), ("blue", "green")])
def test_colours_that_meet_in_one_picture_differ_for_the_colour_blind(pair, kind, theme):
    one, other = (simulated(COLOURS[role][theme], kind) for role in pair)
    assert max(abs(a - b) for a, b in zip(one, other, strict=True)) > 0.2


def test_colours_become_variables_so_that_the_page_decides():
    text = figures.to_svg(figures.gain_bars(cart_pole()))
    assert "var(--terc-blue, #0072b2)" in text
    assert "var(--terc-red, #c4161c)" in text
    assert "width=" not in text.split(">")[0]


def test_a_file_of_its_own_follows_light_and_dark(tmp_path):
    path = figures.save(figures.gain_bars(cart_pole()), tmp_path / "gains.svg")
    root = ElementTree.fromstring(path.read_text(encoding="utf8"))
    style = root.find("{http://www.w3.org/2000/svg}style").text
    assert "prefers-color-scheme: dark" in style
    assert COLOURS["blue"][1] in style


@pytest.mark.parametrize(("name", "start"), [("a.png", b"\x89PNG"), ("a.pdf", b"%PDF")])
def test_other_formats(tmp_path, name, start):
    path = figures.save(figures.gain_bars(cart_pole()), tmp_path / name)
    assert path.read_bytes().startswith(start)


def test_two_figures_in_one_page_share_no_identity():
    texts = [figures.to_svg(figures.gain_bars(cart_pole()), key) for key in ("one", "two")]
    identities = [{e.get("id") for e in ElementTree.fromstring(t).iter()} - {None} for t in texts]
    assert identities[0]
    assert identities[0].isdisjoint(identities[1])
    for text, identity in zip(texts, identities, strict=True):
        used = {e.get("href") for e in ElementTree.fromstring(text).iter()} - {None}
        assert {u.removeprefix("#") for u in used} <= identity
