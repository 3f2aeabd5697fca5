"""Trajectories in and out of files: .parquet, .csv and .npz, written whole or not at all, no pickles."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

from terc.errors import BadTypeError, BadValueError, DataFileError, TercError
from terc.trajectories.columns import one_line
from terc.trajectories.description import merged
from terc.trajectories.formats import (
    Content,
    beside,
    describe_csv,
    read_csv,
    read_npz,
    read_parquet,
    write_csv,
    write_npz,
    write_parquet,
)
from terc.trajectories.frames import Roles, assemble

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories

READERS: dict[str, Callable[[Path], Content]] = {".parquet": read_parquet, ".csv": read_csv, ".npz": read_npz}
WRITERS: dict[str, Callable[[Trajectories, IO[bytes]], None]] = {
    ".parquet": write_parquet,
    ".csv": write_csv,
    ".npz": write_npz,
}


def load(  # noqa: PLR0913  (one keyword per role a column can have)
    path: str | Path,
    *,
    action: str | Sequence[str] | None = None,
    episode: str | None = None,
    rewards: str | None = None,
    progress: str | None = None,
    probabilities: Sequence[str] = (),
    nominal: Iterable[str] | str = (),
    drop: Iterable[str] | str = (),
    action_kind: str | None = None,
) -> Trajectories:
    """Trajectories from a .parquet, .csv or .npz file, or from a Minari data set ("minari:<id>").

    A file that `Trajectories.save` wrote describes itself: `load(path)` restores everything, and the
    keywords change the roles it gives to its columns. For any other file `action` is required, and each
    column without a role is a variable. In an .npz file an array `[n]` is a column and an array `[n, d]` is
    the columns `key_0`, `key_1`, ...; a role may name a column or the whole array.

    Args:
        path: The file, or "minari:" and the id of a data set on this machine (needs `terc[minari]`).
        action: The column of the actions, or several.
        episode: The column that labels episodes; None means a single episode.
        rewards: The column of rewards.
        progress: The column of progress through training, 0..1.
        probabilities: The columns of the chances of actions 0, 1, ...
        nominal: Variables whose values are labels (text is anyway).
        drop: Columns to leave out.
        action_kind: As in `Trajectories`.

    Raises:
        DataFileError: The file is missing, damaged, of another kind, or holds pickled objects.
        UnknownNameError: A column that is asked for does not exist.
    """
    given = Roles.of(action or (), episode, rewards, progress, probabilities, drop)
    if str(path).startswith("minari:"):
        from terc.trajectories.minari import load_minari

        return load_minari(str(path).removeprefix("minari:"), given, nominal, action_kind)
    content = _read(_existing(path))
    described = content.description
    if described is None:
        return assemble(f"load: {path}", content.columns, _whole(path, given, content), nominal, action_kind)
    roles = merged(described, given)
    kind = described.action_kind if roles.action == described.roles.action else None
    labels = [nominal] if isinstance(nominal, str) else list(nominal)
    labels += [name for name in described.levels if name in described.names and name not in roles.taken()]
    return assemble(f"load: {path}", content.columns, roles, labels, action_kind or kind)


def _existing(path: str | Path) -> Path:
    if not isinstance(path, (str, os.PathLike)):
        raise BadTypeError(f"load: wanted the path of a file, got {type(path).__name__}.")
    path = Path(path)
    _checked_suffix("load", path)
    if not path.exists():
        raise DataFileError(f"load: there is no file {path}.")
    if not path.is_file():
        raise DataFileError(f"load: {path} is not a file.")
    return path


def _checked_suffix(where: str, path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in READERS:
        raise DataFileError(f"{where}: {path} should end in one of {', '.join(READERS)}.")
    return suffix


def _read(path: Path) -> Content:
    """The columns of a file; whatever its library raises becomes one sentence."""
    try:
        return READERS[path.suffix.lower()](path)
    except TercError:
        raise
    except MemoryError as error:
        raise DataFileError(f"load: {path} does not fit into memory.") from error
    except Exception as error:  # each library has its own many ways to call a file damaged
        raise DataFileError(f"load: {path} cannot be read, it may be damaged ({one_line(error)}).") from error


def _whole(path: str | Path, given: Roles, content: Content) -> Roles:
    """The roles with names of whole .npz arrays replaced by their columns; the action must be said."""
    if not given.action:
        listed = list(content.blocks) + [column.name for column in content.columns]
        raise BadValueError(
            f"load: say which column of {path} holds the actions, action=...; there is {listed[:30]}."
        )

    def columns(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(column for name in names for column in content.blocks.get(name, (name,)))

    return replace(
        given,
        action=columns(given.action),
        probabilities=columns(given.probabilities),
        drop=columns(given.drop),
    )


def save(data: Trajectories, path: str | Path) -> None:
    """Write `data` to a .parquet, .csv or .npz file, whole or not at all."""
    path = Path(path)
    suffix = _checked_suffix("save", path)
    write_atomically(path, lambda sink: WRITERS[suffix](data, sink))
    if suffix == ".csv":
        # Second, so that a failure above leaves the old pair of files as it was.
        write_text_atomically(beside(path), describe_csv(data, path))


def write_text_atomically(path: Path, text: str) -> None:
    """Write `text` as UTF-8, whole or not at all."""
    write_atomically(path, lambda sink: sink.write(text.encode("utf8")))


def write_atomically(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Let `write` fill a new file, then put it in the place of `path` in one step.

    A reader sees the old file or the new one, never half of it, and a crash leaves the old one.

    Raises:
        DataFileError: The file cannot be written there.
    """
    target = Path(os.path.realpath(path))
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.unfinished")
    try:
        with open(unfinished, "xb") as sink:
            write(sink)
            sink.flush()
            os.fsync(sink.fileno())
        os.replace(unfinished, target)
    except OSError as error:
        raise DataFileError(f"cannot write {path} ({error.strerror or one_line(error)}).") from error
    finally:
        unfinished.unlink(missing_ok=True)
