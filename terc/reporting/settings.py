"""Settings, seeds, timings and versions, as they were."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from importlib import metadata
from typing import Any

from terc.reporting.markup import Markup, join, tag
from terc.reporting.material import Material
from terc.selection.result import Selection

PACKAGES = ("terc", "numpy", "torch", "scikit-learn", "gymnasium", "matplotlib")
LONGEST = 300


def settings_section(material: Material) -> Markup:
    """Tables of settings, of what was measured, of times and of versions."""
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
    return tag("div", *(_table(title, rows) for title, rows in tables if rows), class_="settings")


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


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that matter, as far as they are installed."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def _measured(selection: Selection) -> dict[str, str]:
    return {
        "steps": f"{selection.n_steps:,}",
        "episodes": f"{selection.n_episodes:,}",
        "entropy of the action (nats)": f"{selection.action_entropy:.4f}",
        "information of all variables (nats)": f"{selection.information:.4f}",
        "share retained": f"{selection.retained}",
        "method": selection.method,
        "estimator": selection.estimator,
    }


def _table(title: str, rows: Mapping[str, str]) -> Markup:
    lines = [tag("tr", tag("th", name, scope="row"), tag("td", str(value))) for name, value in rows.items()]
    return tag("table", tag("caption", title), tag("tbody", join(lines)))
