"""What the paper says about the variables that each method keeps in the worlds that networks learn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from terc.paper.claims import amiss, beside, lacking
from terc.paper.gains import PI, UMFI

Holds = Callable[[Sequence[str], Sequence[str]], bool]
"""Of the variables kept and those wanted."""
NO_EXTRA: Holds = lambda kept, wanted: set(kept) <= set(wanted)  # noqa: E731
NONE_MISSED: Holds = lambda kept, wanted: set(kept) >= set(wanted)  # noqa: E731
EXACT: Holds = lambda kept, wanted: tuple(kept) == tuple(wanted)  # noqa: E731
TWO: Holds = lambda kept, wanted: len(set(kept) & set(wanted)) == 2  # noqa: E731
SOME_MISSED: Holds = lambda kept, wanted: bool(set(wanted) - set(kept))  # noqa: E731


@dataclass(frozen=True)
class SetReading:
    """What the paper says about the variables that a method keeps.

    Attributes:
        method: Which; None for that of the column.
        game: The statement for the Secret Key Game.
        physics: That for the other worlds.
        in_game: When it holds.
        in_physics: Likewise.
        shown: What the cell says of the sets kept and the variables wanted.
    """

    method: str | None
    game: str
    physics: str
    in_game: Holds
    in_physics: Holds
    shown: Callable[[Sequence[Sequence[str]], Sequence[str]], str] = amiss


SETS = (
    SetReading(None, "TERC removes every decoy", "TERC removes the three noise variables", NO_EXTRA, NO_EXTRA,
               lambda kept, wanted: f"kept {beside(kept, wanted) or 'none of them'}"),
    SetReading(None, "TERC keeps the three secret keys", "TERC keeps all original variables", NONE_MISSED,
               NONE_MISSED, lambda kept, wanted: f"missed {lacking(kept, wanted) or 'none'}"),
    SetReading(UMFI, "UMFI finds exactly the secret keys", "UMFI keeps the original variables alone", EXACT,
               EXACT),
    SetReading(PI, "PI finds only two of the secret keys", "PI misses informative variables", TWO,
               SOME_MISSED),
)  # fmt: skip
