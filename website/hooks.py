"""What the site shows that nobody types: results of benchmarks, the command line, files of the checkout.

A page holds a comment where it goes, alone on its line:

    <!-- evidence: accuracy -->         a function of `evidence.py`
    <!-- evidence: cases kinds -->      the same with words as its arguments
    <!-- commands -->                   every command of `terc` with its options
    <!-- include: CHANGELOG.md -->      a file of the checkout; code goes into a block
    <!-- include: README.md Which tool for what -->      one section of it, without its heading
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "website"), str(ROOT / "benchmarks")]

import command_line  # noqa: E402
import evidence  # noqa: E402

MARK = re.compile(r"^<!-- (evidence|commands|include):? ?(.*?) ?-->$", re.MULTILINE)

ASKED_FOR = "https://unpkg.com/iframe-worker/shim"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The page with what its comments ask for; called by mkdocs for each page."""
    return filled(markdown)


def on_post_build(config: Any, **_: Any) -> None:
    """Nothing is fetched: the search of pages opened from disk uses a script of ours; called by mkdocs."""
    site = Path(config["site_dir"])
    for page in site.rglob("*.html"):
        way = "../" * (len(page.relative_to(site).parts) - 1)
        text = page.read_text(encoding="utf8")
        page.write_text(text.replace(ASKED_FOR, f"{way}javascripts/frame-worker.js"), encoding="utf8")


def filled(markdown: str) -> str:
    """The text with what its comments ask for."""
    return MARK.sub(lambda found: _made(found[1], found[2].split()), markdown)


def _made(what: str, words: list[str]) -> str:
    if what == "commands":
        return command_line.all_commands()
    if what == "include":
        return included(words[0], " ".join(words[1:]))
    return str(evidence.PARTS[words[0]](*words[1:]))


def included(path: str, section: str = "") -> str:
    """A file of the checkout: Markdown as it is, links into `docs/` made relative to it; else a block."""
    text = (ROOT / path).read_text(encoding="utf8")
    if not path.endswith(".md"):
        return f"```python\n{text}```"
    if section:
        text = text.split(f"\n## {section}\n", 1)[1].split("\n## ", 1)[0]
    return text.replace("](docs/", "](")
