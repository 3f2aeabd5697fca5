"""The built site in a real browser: nothing fetched, nothing wider than a phone, axe content, search at work.

python website/look.py              after `make docs`; exit 1 with what was found
python website/look.py --pictures DIR      and what it saw, as files
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

SITE = Path(__file__).parent.parent / "build" / "site"
PAGES = (
    "index",
    "get-started",
    "data",
    "agents",
    "costs-groups-keep",
    "criterion",
    "reference/selecting",
    "reference/command-line",
    "evidence/accuracy",
)
WIDTHS = (1280, 390)


def seen(browser: Any, name: str, width: int, pictures: Path | None) -> list[str]:
    """What is wrong with one page at one width."""
    page = browser.new_page(viewport={"width": width, "height": 900})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((SITE / f"{name}.html").as_uri())
    page.wait_for_timeout(500)
    found = [f"asks for {url}" for url in asked if not url.startswith("file:")]
    if page.evaluate("document.documentElement.scrollWidth") > width:
        found.append("scrolls sideways")
    for violation in Axe().run(page).response["violations"]:
        found.append(f"axe: {violation['id']}: {violation['nodes'][0]['html'][:120]}")
    if pictures is not None:
        page.screenshot(path=pictures / f"{name.replace('/', '-')}-{width}.png", full_page=True)
    page.close()
    return [f"{name} at {width}: {what}" for what in found]


def searched(browser: Any, words: str) -> list[str]:
    """The pages that the search finds."""
    page = browser.new_page()
    page.goto((SITE / "index.html").as_uri())
    page.wait_for_timeout(500)
    page.keyboard.press("/")
    page.keyboard.type(words)
    page.wait_for_selector(".md-search-result__item a", timeout=10_000)
    links = page.eval_on_selector_all(".md-search-result__item a", "all => all.map(one => one.href)")
    page.close()
    return list(links)


def main() -> None:
    """Look at the pages, and search."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pictures", type=Path)
    pictures = parser.parse_args().pictures
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        found = [what for name in PAGES for width in WIDTHS for what in seen(browser, name, width, pictures)]
        if not any("redundan" in link for link in searched(browser, "condition 1")):
            found.append("the search does not find condition 1")
        browser.close()
    print(
        "\n".join(found)
        or f"{len(PAGES)} pages at {len(WIDTHS)} widths, and the search: nothing to complain of"
    )
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
