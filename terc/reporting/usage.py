"""The lines of code that put a selection to use."""

from collections.abc import Sequence

from markupsafe import Markup

from terc.reporting.render import escape
from terc.selection.printing import is_about_actions
from terc.selection.result import Selection

LINE = 48
MOST_NAMES = 60


def usage(
    selection: Selection, kept: Sequence[str], saved: str | None = None, agent: str | None = None
) -> dict[str, Markup]:
    """Code to show an agent only these variables ("wrapper"), and to cut the columns ("columns").

    Args:
        selection: The answer.
        kept: The variables that are used: those that it kept, or those of a smaller agent.
        saved: Name of the file that holds it, if there is one; used where the names would fill a page.
        agent: Name of the file that holds the smaller agent, if there is one; then code for "agent", too.
    """
    start = "from terc.environments import SelectVariables\n\n"
    if not kept or not is_about_actions(selection):  # what predicts a reward is for no agent to read
        return {}
    if len(kept) > MOST_NAMES and set(kept) == set(selection.kept):
        load = f"selection = terc.Selection.load({saved!r})\n" if saved else ""
        wrapper = escape(f"import terc\n{start}{load}env = SelectVariables(env, selection)")
    else:
        names = [(repr(name), Markup("<bdi>{}</bdi>").format(escape(repr(name)))) for name in kept]
        wrapper = Markup(start + "kept = {}\nenv = SelectVariables(env, kept)").format(_bracketed(names))
    numbers = [(f"{i}", Markup(i)) for i in map(selection.names.index, kept)]
    columns = Markup("columns = {}\nsmaller = states[:, columns]").format(_bracketed(numbers))
    code = {"wrapper": wrapper, "columns": columns}
    if agent is None:
        return code
    play = f"small = load_policy({agent!r})\nactions = small.act(states)"
    return {"agent": escape(f"from terc.agents import load_policy\n\n{play}")} | code


def _bracketed(items: Sequence[tuple[str, Markup]]) -> Markup:
    """A Python list, on one line if it fits."""
    comma = Markup(", ")
    if sum(len(text) + 2 for text, _ in items) <= LINE - 8:
        return Markup("[{}]").format(comma.join(shown for _, shown in items))
    lines, room = list[list[Markup]](), 0
    for text, shown in items:
        if room < len(text) + 2:
            lines, room = [*lines, []], LINE
        room -= len(text) + 2
        lines[-1].append(shown)
    body = Markup("").join(Markup("    {},\n").format(comma.join(line)) for line in lines)
    return Markup("[\n{}]").format(body)
