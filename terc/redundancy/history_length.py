"""How much of the past do the actions depend on? The shortest history that is as good as the longest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from terc.checks import called_rightly
from terc.entropy.evidence import Evidence
from terc.records import Record
from terc.redundancy.lags import Lags, read_lags
from terc.seeding import generator
from terc.selection.result import Interval
from terc.selection.sufficiency import Sufficiency, checked_data, sufficiency_of
from terc.selection.visible_names import visible
from terc.threads import one_thread

if TYPE_CHECKING:
    from terc.entropy.base import Estimator
    from terc.trajectories.data import Trajectories

MIN_EFFECT = 0.1
"""Share of I(A; whole history) that older steps must add. A learnt policy depends a little on everything: in
states it hardly ever saw a Q-table holds arbitrary values, worth up to 10 % if one move in ten explores."""
NOTHING = Evidence(0.0, 0.0, 1.0, False, "")


@dataclass(frozen=True)
class LagGain:
    """One cell of the variable x lag picture.

    Attributes:
        variable: The variable.
        lag: Steps ago.
        gain: Nats: what the history found would lose without it, or gain by it if it is not part of it.
        needed: Whether it is part of the history found.
    """

    variable: str
    lag: int
    gain: float
    needed: bool


@dataclass(frozen=True)
class HistoryLength(Record):
    """The shortest history that carries as much information about the action as the longest.

    Attributes:
        length: Steps back; 0 if nothing past is needed.
        max_length: The longest history looked at.
        lost: For each length 0..max_length the nats lost against the best longer one; never below zero.
        information: I(A; history), nats, of the best length.
        per_variable: Steps back of each variable, None for one that is not needed at all; empty unless asked
            for.
        gains: Variable x lag; empty unless asked for.
        notes: Plain sentences: how columns were read, what decided, what to doubt.

    Example:
        >>> found = HistoryLength(1, 2, tuple(Interval(v, v, v) for v in (0.6, 0.0, 0.0)), 0.6)
        >>> int(found), found.frames, found.at_limit
        (1, 2, False)
    """

    length: int
    max_length: int
    lost: tuple[Interval, ...]
    information: float
    per_variable: Mapping[str, int | None] | None = None
    gains: tuple[LagGain, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def frames(self) -> int:
        """Frames that a stack must hold, as `n_stack` counts them: the past steps and the present one."""
        return self.length + 1

    @property
    def at_limit(self) -> bool:
        """Whether the longest history is needed, so that a longer one might be."""
        return self.length == self.max_length

    def __int__(self) -> int:
        """The length."""
        return self.length

    def __str__(self) -> str:
        """The length, the loss of each shorter history, and the notes."""
        frames = f"{self.frames} frame{'s' * (self.frames > 1)} with the present one"
        limit = f"of at most {self.max_length}; {self.information:.3f} nats"
        lines = [f"History length {self.length}, {frames} ({limit})."]
        for length, lost in enumerate(self.lost):
            share = lost.value / self.information if self.information > 0 else 0.0
            mark = " <-" if length == self.length else ""
            lines.append(f"  last {length}: {lost.value:.4f} nats lost ({share:.1%}){mark}")
        for name, steps in (self.per_variable or {}).items():
            lines.append(f"  {visible(name)}: {'not needed' if steps is None else f'{steps} steps back'}")
        return "\n".join([*lines, *self.notes])


@called_rightly
@one_thread()
def history_length(  # noqa: PLR0913  (a public call; all but the data are optional)
    data: Trajectories,
    max_length: int = 9,
    *,
    lags: Mapping[str, int] | None = None,
    per_variable: bool = False,
    estimator: Estimator | str | None = None,
    alpha: float = 0.05,
    min_effect: float | None = None,
    seed: int = 0,
) -> HistoryLength:
    """The shortest l with H(A | last l) = H(A | last L), by nested search.

    The sets are nested, so the answer stands where condition 1 fails and single gains are all zero.

    Args:
        data: Steps whose columns are a history (`v`, `v[t-1]`, ... or `pair_1`, `pair_2`, ...), or plain
            steps, which then get their predecessors.
        max_length: L, the longest history to look at.
        lags: Age of each column in steps, if the names do not show it. A name that ends in its age (`x_2`,
            `x[t-2]`) belongs to the variable before it, any other is a variable by itself.
        per_variable: Also the shortest history of each variable, and the gain of each variable at each lag.
        estimator: None counts where that is possible and else predicts.
        alpha: Chance of a history that is too long.
        min_effect: Share of the information in the longest history that does not matter; 0.1 when None.
        seed: For the estimator.

    Example:
        Against Tit-For-4-Tats the best play depends on the last three moves, also on the pure cycle, on which
        the pair four steps ago would do alone.
        >>> from terc.synthetic import ipd_cycle, ipd_play
        >>> int(history_length(ipd_play(tats=4).data)), int(history_length(ipd_cycle(tats=4).data))
        (3, 3)
    """
    checked_data("history_length", data)
    history = read_lags(data, max_length, lags)
    share = MIN_EFFECT if min_effect is None else min_effect
    enough = sufficiency_of(
        history.data, estimator=estimator, alpha=alpha, min_effect=share, rng=generator(seed)
    )
    length, lost, older = _nested(enough, history)
    none, *entropies = enough.entropies([frozenset(), *(history.columns(k) for k in range(len(lost)))])
    information = max(0.0, none.value - min(h.value for h in entropies))
    notes = [history.note, f"{enough.words}, at least {share:.1%} of the information."]
    if older.p_value < alpha and older.gain > 0:
        notes.append(
            f"Older steps add {older.gain:.2g} nats beyond chance (p = {older.p_value:.1g}), "
            "which is below min_effect or not sure enough."
        )
    if length == history.longest:
        notes.append("The longest history looked at is needed: a longer one might be. Raise max_length.")
    per, gains = _variables(enough, history, length) if per_variable else (None, ())
    notes = [*enough.doubts(), *notes]
    return HistoryLength(length, history.longest, lost, information, per, gains, tuple(notes))


def _nested(enough: Sufficiency, history: Lags) -> tuple[int, tuple[Interval, ...], Evidence]:
    """The shortest length that no longer one beats, what each loses, and what is older than the shortest.

    Each length is compared with every longer one, not only with the longest, which may be overfitted.
    """
    sets = [history.columns(length) for length in range(history.longest + 1)]
    pairs = [(k, more) for k, few in enumerate(sets) for more in sets[k + 1 :] if more > few]
    answers = enough.test.ask([enough.question(more - sets[k], sets[k]) for k, more in pairs])
    found: list[list[Evidence]] = [[NOTHING] for _ in sets]
    for (k, _), answer in zip(pairs, answers, strict=True):
        found[k].append(answer)
    length = history.longest
    while length > 0 and not any(answer.needed for answer in found[length - 1]):
        length -= 1
    worst = [max(answers, key=lambda answer: answer.gain) for answers in found]
    lost = tuple(Interval(one.gain, *one.interval) for one in worst)
    return length, lost, min(found[length], key=lambda answer: answer.p_value)


def _variables(
    enough: Sufficiency, history: Lags, length: int
) -> tuple[dict[str, int | None], tuple[LagGain, ...]]:
    """Shorten each variable's history in turn as far as it goes, then measure every cell."""
    chosen = history.columns(length)
    steps: dict[str, int | None] = {}
    for variable in history.variables:
        own = history.columns(length, variable)
        reach: int | None = length
        for shorter in range(length - 1, -2, -1):
            fewer = (chosen - own) | history.columns(shorter, variable)
            if fewer != chosen and not enough(fewer):
                break
            chosen, reach = fewer, (shorter if shorter >= 0 else None)
        steps[variable] = reach
    columns = range(len(history.lag))
    answers = enough.test.ask([enough.question(frozenset({c}), chosen - {c}) for c in columns])
    gains = tuple(
        LagGain(history.variable[c], history.lag[c], answer.gain, c in chosen)
        for c, answer in zip(columns, answers, strict=True)
    )
    return steps, gains
