"""`terc doctor`: what is installed, and what is missing for which command."""

import json
import platform
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Annotated

import typer

import terc
from terc.cli.terminal import show

NEEDED_FOR = {
    "sb3": "models of Stable-Baselines3: terc run --model model.zip, --agent sb3",
    "torch": "CleanRL checkpoints; policies timed in torch too",
    "gym": "Lunar Lander: terc run LunarLander-v3, terc paper gym",
    "mujoco": "MuJoCo worlds: terc run Hopper-v5",
    "minari": "data sets of Minari: terc select minari:NAME",
    "hdf5": ".hdf5 recordings: terc select steps.hdf5",
    "ray": "work on a cluster: terc select --backend ray",
    "export": "terc export --to onnx",
    "boruta": "terc compare --methods boruta",
    "shap": "terc compare --methods shap",
    "tigramite": "terc compare --methods tigramite",
}
"""Extra -> what it is for; the rest works without any of them."""
MISSING = 1
_REQUIREMENT = re.compile(
    r"(?P<name>[\w.-]+)(\[[\w,]+\])?\s*(>=(?P<least>[\d.]+))?[^;]*(;.*extra == .(?P<extra>\w+))?"
)


@dataclass(frozen=True)
class Package:
    """One package that terc can use.

    Attributes:
        name: As pip calls it.
        extra: The extra that brings it, "" for the core.
        least: The lowest version that is supported, "" where any is.
        installed: The version that is there, None where there is none.
    """

    name: str
    extra: str
    least: str
    installed: str | None

    @property
    def good(self) -> bool:
        """Whether it is there, and new enough."""
        return self.installed is not None and _numbers(self.installed) >= _numbers(self.least)

    def __str__(self) -> str:
        if self.installed is None:
            return f"{self.name} missing"
        return f"{self.name} {self.installed}" + ("" if self.good else f" (too old, wanted {self.least})")


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
) -> None:
    """Show what is installed, and what is missing for which command; exit 1 if the core is not complete."""
    found = list(packages())
    core = [one for one in found if not one.extra]
    if as_json:
        about: dict[str, object] = {"terc": terc.__version__, "python": platform.python_version()}
        about["packages"] = [{**asdict(one), "good": one.good} for one in found]
        typer.echo(json.dumps(about, indent=1))
    else:
        show(f"terc {terc.__version__}, Python {platform.python_version()}, {platform.platform()}")
        show(f"python: {sys.executable}")
        show(f"core: {', '.join(map(str, core))}\n")
        for line in _extras(found):
            show(line)
    if not all(one.good for one in core):
        typer.echo("terc: the core is not complete: pip install --upgrade terc", err=True)
        raise typer.Exit(MISSING)


def packages() -> Iterator[Package]:
    """Every package that the installed terc names, the core first."""
    try:
        named = requires("terc") or []
    except PackageNotFoundError:  # run from a folder that was not installed
        named = []
    for line in named:
        found = _REQUIREMENT.match(line)
        if found and found["name"] != "terc" and (found["extra"] or "") in ("", *NEEDED_FOR):
            installed = None
            with suppress(PackageNotFoundError):
                installed = version(found["name"])
            yield Package(found["name"], found["extra"] or "", found["least"] or "", installed)


def _extras(found: list[Package]) -> Iterator[str]:
    for extra, purpose in NEEDED_FOR.items():
        ones = [one for one in found if one.extra == extra]
        if all(one.good for one in ones):
            yield f"  ready    {purpose}"
        else:
            lacking = ", ".join(f"{one}" for one in ones if not one.good)
            yield f"  missing  {purpose}\n           pip install 'terc[{extra}]' ({lacking})"


def _numbers(text: str) -> tuple[int, ...]:
    """The leading numbers of a version.

    Example:
        >>> _numbers("2.13.0+cpu") > _numbers("2.4")
        True
    """
    return tuple(int(part) for part in re.findall(r"\d+", re.split(r"[^\d.]", text)[0]))
