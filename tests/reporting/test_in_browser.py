"""The report in a real browser, opened from disk."""

import ast
from dataclasses import replace

import example_data
import pytest

from terc.reporting import report
from terc.reporting.material import Material
from terc.selection.visible_names import visible

NAMES = ["everything", "hostile", "copies", "many", "history", "comparison"]


def rows(page, table="variables-table"):
    return page.eval_on_selector_all(f"#{table} tbody tr:not([hidden]) th", "e => e.map(x => x.textContent)")


WIDTHS = (1920, 1280, 1000, 768, 390)
# Of the smallest letter in a figure on the screen, turned ones included.
SMALLEST = """Math.min(...Array.from(document.querySelectorAll('svg.terc-figure text'), (text) => {
  const m = text.getScreenCTM();
  return parseFloat(getComputedStyle(text).fontSize) * Math.sqrt(Math.abs(m.a * m.d - m.b * m.c));
}))"""
CLIPPED = """Math.max(0, ...Array.from(document.querySelectorAll('.scroll'), (box) =>
  Math.max(box.scrollWidth - box.clientWidth, box.getBoundingClientRect().right - innerWidth)))"""


@pytest.mark.parametrize("name", NAMES)
def test_at_any_width_and_printed_it_asks_nobody_cuts_no_column_off_and_can_be_read(pages, open_page, name):
    opened = open_page(pages[name])
    page = opened.page
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(SMALLEST) >= 8.9
        assert page.evaluate(CLIPPED) <= 0, width
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 718, "height": 1000})  # A4 between its margins
    assert page.evaluate(CLIPPED) <= 0
    assert opened.requests == [pages[name].as_uri()]
    assert opened.complaints == []


def test_on_a_phone_the_unplugging_table_is_whole_and_longer_ones_show_that_they_go_on(open_page, tmp_path):
    ablation, selection = example_data.ablation(), example_data.secret_keys(60)
    many = replace(ablation, rows=ablation.rows * 12)
    path = report(Material(selection=selection, ablation=many), tmp_path / "long.html")
    page = open_page(path, width=480).page
    inner = "(e) => [e.scrollHeight - e.clientHeight, getComputedStyle(e).backgroundImage]"
    hidden, _ = page.eval_on_selector(".scroll:has(#unplugging-table)", inner)
    assert hidden <= 0
    hidden, shadows = page.eval_on_selector(".scroll:has(#variables-table)", inner)
    assert hidden > 0 and shadows.count("linear-gradient") == 4


@pytest.mark.parametrize(
    ("name", "width", "scheme"),
    [
        ("everything", 1280, "light"),
        ("everything", 1920, "dark"),
        ("everything", 768, "light"),
        ("everything", 390, "dark"),
        ("hostile", 390, "light"),
        ("comparison", 1280, "light"),
    ],
)
def test_axe_finds_no_violation(pages, open_page, name, width, scheme):
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(open_page(pages[name], width=width, scheme=scheme).page).response["violations"]
    assert [(v["id"], v["impact"], v["nodes"][0]["html"][:120]) for v in found] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_picture_has_a_text_alternative(pages, open_page, name):
    page = open_page(pages[name]).page
    assert page.query_selector("img, canvas, object, iframe") is None
    pictures = page.query_selector_all("svg, [role=img]")
    assert pictures
    for picture in pictures:
        by_id = picture.get_attribute("aria-labelledby")
        text = page.eval_on_selector(f"[id='{by_id}']", "e => e.textContent") if by_id else ""
        assert len(text or picture.get_attribute("aria-label") or "") > 20


def test_the_first_screen_has_the_answer_the_names_and_the_code(pages, open_page):
    page = open_page(pages["everything"]).page
    assert page.inner_text("h1") == "The smaller agent is as good."
    first = page.inner_text(".first-screen")
    for words in ("theta_dot", "noise_1", "3 irrelevant", "SelectVariables", "columns = [0, 1, 2, 3]"):
        assert words in first
    titles = page.eval_on_selector_all(".run-verdict dt", "e => e.map(x => x.textContent)")
    assert titles == ["The smaller agent", "What it reads", "What unplugging does", "What to doubt"]
    for part in (".run-verdict", ".use"):
        assert page.eval_on_selector(part, "e => e.getBoundingClientRect().bottom") < 800
    heading = open_page(pages["many"]).page.inner_text("h1")
    assert (
        " ".join(heading.split()) == "3 of 300 variables kept; they hold 100.0 % of the action information."
    )


def test_the_code_is_what_it_says(pages, open_page):
    page = open_page(pages["everything"]).page
    code = page.eval_on_selector_all("pre code", "e => e.map(x => x.textContent)")[1]
    found = {"SelectVariables": lambda env, kept: (env, kept), "env": "env"}
    exec(code.replace("from terc.environments import SelectVariables", ""), found)
    assert found["env"] == ("env", ["x", "x_dot", "theta", "theta_dot"])


def test_the_code_of_hostile_names_is_still_python(pages, open_page, hostile_names):
    page = open_page(pages["hostile"]).page
    code = page.eval_on_selector_all("pre code", "e => e.map(x => x.textContent)")[0]
    names = ast.literal_eval(code.split("kept = ")[1].split("\nenv")[0])
    assert names == hostile_names[1:4]


