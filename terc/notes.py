"""`Note`: one thing that a reader of data or of a result should know."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True)
class Note:
    """One thing a reader should know.

    Attributes:
        kind: "doubt" or "fact".
        code: A word that stays the same, such as "low-share".
        text: A sentence.
    """

    kind: str
    code: str
    text: str

    @classmethod
    def from_plain(cls, written: Mapping[str, str] | str) -> Self:
        """The note in a file; version 0.1 wrote plain sentences."""
        return cls("fact", "note", written) if isinstance(written, str) else cls(**written)

    def __str__(self) -> str:
        return self.text
