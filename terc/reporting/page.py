"""The page of a selection, a comparison or a run, from its parts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from terc.fingerprint import versions
from terc.reporting.doubts import doubts
from terc.reporting.material import Material
from terc.reporting.pictures import Picture, of_agents, of_checks, of_comparison, of_selection, of_several
from terc.reporting.render import BarScale, percent, render
from terc.reporting.usage import usage
from terc.returns.ablation import REPLACED_BY
from terc.selection.printing import data_sentence, decimals, strongest_first, subject_of, unit
from terc.selection.result import GIVEN_WHAT_SOME_NEED, NEEDED_BY_SOME, Interval, Selection

MOST_CHIPS = 16
# Of each part of a run's verdict; the others are folded away.
MOST_SENTENCES = 3
LONGEST = 300
MEANING = {
    NEEDED_BY_SOME: "some of the policies need them, but not all do",
    GIVEN_WHAT_SOME_NEED: "what they carry is carried by others that some of the policies need",
    "redundant": "what they carry is carried by others too",
    "irrelevant": "no sure sign that they carry information about {subject}",
    "negligible": "what they gain is less than the smallest effect that counts",
    "constant": "they never change",
}


@dataclass(frozen=True)
class Section:
    """One part of a page below its first screen."""

    key: str
    title: str
    content: Markup


def page(material: Material) -> str:
    """The whole HTML document."""
    first = None
    if material.selection is not None:
        first = _first_screen(material.selection, material)
    elif material.comparison:
        first = _part("comparison_head.html", title=material.title, **_compared(material.comparison))
    return render(
        "report.html",
        title=f"{material.title}: terc report",
        heading=material.title,
        first=first,
        sections=[part for part in _sections(material) if part.content],
    )


def _part(template: str, **context: object) -> Markup:
    return Markup(render(template, **context))


def _first_screen(selection: Selection, material: Material) -> Markup:
    kept, removed = strongest_first(selection, kept=True), strongest_first(selection, kept=False)
    verdict = material.verdict
    used = selection.kept if verdict is None or verdict.agent is None else verdict.variables
    meaning = {
        reason: f": {words.format(subject=subject_of(selection))}" for reason, words in MEANING.items()
    }
    reasons = {v.reason: meaning.get(v.reason, "") for v in removed}
    return _part(
        "first_screen.html",
        title=material.title,
        selection=selection,
        meter=_meter(selection.retained),
        data=data_sentence(selection),
        doubts=[doubt for doubt in doubts(material) if doubt.check],
        kept=kept,
        removed=[(r, meaning, [v for v in removed if v.reason == r]) for r, meaning in reasons.items()],
        unit=unit(selection),
        digits=decimals(v.gain for v in kept),
        most=MOST_CHIPS,
        code=usage(selection, used, material.saved, material.agent),
        verdict=verdict,
        most_sentences=MOST_SENTENCES,
    )


def _meter(share: Interval) -> dict[str, str]:
    """The retained share as a bar with its interval."""
    low, high = (share.value if end != end else end for end in (share.low, share.high))
    ends = {"v": share.value, "l": low, "h": high}
    style = "".join(f"--{k}:{100 * min(1.0, max(0.0, v)):.2f}%;" for k, v in ends.items())
    return {"style": style, "interval": f"95 % interval {percent(low)} to {percent(high)}"}


def _sections(material: Material) -> Iterator[Section]:
    selection, agents = material.selection, _gallery(of_agents(material))
    title = "The smaller agent" if material.agents is None else "Retrained agents"
    if material.agents is not None:
        table = _part("agents.html", table=material.agents, most=MOST_CHIPS)
        content = _gallery(of_several(material.agents)) + table
        yield Section("several", "The agents side by side", content)
    if material.ablation is not None:
        words = REPLACED_BY.get(material.ablation.replace, material.ablation.replace)
        content = _part("unplugging.html", ablation=material.ablation, words=words)
        yield Section("unplugged", "What unplugging does", content)
    if material.verdict is not None:
        yield Section("agents", title, agents)
    if selection is not None:
        yield Section("why", "Why these variables", _gallery(of_selection(selection)))
    if material.verdict is None:
        yield Section("agents", title, agents)
    if selection is not None:
        yield Section("variables", "All variables", _variables(selection))
    if sides := material.comparison:
        table = _part("methods.html", **_compared(sides)) if selection is not None else Markup("")
        content = table + _gallery(of_comparison(sides)) + _by_methods(sides)
        yield Section("methods", "Methods compared", content)
    yield Section("checks", "Checks", _gallery(of_checks(material)))
    yield Section("doubt", "What to doubt", _part("doubts.html", doubts=doubts(material)))
    yield Section("settings", "Settings, seeds, versions", _settings(material))


def _gallery(pictures: Iterator[Picture]) -> Markup:
    return _part("pictures.html", pictures=list(pictures))


def _variables(selection: Selection) -> Markup:
    rows = selection.verdicts
    states = ["kept", "removed", *dict.fromkeys(v.reason for v in rows if not v.kept)]
    if any(v.undecided for v in rows):
        states.append("undecided")
    shown: dict[str, Any] = {"scale": BarScale.of(rows), "digits": decimals(v.gain for v in rows)}
    return _part("variables.html", rows=rows, states=states, **shown, unit=unit(selection))


def _compared(sides: Mapping[str, Selection]) -> dict[str, Any]:
    names = list(dict.fromkeys(name for side in sides.values() for name in side.names))
    kept = [set(side.kept) for side in sides.values()]
    votes = [sum(name in k for k in kept) for name in names]
    methods = []
    for name, side in sides.items():
        either, both = kept[0] | set(side.kept), kept[0] & set(side.kept)
        row = {"name": name, "kept": side.kept, "total": len(side.verdicts), "retained": side.retained}
        row |= {
            "seconds": sum(side.timings.values()),
            "agreement": len(both) / len(either) if either else 1.0,
        }
        methods.append(row)
    disputed = sum(0 < count < len(kept) for count in votes)
    return {"methods": methods, "total": len(names), "agreed": votes.count(len(kept)), "disputed": disputed}


def _by_methods(sides: Mapping[str, Selection]) -> Markup:
    digits = {method: decimals(v.gain for v in side.verdicts) for method, side in sides.items()}
    by_name = {method: {v.name: v for v in side.verdicts} for method, side in sides.items()}
    rows = []
    for name in dict.fromkeys(name for side in sides.values() for name in side.names):
        found = [(verdicts.get(name), digits[method]) for method, verdicts in by_name.items()]
        votes = sum(verdict is not None and verdict.kept for verdict, _ in found)
        rows.append({"name": name, "votes": votes, "found": found})
    columns = [("variable", "text"), ("kept by", "number"), *((method, "number") for method in sides)]
    return _part("by_methods.html", rows=rows, columns=columns)


def _settings(material: Material) -> Markup:
    config = {k: v for k, v in material.config.items() if k != "versions"}
    selection = material.selection
    tables = [("Settings", dict(flattened(config)))]
    if selection is not None:
        if dict(selection.config) != dict(material.config):
            tables.append(("Settings of the selection", dict(flattened(selection.config))))
        tables.append(("Measured", _measured(selection)))
        tables.append(("Seconds", {k: f"{v:.2f}" for k, v in selection.timings.items()}))
    recorded = material.config.get("versions")
    tables.append(("Versions", dict(recorded) if isinstance(recorded, Mapping) else versions()))
    return _part("settings.html", tables=[(title, rows) for title, rows in tables if rows])


def flattened(record: Mapping[str, Any], start: str = "") -> Iterator[tuple[str, str]]:
    """Nested settings as dotted names and text.

    Example:
        >>> dict(flattened({"a": {"b": 1}, "c": None}))
        {'a.b': '1', 'c': 'None'}
    """
    for key, value in record.items():
        if isinstance(value, Mapping):
            yield from flattened(value, f"{start}{key}.")
        else:
            text = str(value)
            yield f"{start}{key}", text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _measured(selection: Selection) -> dict[str, str]:
    return {
        "steps": f"{selection.n_steps:,}",
        "episodes": f"{selection.n_episodes:,}",
        f"entropy of {subject_of(selection)} (nats)": f"{selection.action_entropy:.4f}",
        "information of all variables (nats)": f"{selection.information:.4f}",
        "share retained": f"{selection.retained}",
        "method": selection.method,
        "estimator": selection.estimator,
    }
