"""All that went is asked about once more, as one: a large loss that no single test was sure of is mended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from terc.selection.automatic import columns_of
from terc.selection.evidence import Level
from terc.selection.sequential import Asked, Elimination, one_at_a_time, prefix_search, second_look
from terc.selection.visible_names import listed

if TYPE_CHECKING:
    from terc.selection.bench import Bench
    from terc.selection.evidence import RemovalTest, Unit

LOW_SHARE = 0.9
"""Share of the information below which a selection is mended here, and doubted in its notes."""


def second_chance(
    bench: Bench, test: RemovalTest, found: Elimination, order: Sequence[Unit], *, floor: float
) -> tuple[Elimination, str]:
    """Bring back what is missed if more than a tenth of the information went with all that went.

    Of many variables each has but a share of alpha, and with few episodes that may be too little to be sure
    of a loss that is plain to see in the whole. So the whole is asked about with alpha undivided, and if it
    is missed, Algorithm 1 runs on it at that level. With exact answers nothing changes.

    Args:
        bench: The data laid out.
        test: The test of the elimination; the kept ones are asked about again beside what came back.
        found: What the elimination came to.
        order: Units that were offered; those screened out before went first.
        floor: Nats that do not matter.

    Returns:
        The elimination with these questions on record, and a note if anything came back.
    """
    kept, asked = found.kept, list(found.asked)
    while True:
        back, tried = _missed(bench, kept, order, floor)
        asked += tried
        if not back:
            break
        kept = (*kept, *back)
    mended = Elimination(kept, tuple(asked))
    if kept == found.kept:
        return mended, ""
    returned = kept[len(found.kept) :]
    names = listed(bench.data.names[column] for column in columns_of(returned))
    note = (
        f"put back {names}: without all that had gone more than {100 * (1 - LOW_SHARE):.0f} % of the "
        "information was lost."
    )
    return second_look(test, mended, order, (*bench.request.fixed, *returned)), note


def _missed(
    bench: Bench, kept: Sequence[Unit], order: Sequence[Unit], floor: float
) -> tuple[list[Unit], list[Asked]]:
    """What comes back beside `kept`, and the questions.

    Where the loss of the whole is hardly sure, the search may blame a unit that only tips the scales. So
    each must also be missed by itself, by networks that see it shuffled and by others that do not see it:
    those that read much noise err in both directions.
    """
    gone = [unit for unit in bench.request.offered if unit not in kept]
    gone.sort(key=lambda unit: order.index(unit) if unit in order else -1)
    information = bench.information(columns_of(kept), bench.columns)
    large = Level(bench.alpha, 1, max(floor, (1 - LOW_SHARE) * information))
    again = prefix_search(bench.loss_test(large), gone, kept)
    blamed = [unit for unit in again.kept if unit not in kept]
    alone = one_at_a_time(blamed, kept)
    answers = bench.loss_test(replace(large, floor=floor), strict=True).ask(alone)
    asked = [*again.asked, *(Asked(*pair) for pair in zip(alone, answers, strict=True))]
    back = [unit for unit, answer in zip(blamed, answers, strict=True) if answer.needed]
    return back, [replace(one, tests=large.tests) for one in asked]
