"""What a saved file says about its own columns, so that `terc.load(path)` needs no further word."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from terc.errors import DataFileError
from terc.trajectories.array_doubts import OF_COLUMNS
from terc.trajectories.columns import Column, Label, in_levels
from terc.trajectories.roles import Roles, listed
from terc.untrusted import parsed

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories

FORMAT_VERSION = 1
DESCRIPTION_KEY = "terc"
"""Where a file keeps its description: in the metadata of .parquet, as an array of .npz."""


@dataclass(frozen=True)
class Description:
    """The roles and labels of the columns of a saved file.

    Attributes:
        roles: All other columns.
        levels: The labels of each column that holds some, nominal variables and labelled actions alike.
        action_columns: As in `Trajectories`.
        doubted: Codes of the notes on single columns; there are none on a rollout's, seen before the action.
    """

    names: tuple[str, ...]
    roles: Roles
    action_kind: str
    levels: Mapping[str, tuple[Label, ...]]
    groups: tuple[tuple[str, ...], ...] = ()
    action_columns: tuple[str, ...] | None = None
    doubted: tuple[str, ...] = ()

    def columns(self) -> dict[str, tuple[str, ...]]:
        """For each array of `Trajectories` the names of its columns, as they are written."""
        roles = self.roles
        single = {"episodes": roles.episode, "rewards": roles.rewards}
        single |= {"progress": roles.progress, "source": roles.source}
        named = {key: listed(name) for key, name in single.items()}
        return {"states": self.names, "actions": roles.action, **named, "probabilities": roles.probabilities}

    def to_json(self, **more: Any) -> str:
        """Plain JSON text, readable by `from_json`."""
        described = asdict(self)
        described["roles"] = {role: names for role, names in described["roles"].items() if names}
        return json.dumps({"format": FORMAT_VERSION, **described, **more})

    @classmethod
    def from_json(cls, where: str, text: str) -> Description:
        """The description that `to_json` wrote."""
        try:
            record = parsed(text)
            if record["format"] != FORMAT_VERSION:
                raise DataFileError(
                    f"{where} was written by another version of terc (format {record['format']})."
                )
            given = record["roles"].items()
            roles: Any = {key: tuple(names) if isinstance(names, list) else names for key, names in given}
            levels = {name: tuple(labels) for name, labels in record["levels"].items()}
            groups = tuple(tuple(group) for group in record.get("groups", ()))
            parts = tuple(record.get("action_columns") or ()) or None
            doubted = tuple(record.get("doubted", ()))
            named = [*record["names"], *roles.values(), *groups, parts, doubted]
            flat = [name for one in named for name in (one if isinstance(one, tuple) else (one,))]
            if strange := [name for name in flat if not isinstance(name, str | None)]:
                raise TypeError(f"{strange[0]!r} is not a name")
            kind = record["action_kind"]
            return cls(tuple(record["names"]), Roles(**roles), kind, levels, groups, parts, doubted)
        except DataFileError:
            raise
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataFileError(
                f"{where} describes itself in a way that cannot be read ({error!r})."
            ) from error


def common(found: Sequence[Description | None]) -> Description | None:
    """What files of one recording say together, each with labels of its own; None where one says nothing."""
    said = [one for one in found if one is not None]
    if len(said) < len(found):
        return None
    if len(parts := {one.action_columns for one in said}) > 1:
        one, other = sorted(map(str, parts))[:2]
        raise DataFileError(
            "load: the files of a folder must have the same choices beside numbers in their actions, got "
            f"{one} and {other}; put the files of one recording into one folder."
        )
    labels = {
        name: tuple(dict.fromkeys(label for one in said for label in one.levels.get(name, ())))
        for one in said
        for name in one.levels
    }
    return replace(
        said[0], levels=labels, doubted=tuple(dict.fromkeys(code for one in said for code in one.doubted))
    )


def describe(data: Trajectories) -> Description:
    """The description of `data`; role columns get names that no variable has."""
    n_actions = 1 if data.actions.ndim == 1 else data.actions.shape[1]
    single = ["action"] if n_actions == 1 else [f"action_{k}" for k in range(n_actions)]
    n_chances = 0 if data.probabilities is None else data.probabilities.shape[1]
    roles = Roles(
        action=tuple(_free(name, data.names) for name in single),
        episode=_free("episode", data.names),
        rewards=None if data.rewards is None else _free("reward", data.names),
        progress=None if data.progress is None else _free("progress", data.names),
        source=None if data.source is None else _free("source", data.names),
        probabilities=tuple(_free(f"probability_{k}", data.names) for k in range(n_chances)),
    )
    labels = {} if data.action_labels is None else {roles.action[0]: data.action_labels}
    levels = {**data.levels, **labels}
    doubted = tuple(dict.fromkeys(note.code for note in data.notes if note.code in OF_COLUMNS))
    return Description(data.names, roles, data.action_kind, levels, data.groups, data.action_columns, doubted)


def _free(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name = f"_{name}"
    return name


def columns_of(data: Trajectories, description: Description) -> list[Column]:
    """Every column to write, variables first, with labels where there are some."""
    return [
        labelled(name, array if array.ndim == 1 else array[:, k], description)
        for key, names in description.columns().items()
        if (array := getattr(data, key)) is not None
        for k, name in enumerate(names)
    ]


def labelled(name: str, values: Any, description: Description) -> Column:
    """The column with its labels, where the description has some."""
    levels = description.levels.get(name)
    return Column(name, values if levels is None else values.astype(np.int64), levels)


def relabelled(where: str, column: Column, levels: tuple[Label, ...]) -> Column:
    """The column with its labels in the order of `levels`, which may list some that no step has."""
    found = in_levels(column)
    position = {label: code for code, label in enumerate(levels)}
    strange = [label for label in found.levels or () if label not in position]
    if strange:
        raise DataFileError(
            f"{where}: column {column.name!r} holds labels it should not have: {strange[:10]}."
        )
    codes = np.array([position[label] for label in found.levels or ()], dtype=np.int64)
    return replace(found, values=codes[found.values] if codes.size else found.values, levels=levels)


def merged(described: Description, given: Roles) -> Roles:
    """The roles of a self-describing file, where the caller's own words go first."""
    said = {key: value for key, value in vars(given).items() if value}
    if given.action and given.action != described.roles.action and "probabilities" not in said:
        # They belong to the other action.
        said |= {"probabilities": (), "drop": given.drop + described.roles.probabilities}
    return replace(described.roles, **said)
