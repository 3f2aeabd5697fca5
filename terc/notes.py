"""`Note`: one thing that a reader of data or of a result should know."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Note:
    """One thing a reader should know.

    Attributes:
        kind: "doubt" or "fact".
        code: A word that stays the same, such as "low-share".
        text: A sentence.

    Example:
        >>> print(Note("doubt", "low-share", "the kept variables hold only 80 %."))
        the kept variables hold only 80 %.
    """

    kind: str
    code: str
    text: str

    def __str__(self) -> str:
        """The sentence."""
        return self.text
