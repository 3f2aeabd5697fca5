"""The first half page: what was found, in sentences made from the counts, and how to read the tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from terc.paper.claims import AGREES, COLUMNS, OPEN, PLURAL, Claim
from terc.paper.gains import OURS, PI, PRINTED, SEEK, UMFI
from terc.pipeline.stages import ENOUGH_EPISODES

if TYPE_CHECKING:
    from terc.paper.run import Reproduction

GROUPS: dict[str, tuple[str, ...]] = {
    "theory, exact": ("Algorithm 1, exact",),
    "TERC as printed (Algorithm 1, MINE)": (PRINTED,),
    "our engine": (OURS, "terc.history_length", "terc.check_condition_1"),
    "baselines (UMFI, PI, SEEK)": (UMFI, PI, SEEK),
    "the policies themselves, by intervention": ("intervention",),
    "training and learning": ("training", "learning"),
    "the paper's R": ("R",),
    "timing": ("timing",),
}
"""Whose method -> the methods of the sides."""
CORE = ("Fig. 1", "Fig. 3", "Fig. 5")
"""Where the paper says that TERC keeps what is needed and removes the rest."""
PRESETS_NOTE = (
    "Our presets begin with small weights on the inputs and pull unused ones to zero (not in the Secret "
    "Key Game), so that noise is easier to remove from our agents than from printed ones; the rows on "
    "what agents read say how much. Printed agents have the printed network, rates and steps; where the "
    "paper says 'until convergence' a goal or a number of steps stands for it, and Adam for the optimiser "
    "that it does not name."
)
METHOD_NOTE = (
    "As printed: Algorithm 1 one variable at a time in random order, MINE with the appendix's b and "
    "N{capped} (ended earlier at a plateau), one null model, mean minus two standard errors above its mean "
    "plus two, on expert episodes where there are any. The bound has the logarithm of the mean where the "
    "paper prints the mean of the logarithm, and every run its own weights. Ours: our agents, all their "
    "play, terc.select as it stands. Quarters of printed agents are measured by terc.select too."
)
USE_NOTE = (
    "Known from an agent's policy, which is shown other values: it reads a variable where its choice loses "
    "something by values of other moments, and uses it where the choice depends on it though the others are "
    "known (Phi, between two bounds). What lies above half a percent of the information counts, what lies "
    "below does not, the rest is not decided. The upper bound is the loss of a forecast; the lower one holds "
    "unless the variable follows the others by a rule that a regression misses and that is finer than the "
    "recorded play."
)
SMALLER_NOTE = (
    "Where trainings, forests or MINE are smaller than printed, a difference that this alone could explain "
    "is 'not decided'; the last section says how large everything is."
)


@dataclass(frozen=True)
class Summary:
    """The first half page.

    Attributes:
        counts: Its rows: whose method, then per column how many agree, in part, differ, are not decided.
        sizes: How large the reproduction is and what made it, for the end of the page.
    """

    quote: str
    head: tuple[str, ...]
    counts: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]
    sizes: str


SIZES = "Sizes and provenance"
COUNTS = "agree / agree in part / differ / not decided"


def summary(made: Reproduction) -> Summary:
    """From a finished reproduction."""
    rows = []
    for group, methods in GROUPS.items():
        cells = [made.verdicts(column, methods) for column in COLUMNS]
        if any(cells):
            rows.append(
                (group, *(" / ".join(str(cell[v]) for v in PLURAL) if cell else "" for cell in cells))
            )
    head, size = ("measured by", *COLUMNS), made.scale
    capped = f", b at most {size.mine_batch:,} and N {size.mine_updates:,}" if size.mine_batch else ""
    notes = (
        METHOD_NOTE.format(capped=capped),
        PRESETS_NOTE,
        USE_NOTE,
        *(() if size.thorough else (SMALLER_NOTE,)),
    )
    return Summary(_quote(made), head, tuple(rows), notes, _sizes(made))


def _quote(made: Reproduction) -> str:
    printed, ours = COLUMNS
    core = [c for c in made.claims if c.place in CORE and ": TERC " in c.statement]
    parts = [
        f"{len(made.claims)} statements of the paper, measured as it prints them (its agents, settings, "
        f"estimator and Algorithm 1) and with ours (our agents and terc.select), at scale {made.scale.name}. "
        f"As printed: {made.in_words(printed)}. Ours: {made.in_words(ours)}."
    ]
    if core:
        parts.append(
            "The main claim, that TERC keeps what is needed and removes noise, decoys and copies (Figures 1, "
            f"3 and 5), agrees in {_agree(core, printed)} rows as printed and in {_agree(core, ours)} "
            "with ours; that it removes all noise or decoys, with ours in "
            f"{_agree([c for c in core if ': TERC removes ' in c.statement], ours)} worlds."
        )
    parts.append("A number behind a verdict leads to its cause, below the table.")
    if made.missing:
        parts.append(f"Not part of this run: {', '.join(made.missing)}.")
    return " ".join(parts)


def _agree(claims: Sequence[Claim], column: str) -> str:
    sides = [claim.sides[column] for claim in claims if column in claim.sides]
    unsure = sum(side.verdict == OPEN for side in sides)
    count = f"{sum(side.verdict == AGREES for side in sides)} of {len(sides)}"
    return f"{count} ({unsure} not decided)" if unsure else count


def _sizes(made: Reproduction) -> str:
    size = made.scale
    who = "; ".join(f"{count} tasks by {who}" for who, count in made.made_by.items())
    short = (
        ""
        if size.thorough
        else f"Printed agents get {size.paper_training:.0%} of their training steps in Cart Pole and "
        f"{size.expensive_training:.0%} in Lunar Lander and Pendulum, ours {size.training:.0%} in the Secret "
        "Key Game; all others get all. "
    )
    fewer = f"{size.expensive_agents} in Lunar Lander and Pendulum; " * (size.expensive_agents < size.agents)
    return (
        f"Scale {size.name}: in each world {size.our_agents} agents of ours and {size.agents} printed ones "
        f"({fewer}in the dilemma {size.dilemma_agents} of each). {short}A selection looks at {size.steps:,} "
        f"steps, at {size.most_steps:,} where those are fewer than {ENOUGH_EPISODES} episodes. MINE has "
        f"{size.mine_runs} runs, UMFI {size.forest_runs} of {size.forest_trees} trees on "
        f"{size.forest_steps:,} steps, PI {size.permutations:,} permutations. "
        f"All took {made.cpu_seconds / 60:.0f} minutes of one core. Made: {who}."
    )
