"""What a careful reader should doubt, found in the numbers themselves."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from markupsafe import Markup

from terc.plurals import some
from terc.reporting.material import Material
from terc.reporting.render import escape, names_in_a_row, percent, prose
from terc.returns.verdict import as_sentence
from terc.selection.printing import information_in, is_about_actions, subject_of, why_none
from terc.selection.result import Selection

FEW_STEPS = 2000
FEW_STEPS_PER_VARIABLE = 50
FEW_EPISODES = 10
LITTLE_RETAINED = 0.95
LITTLE_EXPLAINED = 0.05
CHECK, MIND, NOTE = KINDS = ("check", "keep in mind", "note")


@dataclass(frozen=True)
class Doubt:
    """One point to doubt.

    Attributes:
        kind: "check" (before the answer is used), "keep in mind", or "note" (what the selection said).
    """

    words: Markup
    kind: str = CHECK

    @property
    def check(self) -> bool:
        """Whether it is to be checked."""
        return self.kind == CHECK


def doubts(material: Material) -> list[Doubt]:
    """Everything to doubt, what is to be checked first."""
    found = [d for rule in _ON_MATERIAL for d in rule(material)]
    sides = dict(material.comparison) if material.selection is None else {"": material.selection}
    for name, selection in sides.items():
        start = Markup("<strong>{}: </strong>").format(escape(name)) if name else Markup("")
        found += [Doubt(start + d.words, d.kind) for rule in _ON_SELECTION for d in rule(selection)]
    return sorted(found, key=lambda d: KINDS.index(d.kind))


def _plain(*parts: str, kind: str = CHECK) -> Doubt:
    return Doubt(Markup("").join(map(prose, parts)), kind)


def _noted(s: Selection, *codes: str) -> bool:
    """Whether a note of the selection itself says the same."""
    return any(note.code in codes for note in s.notes)


def _too_few_steps(s: Selection) -> Iterator[Doubt]:
    needed = max(FEW_STEPS, FEW_STEPS_PER_VARIABLE * len(s.verdicts))
    if 0 < s.n_steps < needed:
        yield _plain(
            f"Only {some(s.n_steps, 'step')} for {some(len(s.verdicts), 'variable')}. Weak variables may "
            f"have been missed; {needed:,} steps or more are advisable."
        )
    if 1 < s.n_episodes < FEW_EPISODES:
        yield _plain(
            f"Only {s.n_episodes} episodes. Steps of one episode resemble each other, so the intervals, "
            "which count whole episodes, are rough."
        )
    if s.n_episodes == 1:
        yield _plain(
            "All steps count as one episode. If they come from several, say so with `episodes=`: the "
            "intervals may be too narrow."
        )


def _undecided(s: Selection) -> Iterator[Doubt]:
    rows = [v for v in s.verdicts if v.undecided]
    if rows and not _noted(s, "undecided"):
        steps = [v.steps_needed or 0 for v in rows]
        more = f" About {max(steps):,} steps in all would decide." if all(steps) else ""
        yield _plain(
            "Too close to the threshold to be sure: ", names_in_a_row(v.name for v in rows), ".", more
        )
    sure = [v for v in s.verdicts if v.kept and not v.undecided and v.reason == "needed"]
    close = [v.name for v in sure if v.low <= v.null_high]
    if close:
        yield _plain("Kept, though the interval reaches down to chance: ", names_in_a_row(close), ".")
    above = [v.name for v in s.verdicts if not v.kept and v.reason == "irrelevant" and v.low > v.null_high]
    if above:
        words = (
            "Removed, though the interval lies above chance: not sure enough, given how many were tested: "
        )
        yield _plain(words, names_in_a_row(above), ".")


def _share(s: Selection) -> Iterator[Doubt]:
    share, noted = s.retained, _noted(s, "low-share", "wide-share", "sure-loss")
    if not math.isnan(share.low) and share.low < LITTLE_RETAINED and s.kept and not noted:
        yield _plain(
            f"The kept variables may hold as little as {percent(share.low)} of the {information_in(s)}."
        )
    if share.value > 1.005:
        words = "A retained share above 100 % is estimation error: the smaller state is easier to learn."
        yield _plain(words, kind=MIND)
    explained = s.information / s.action_entropy if s.action_entropy > 0 else math.nan
    if explained < LITTLE_EXPLAINED and not _noted(s, "little-explained", "no-information"):
        yield _plain(
            f"All variables together explain only {percent(explained)} of the entropy of {subject_of(s)}: it "
            "is mostly random, or depends on something that was not recorded."
        )
    if s.action_entropy < 1e-3 and not _noted(s, "nothing-to-learn"):
        words = f"{subject_of(s)} hardly ever changes, so nothing can be said about what it depends on."
        yield _plain(words[0].upper() + words[1:])


def _extremes(s: Selection) -> Iterator[Doubt]:
    if not s.kept:
        yield _plain(f"Nothing was kept: {why_none(s)}.")
    elif len(s.kept) == len(s.verdicts) > 1:
        yield _plain("Everything was kept: there is nothing to leave out at this error rate.", kind=MIND)


def _redundant(s: Selection) -> Iterator[Doubt]:
    rows = [v.name for v in s.verdicts if not v.kept and v.reason == "redundant"]
    if rows:
        it, carries, them = ("it", "carries", "it") if len(rows) == 1 else ("they", "carry", "them")
        words = (
            f": removed because others carry the same information, not because {it} {carries} none. Another "
            f"`order` may keep {them} and remove the others."
        )
        yield _plain(names_in_a_row(rows), words, kind=MIND)


def _notes(s: Selection) -> Iterator[Doubt]:
    for note in s.notes:
        yield _plain(" ".join(note.text.split()), kind=CHECK if note.kind == "doubt" else NOTE)


def _of_the_run(m: Material) -> Iterator[Doubt]:
    of_selection = () if m.selection is None else m.selection.notes
    for note in () if m.verdict is None else m.verdict.doubts:
        if note not in of_selection:
            yield _plain(as_sentence(note.text))


def _always(m: Material) -> Iterator[Doubt]:
    if m.selection is not None and not is_about_actions(m.selection):
        yield _plain("What the policy that made these steps never tries is not seen.", kind=MIND)
    elif m.selection is not None or m.comparison:
        words = (
            "The answer is about the policy that made these steps. A variable it ignores may still be useful "
            "to a better policy."
        )
        yield _plain(words, kind=MIND)


_ON_SELECTION: tuple[Callable[[Selection], Iterator[Doubt]], ...] = (
    _too_few_steps, _undecided, _share, _extremes, _redundant, _notes,
)  # fmt: skip
_ON_MATERIAL: tuple[Callable[[Material], Iterator[Doubt]], ...] = (_of_the_run, _always)
