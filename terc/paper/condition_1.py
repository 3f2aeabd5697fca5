"""Condition 1 in every world (appendix): the ten most redundant pairs, and whether the condition holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
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
from terc.selection.condition_1 import check_condition_1
from terc.selection.redundancy import RedundantPair
from terc.selection.redundancy_index import MostRedundant, PairIndex
from terc.selection.result import Interval
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
    found = check_condition_1(data if only is None else data.only(only), time_limit=seconds)
    pairs = [
        {"first": list(p.first), "second": list(p.second), "value": asdict(p.value)}
        for p in found.most_redundant.pairs
    ]
    return {
        "verdict": found.verdict,
        "as_printed": found.as_printed,
        "paper_test": found.paper_test,
        "violation": _words(found.violation),
        "entropy": found.most_redundant.action_entropy,
        "complete": found.most_redundant.complete,
        "action_kind": found.most_redundant.action_kind,
        "pairs": pairs,
        "sizes": list(found.sizes),
        "searched": list(found.searched),
    }


def _words(pair: RedundantPair | None) -> str:
    if pair is None:
        return ""
    return f"{{{', '.join(pair.first)}}} stands in for {{{', '.join(pair.second)}}}"


def restored(record: Mapping[str, Any]) -> MostRedundant:
    """The pairs of a record, for drawing."""
    pairs = tuple(
        PairIndex(tuple(p["first"]), tuple(p["second"]), Interval(**p["value"])) for p in record["pairs"]
    )
    kind, searched = record["action_kind"], " ".join(record["searched"])
    return MostRedundant(pairs, record["entropy"], record["complete"], searched, kind)


def _claims(scale: Scale, store: Store) -> list[Claim]:
    found = []
    for key, (title, _, _) in _sources(scale).items():
        if key.startswith("TF"):
            continue
        found.append(_claim(title, store[f"condition-1/{key}"]))
    for kind, words in (("exploring", "with one random move in ten"), ("cycle", "on optimal play")):
        found.append(_of_dilemma(scale, store, kind, words))
    return found


def _claim(title: str, record: Mapping[str, Any]) -> Claim:
    entropy, top = (
        record["entropy"],
        max((p["value"]["value"] for p in record["pairs"]), default=float("nan")),
    )
    paper_holds = record["paper_test"] != "violated"
    ours = (
        f"largest R {top:.3f} of H(A) = {entropy:.3f} nats; the paper's test: {record['paper_test']}; all "
        f"irreducible sufficient sets of one size: {record['verdict']}"
    )
    decided = record["verdict"] == "holds" or (record["paper_test"] == "holds" and record["pairs"])
    verdict = DIFFERS if not paper_holds or record["verdict"] == "violated" else AGREES if decided else OPEN
    if record["verdict"] == "not decided" and verdict == AGREES:
        verdict = PARTLY
    return Claim(WHERE, f"{title}: condition 1 holds, no pair reaches H(A).", ours, verdict, _why(record))


def _why(record: Mapping[str, Any]) -> str:
    """What proves a violation, or what kept the search from deciding."""
    if record["violation"]:
        return f"{record['violation']}."
    if record["verdict"] == "not decided":
        return str(record["searched"][-1])
    if record["paper_test"] == "not decided":
        continuous = record["action_kind"] == "continuous"
        return "H(A) of a density is no limit for R." if continuous else "R was not searched to the end."
    return ""


def _of_dilemma(scale: Scale, store: Store, kind: str, words: str) -> Claim:
    records = {tats: store[f"condition-1/TF{tats}T-{kind}"] for tats in scale.tats}
    held = [tats for tats, record in records.items() if record["verdict"] == "holds"]
    broken = [tats for tats, record in records.items() if record["verdict"] == "violated"]
    tested = [tats for tats, record in records.items() if record["paper_test"] == "violated"]
    unclear = [tats for tats in records if tats not in (*held, *broken)]
    telling = [4] if 4 in broken else [*broken, *unclear][:1]
    example = "".join(f"TF{tats}T: {_why(records[tats])}" for tats in telling)
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
        record = store[f"condition-1/{key}"]
        if record["pairs"]:
            words = f"Verdict: {record['verdict']}. {record['violation']} {' '.join(record['searched'])}"
            draw = partial(figures.condition_1_bars, restored(record))
            pictures.append(Picture(f"condition-1-{key}", f"Condition 1: {title}", words, draw))
    return pictures


EXPERIMENT = Experiment("condition-1", "Condition 1", (_players, _checks), _claims, _pictures)
