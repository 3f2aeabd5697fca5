"""The lines of code that put a selection to use."""

from __future__ import annotations

from collections.abc import Sequence

from terc.reporting.markup import Markup, escape, join, tag
from terc.selection.result import Selection

LINE = 48
MOST_NAMES = 60


def usage(selection: Selection, saved: str | None = None) -> Markup:
    """Code to show the agent only the kept variables, and to cut the columns by number.

    Args:
        selection: The answer.
        saved: Name of the file that holds it, if there is one; used where the names would fill a page.
    """
    if not selection.kept:
        return tag("p", "Nothing was kept, so there is no smaller state to use.")
    wrapper = _loaded(saved) if len(selection.kept) > MOST_NAMES else _by_name(selection)
    return join(
        [
            _block("Show the agent only these", wrapper),
            _block("Or cut the columns of an array", _by_number(selection)),
        ]
    )


def _block(title: str, code: Markup) -> Markup:
    heading = tag("span", title, class_="code-title")
    button = tag("button", "Copy", type="button", class_="copy", aria_label=f"Copy the code: {title}")
    body = tag("pre", tag("code", code), tabindex="0", role="region", aria_label=f"Code: {title}", dir="ltr")
    return tag("div", tag("div", heading, button, class_="code-head"), body, class_="code")


def _loaded(saved: str | None) -> Markup:
    load = f"selection = terc.Selection.load({saved!r})\n" if saved else ""
    start = "import terc\nfrom terc.environments import SelectVariables"
    return escape(f"{start}\n\n{load}env = SelectVariables(env, selection)")


def _by_name(selection: Selection) -> Markup:
    names = [(repr(name), tag("bdi", repr(name))) for name in selection.kept]
    start = escape("from terc.environments import SelectVariables\n\nkept = ")
    return join([start, _bracketed(names), "\nenv = SelectVariables(env, kept)"])


def _by_number(selection: Selection) -> Markup:
    numbers = [(f"{i}", escape(f"{i}")) for i in selection.kept_indices]
    return join(["columns = ", _bracketed(numbers), "\nsmaller = states[:, columns]"])


def _bracketed(items: Sequence[tuple[str, Markup]]) -> Markup:
    """A Python list, on one line if it fits."""
    if sum(len(text) + 2 for text, _ in items) <= LINE - 8:
        return join(["[", join((shown for _, shown in items), ", "), "]"])
    lines: list[list[Markup]] = [[]]
    room = LINE
    for text, shown in items:
        if room < len(text) + 2 and lines[-1]:
            lines.append([])
            room = LINE
        room -= len(text) + 2
        lines[-1].append(shown)
    body = join(join(["    ", join(line, ", "), ",\n"]) for line in lines)
    return join(["[\n", body, "]"])
