"""Condition 1 in every world (appendix): the ten most redundant pairs, and whether the condition holds."""

from __future__ import annotations

from functools import partial
from typing import Any

from terc import figures
from terc.paper.claims import AGREES, DIFFERS, OPEN, PARTLY, Claim
from terc.paper.experiment import Experiment
from terc.paper.learners import agent_task
from terc.paper.prisoners import player_task
from terc.paper.scale import Scale
from terc.paper.secret_key import secret_keys
from terc.paper.sources import Source, at_most, of_task, read
from terc.paper.worlds import PAPER_WORLDS, secret_key_world
from terc.reporting.pictures import Picture
from terc.selection.condition_1 import HOLDS, NOT_DECIDED, VIOLATED, Condition1, check_condition_1
from terc.selection.redundancy import RedundantPair
from terc.store import Store, Task

WHERE = "Fig. 11"


DECOYS = 3
"""Decoy keys beside the three secret ones: with all of them there would be more subsets than can be tried."""


def _sources(scale: Scale) -> dict[str, tuple[str, Task, str]]:
    """Key -> (title, the task that plays, its file)."""
    found = {}
    for keys in scale.keys:
        world = secret_key_world(keys)
        found[world.name] = (world.title, agent_task(world, scale, 0), "rollout.npz")
    for name in scale.worlds:
        found[name] = (PAPER_WORLDS[name].title, agent_task(PAPER_WORLDS[name], scale, 0), "rollout.npz")
    for tats in scale.tats:
        player = player_task(scale, tats, 0)
        found[f"TF{tats}T-exploring"] = (f"TF{tats}T, one random move in ten", player, "rollout.npz")
        found[f"TF{tats}T-cycle"] = (f"TF{tats}T, optimal play", player, "cycle.npz")
    return found


def _players(scale: Scale, store: Store) -> list[Task]:
    return [task for _, task, _ in _sources(scale).values()]


def _checks(scale: Scale, store: Store) -> list[Task]:
    return [
        Task(
            f"condition-1/{key}",
            f"condition 1: {title}",
            check,
            _settings(scale, key, of_task(task.key, file)),
            (task,),
        )
        for key, (title, task, file) in _sources(scale).items()
    ]


def _settings(scale: Scale, key: str, source: Source) -> dict[str, Any]:
    only = None
    if key.startswith("secret-key"):
        keys = int(key.rsplit("-", 1)[1])
        secret = secret_keys(keys)
        decoys = [name for k in range(keys) if (name := f"key_{k}") not in secret]
        only = [*secret, *decoys[:DECOYS]]
    return {"source": source, "steps": scale.steps, "seconds": scale.search_seconds, "only": only}


def check(
    store: Store, key: str, *, source: Source, steps: int, seconds: float, only: list[str] | None
) -> dict[str, Any]:
    """The verdict and the ten most redundant pairs, among the variables `only` if they are named."""
    data = at_most(read(store, source), steps)
    return check_condition_1(data if only is None else data.only(only), time_limit=seconds).to_dict()


def _found(store: Store, key: str) -> Condition1:
    return Condition1.from_dict(store[f"condition-1/{key}"])


def _words(pair: RedundantPair | None) -> str:
    if pair is None:
        return ""
    return f"{{{', '.join(pair.first)}}} stands in for {{{', '.join(pair.second)}}}"


def _claims(scale: Scale, store: Store) -> list[Claim]:
    found = []
    for key, (title, _, _) in _sources(scale).items():
        if key.startswith("TF"):
            continue
        found.append(_claim(title, _found(store, key)))
    for kind, words in (("exploring", "with one random move in ten"), ("cycle", "on optimal play")):
        found.append(_of_dilemma(scale, store, kind, words))
    return found


def _claim(title: str, found: Condition1) -> Claim:
    bars = found.most_redundant
    top = max((pair.value.value for pair in bars.pairs), default=float("nan"))
    ours = (
        f"largest R {top:.3f} of H(A) = {bars.action_entropy:.3f} nats; the paper's test: "
        f"{found.paper_test}; all irreducible sufficient sets of one size: {found.verdict}"
    )
    decided = found.holds or (found.paper_test == HOLDS and bars.pairs)
    verdict = DIFFERS if VIOLATED in (found.paper_test, found.verdict) else AGREES if decided else OPEN
    if found.verdict == NOT_DECIDED and verdict == AGREES:
        verdict = PARTLY
    return Claim(WHERE, f"{title}: condition 1 holds, no pair reaches H(A).", ours, verdict, _why(found))


def _why(found: Condition1) -> str:
    """What proves a violation, or what kept the search from deciding."""
    if found.violation:
        return f"{_words(found.violation)}."
    if found.verdict == NOT_DECIDED:
        return found.searched[-1]
    if found.paper_test == NOT_DECIDED:
        continuous = found.most_redundant.action_kind == "continuous"
        return "H(A) of a density is no limit for R." if continuous else "R was not searched to the end."
    return ""


def _of_dilemma(scale: Scale, store: Store, kind: str, words: str) -> Claim:
    found = {tats: _found(store, f"TF{tats}T-{kind}") for tats in scale.tats}
    held = [tats for tats, one in found.items() if one.verdict == HOLDS]
    broken = [tats for tats, one in found.items() if one.verdict == VIOLATED]
    tested = [tats for tats, one in found.items() if one.paper_test == VIOLATED]
    unclear = [tats for tats in found if tats not in (*held, *broken)]
    telling = [4] if 4 in broken else [*broken, *unclear][:1]
    example = "".join(f"TF{tats}T: {_why(found[tats])}" for tats in telling)
    ours = (
        f"all irreducible sufficient sets have one size for N in {held}, violated for {broken}, not decided "
        f"for {unclear}; R reaches H(A) for {tested}"
    )
    verdict = DIFFERS if broken or tested else PARTLY if unclear else AGREES
    return Claim(
        WHERE,
        f"Prisoner's Dilemma {words}: condition 1 holds, no pair reaches H(A), for every N.",
        ours,
        verdict,
        example,
    )


def _pictures(scale: Scale, store: Store) -> list[Picture]:
    shown = {key: title for key, (title, _, _) in _sources(scale).items() if not key.startswith("TF")}
    one = 4 if 4 in scale.tats else scale.tats[0]
    shown |= {f"TF{one}T-exploring": f"TF{one}T, exploring", f"TF{one}T-cycle": f"TF{one}T, optimal play"}
    pictures = []
    for key, title in shown.items():
        found = _found(store, key)
        if found.most_redundant.pairs:
            words = f"Verdict: {found.verdict}. {_words(found.violation)} {' '.join(found.searched)}"
            draw = partial(figures.condition_1_bars, found.most_redundant)
            pictures.append(Picture(f"condition-1-{key}", f"Condition 1: {title}", words, draw))
    return pictures


EXPERIMENT = Experiment("condition-1", "Condition 1", (_players, _checks), _claims, _pictures)