def test_sorting_by_number_and_by_name(pages, open_page):
    page = open_page(pages["many"]).page
    assert rows(page)[:3] == ["key_0", "key_1", "key_2"]
    gain = page.locator("#variables-table th", has_text="gain")
    gain.locator("button").click()
    assert rows(page)[:3] == ["key_5", "key_1", "key_299"]
    assert gain.get_attribute("aria-sort") == "descending"
    gain.locator("button").click()
    assert rows(page)[-3:] == ["key_299", "key_1", "key_5"]
    name = page.locator("#variables-table thead th", has_text="variable")
    name.locator("button").press("Enter")
    assert rows(page)[:12][-2:] == ["key_10", "key_11"], "numbers in names count as numbers"
    assert gain.get_attribute("aria-sort") == "none"
    assert len(rows(page)) == 300


def test_unmeasured_values_stay_last_in_both_directions(tmp_path, open_page):
    base = example_data.cart_pole()
    unknown = replace(base.verdicts[0], name="unknown", alone=None)
    page = open_page(report(replace(base, verdicts=(unknown, *base.verdicts)), tmp_path / "r.html")).page
    button = page.locator("#variables-table th", has_text="alone").locator("button")
    for _ in range(2):
        button.click()
        assert rows(page)[-1] == "unknown"


def test_filtering_by_name_and_by_verdict(pages, open_page):
    page = open_page(pages["many"]).page
    page.fill("#variables-table-name", "KEY_29")
    assert rows(page) == ["key_29", *(f"key_{i}" for i in range(290, 300))]
    assert page.inner_text("#variables-table-count") == "11 of 300 variables"
    page.select_option("#variables-table-state", "kept")
    assert rows(page) == ["key_299"]
    page.fill("#variables-table-name", "")
    assert rows(page) == ["key_1", "key_5", "key_299"]
    page.fill("#variables-table-name", "<b>")
    assert rows(page) == []
    undecided = open_page(pages["copies"]).page
    undecided.select_option("#variables-table-state", "undecided")
    assert rows(undecided) == ["wind"]


def test_filtering_the_comparison(pages, open_page):
    page = open_page(pages["comparison"]).page
    page.select_option("#methods-table-state", "kept")
    assert rows(page, "methods-table") == ["x", "x_dot", "theta", "theta_dot"]


def test_hostile_names_are_text_everywhere(pages, open_page, hostile_names):
    opened = open_page(pages["hostile"])
    page = opened.page
    assert page.evaluate("document.querySelectorAll('script').length") == 1
    assert page.query_selector("img") is None
    shown = page.inner_text("body") + page.evaluate("document.documentElement.textContent")
    for name in hostile_names:
        assert visible(name) in shown
    assert "\u202e" not in shown
    assert page.evaluate("document.querySelectorAll('svg script, svg img, main style').length") == 0
    cells = rows(page)
    assert cells == [visible(name) for name in hostile_names]
    written = " ".join(page.eval_on_selector_all("svg text", "e => e.map(x => x.textContent)"))
    assert "<script>" in written
    assert opened.complaints == []


def test_names_from_right_to_left_do_not_move_their_neighbours(pages, open_page):
    page = open_page(pages["hostile"]).page
    chip = page.locator(".chip", has_text="שלום").first
    assert chip.locator("bdi").count() >= 1
    row = page.locator("#variables-table tbody tr", has_text="שלום")
    name, gain = row.locator("th").bounding_box(), row.locator("td").first.bounding_box()
    assert name["x"] < gain["x"]


def test_light_and_dark_follow_the_screen_and_the_reader(pages, open_page):
    page = open_page(pages["everything"], scheme="dark").page
    background = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(background)
    page.click("#theme")
    light = page.evaluate(background)
    assert dark != light
    assert light == open_page(pages["everything"], scheme="light").page.evaluate(background)
    fill = "getComputedStyle(document.querySelector('svg text')).fill"
    drawn = page.evaluate(fill)
    page.click("#theme")
    assert page.evaluate(fill) != drawn, "figures follow too"


def test_printing_is_light_whole_and_without_controls(pages, open_page):
    page = open_page(pages["many"], scheme="dark").page
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).color") == "rgb(27, 31, 36)"
    assert not page.is_visible(".filters")
    assert not page.is_visible(".top")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.is_visible(".chips >> text=key_100")
    last = page.locator("#variables-table tbody tr").last.bounding_box()
    box = page.locator(".scroll").last.bounding_box()
    assert last["y"] + last["height"] <= box["y"] + box["height"] + 2, "no row is cut off"
    assert len(page.pdf()) > 20_000


def test_the_keyboard_reaches_everything_and_shows_where_it_is(pages, open_page):
    page = open_page(pages["everything"]).page
    seen = []
    for _ in range(60):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.id || document.activeElement.className"))
    assert seen[0] == "skip"
    wanted = {"theme", "copy", "variables-table-name", "variables-table-state", "scroll"}
    assert wanted <= set(seen)
    page.focus("#theme")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_without_script_everything_can_still_be_read(pages, browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(pages["everything"].as_uri())
    text = page.inner_text("body")
    for words in ("4 of 7", "The smaller agent is as good", "theta_dot", "What to doubt", "0.312"):
        assert words in text
    assert not page.is_visible(".filters >> nth=0")
    context.close()


def test_copying_code(pages, open_page):
    opened = open_page(pages["everything"])
    opened.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened.page.click("button.copy >> nth=1")
    opened.page.wait_for_function("document.querySelectorAll('button.copy')[1].textContent !== 'Copy'")
    assert opened.page.inner_text("button.copy >> nth=1") in ("Copied", "Selected")
