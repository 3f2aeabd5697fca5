"""What distinguishes one task from another: the code it runs, the files it reads, the names it uses."""

import ast
import hashlib
import importlib.util
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path
from types import MethodType
from typing import Any

from terc.arrays import Array
from terc.errors import DataFileError

ROOT = Path(__file__).parent
PACKAGES = ("numpy", "torch", "scikit-learn", "gymnasium", "matplotlib")


def digest(record: Any) -> str:
    """SHA-256 of anything that JSON can hold; the order of keys does not matter."""
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode("utf8")).hexdigest()


def array_digest(*arrays: Array | None, words: Sequence[object] = ()) -> str:
    """SHA-256 of arrays, with shapes and kinds, and of words."""
    found = hashlib.sha256(repr(list(words)).encode("utf8"))
    for array in arrays:
        found.update(b"-" if array is None else f"{array.dtype} {array.shape}".encode("ascii"))
        found.update(b"" if array is None else array.tobytes())
    return found.hexdigest()


def file_digest(path: str | Path) -> str:
    """SHA-256 of a file, or of all files of a folder with their names."""
    if os.path.isdir(path):
        inside = sorted(one for one in Path(path).rglob("*") if one.is_file())
        parts = [f"{one.relative_to(path).as_posix()} {file_digest(one)}" for one in inside]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()
    try:
        with open(os.fspath(path), "rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise DataFileError(f"cannot read {path} ({error.strerror}).") from error


@cache
def code_digest(*modules: str) -> str:
    """Digest of the code of some modules and of all in `terc` that they import, wherever they do.

    A module that is not of `terc` counts with its file alone. Comments,
    docstrings and layout do not count; another version of Python may give another digest.
    """
    found: dict[str, str] = {name: module_digest(name) for name in modules if _file_of(name) is None}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        path = _file_of(name)
        if name not in found and path is not None:
            found[name], imported = _read(path)
            waiting += imported
    return digest(found)


def module_digest(name: str) -> str:
    """Digest of one module's file, of whatever package, without what it imports; "" where it has none."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return ""
    if spec is None or spec.origin is None or not os.path.isfile(spec.origin):
        return ""
    return file_digest(spec.origin)


def import_name(thing: Any) -> str | None:
    """`module:name` of what another process can import by that name; None for what exists in memory only.

    A lambda, an object, and what a script or a notebook defines are such things.

    Example:
        >>> import numpy
        >>> import_name(numpy.linalg.norm), import_name(lambda: 5)
        ('numpy.linalg:norm', None)
    """
    module, name = getattr(thing, "__module__", None), getattr(thing, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str) or module == "__main__":
        return None
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    # A class method is bound again each time it is asked for.
    same = found is thing or (isinstance(thing, MethodType) and type(found) is MethodType and found == thing)
    return f"{module}:{name}" if same else None


def versions() -> dict[str, str]:
    """Versions of Python, of the code that runs, and of the packages that results depend on where installed.

    That of `terc` is not asked of the environment, which remembers what was installed once.
    """
    found = {"python": platform.python_version(), "terc": sys.modules["terc"].__version__}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


@cache
def made_by() -> str:
    """Commit, versions and kind of machine, in one line: where a result comes from."""
    listed = ", ".join(f"{name} {version}" for name, version in versions().items())
    return f"{_commit()}{listed}; {platform.system()} {platform.machine()}, {os.cpu_count()} cores"


def _commit() -> str:
    """The commit of the checkout that runs, marked where files differ from it; empty without a checkout."""
    if not (ROOT.parent / ".git").exists():
        return ""
    command = ["git", "-C", str(ROOT.parent), "describe", "--always", "--dirty", "--exclude=*"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return f"commit {found.stdout.strip()}; "


def _file_of(module: str) -> Path | None:
    package, *parts = module.split(".")
    if package != "terc" or not parts:
        return None
    place = ROOT.joinpath(*parts)
    return next((p for p in (place.with_suffix(".py"), place / "__init__.py") if p.is_file()), None)


@cache
def _read(path: Path) -> tuple[str, tuple[str, ...]]:
    """Digest of a file's code, and the names it may import from `terc`."""
    tree = ast.parse(path.read_bytes())
    names = tuple(_imported(tree))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            first = body[0].value
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                first.value = ""
    return hashlib.sha256(ast.dump(tree).encode("utf8")).hexdigest(), names


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
