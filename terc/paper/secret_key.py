"""The Secret Key Game with 25 and 50 keys (section 7.4): three form the secret, the others are decoys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from terc import figures
from terc.environments.secret_key import secret_positions
from terc.paper.claims import AGREES, DIFFERS, PARTLY, Claim, braces, different, updates_of, verdict_of
from terc.paper.experiment import Experiment
from terc.paper.gains import METHODS, MINE, OURS, PI, UMFI, Gains, selection_of
from terc.paper.learners import agent_task, learner_task
from terc.paper.quarters import QUARTERS, gain, quarter_selections, quarter_tasks, through_training
from terc.paper.scale import Scale
from terc.paper.sources import of_task
from terc.paper.states import FULL, records_of, state_of, states
from terc.paper.worlds import secret_key_world
from terc.reporting.pictures import Picture
from terc.selection.result import Selection
from terc.store import Store, Task


def secret_keys(keys: int) -> tuple[str, ...]:
    """The right answer, in column order.

    Example:
        >>> len(secret_keys(25))
        3
    """
    return tuple(f"key_{k}" for k in sorted(secret_positions(keys, 0)))


def gains_of(scale: Scale, keys: int, seed: int) -> Gains:
    """The play of one trained agent."""
    world = secret_key_world(keys)
    needs = agent_task(world, scale, seed)
    key, words = f"{world.name}/{seed}", f"{keys} keys, agent {seed + 1}"
    return Gains(key, words, of_task(needs.key), world.mine, world.trees, (needs,))


def _agents(scale: Scale, store: Store) -> list[Task]:
    # the dearest first, so that no worker is left with one at the end
    return [
        agent_task(secret_key_world(keys), scale, seed)
        for keys in sorted(scale.keys, reverse=True)
        for seed in range(scale.agents)
    ]


def _selections(scale: Scale, store: Store) -> list[Task]:
    tasks = []
    for keys in sorted(scale.keys, reverse=True):
        for seed in range(scale.agents):
            gains = gains_of(scale, keys, seed)
            tasks += gains.tasks(scale, methods=(OURS, UMFI, PI) if seed == 0 else (OURS, PI))
        tasks += quarter_tasks(gains_of(scale, keys, 0), scale, expert="expert.npz")
    return tasks


def _last(scale: Scale, store: Store) -> list[Task]:
    """MINE on the secret keys and the strongest decoys, and agents on the states that each method chose."""
    tasks = []
    for keys in sorted(scale.keys, reverse=True):
        gains = gains_of(scale, keys, 0)
        measured = [*secret_keys(keys), *_decoys(selection_of(store, gains.key), keys)[: scale.mine_decoys]]
        tasks.append(gains.task(MINE, scale, only=measured))
        world = secret_key_world(keys)
        for state, kept in states(scale, store, world.name).items():
            tasks += [
                learner_task(world, state, kept, seed=seed, preset="paper", share=max(scale.training, 0.05))
                for seed in range(scale.learners)
            ]
    return tasks


def _decoys(selection: Selection, keys: int) -> list[str]:
    """Decoy keys, the strongest first."""
    decoys = [v for v in selection.verdicts if v.name not in secret_keys(keys)]
    return [v.name for v in sorted(decoys, key=lambda v: -v.gain)]


def _late_returns(scale: Scale, store: Store, keys: int) -> dict[str, tuple[int, list[float]]]:
    """State -> its length and the mean return over the last tenth of the training of each learner."""
    world, found = f"secret-key-{keys}", {}
    for state, kept in states(scale, store, world).items():
        records = records_of(scale, store, world, state, "paper")
        found[state] = (len(kept) if kept else keys, [float(record["late"]) for record in records])
    return found


def _claims(scale: Scale, store: Store) -> list[Claim]:
    return [claim for keys in scale.keys for claim in _of_keys(scale, store, keys)]


def _of_keys(scale: Scale, store: Store, keys: int) -> list[Claim]:
    right, name = secret_keys(keys), f"{keys} keys"
    kept = [selection_of(store, f"secret-key-{keys}/{seed}").kept for seed in range(scale.agents)]
    mine = selection_of(store, f"secret-key-{keys}/0", MINE)
    umfi = selection_of(store, f"secret-key-{keys}/0", UMFI)
    permuted = [selection_of(store, f"secret-key-{keys}/{seed}", PI).kept for seed in range(scale.agents)]
    two = [len(set(names) & set(right)) == 2 for names in permuted]
    return [
        Claim.counted(
            "Fig. 3 (A), (B)",
            f"{name}: TERC keeps exactly the three secret keys ({OURS}).",
            [names == right for names in kept],
            "right",
            "",
            f"kept {different(kept)}",
        ),
        Claim.checked(
            "Fig. 3 (A)",
            f"{name}: the same ({MINE}, secret keys and the strongest decoys).",
            f"kept {braces(mine.kept)}, removed {braces([n for n in mine.names if n not in mine.kept])}",
            mine.kept == right,
            updates_of(mine.config) + _why_mine(mine, right),
        ),
        Claim.checked(
            "Fig. 3 (A)",
            f"{name}: UMFI finds all three secret keys.",
            f"kept {braces(umfi.kept)}",
            umfi.kept == right,
            "" if umfi.kept == right else _why_umfi(umfi),
        ),
        Claim.counted(
            "Fig. 3 (A)",
            f"{name}: PI finds only two of the three secret keys.",
            two,
            "two",
            _why_pi(two),
            f"kept {different(permuted)}",
        ),
        _returns(scale, store, keys),
        _rising(store, keys),
        _filter(store, keys),
    ]


def _why_umfi(umfi: Selection) -> str:
    config = umfi.config
    return (
        f"{config['runs']} runs of {config['trees']} trees on {config['max_steps'] or umfi.n_steps:,} steps; "
        "the third key has a third of the weight of the others."
    )


def _why_mine(mine: Selection, right: tuple[str, ...]) -> str:
    surplus = [f"{v.name} {v.gain:.4f}" for v in mine.verdicts if v.kept and v.name not in right]
    return f" Kept beyond the three: {', '.join(surplus)} nats; the rule has no floor." if surplus else ""


def _why_pi(two: list[bool]) -> str:
    if all(two):
        return ""
    return (
        "The secret is 3 y1 - 3 y2 + y3, linear in all three: a ridge regression on 10,000 steps of an agent "
        "that knows the game sees the third too; with so many permutations chance correlations pass as well."
    )


def _returns(scale: Scale, store: Store, keys: int) -> Claim:
    late = _late_returns(scale, store, keys)
    means = {state: sum(values) / len(values) for state, (_, values) in late.items()}
    full, chosen = FULL, state_of(scale, store, f"secret-key-{keys}", "terc")
    best = max(means, key=lambda state: means[state])
    each = ", ".join(f"{state} ({late[state][0]}) {value:.2f}" for state, value in means.items())
    verdict = AGREES if best == chosen else PARTLY if means[chosen] > means[full] else DIFFERS
    if chosen == full:
        verdict, each = DIFFERS, f"{each}; TERC kept every key or none, so there is no smaller state"
    why = (
        "With the printed 20,000 games and rates no agent comes near zero, the return of one who knows the "
        "game; the ordering is what can be compared."
    )
    return Claim(
        "Fig. 3 (C)",
        f"{keys} keys: agents on the state chosen by TERC/UMFI earn most, on all keys less.",
        f"mean return at the end of training by state (length): {each}",
        verdict,
        why,
    )


def _rising(store: Store, keys: int) -> Claim:
    stages = quarter_selections(store, f"secret-key-{keys}/0")
    sums = [gain(stages[quarter], secret_keys(keys)) for quarter in QUARTERS]
    rising = [later > before for before, later in zip(sums, sums[1:], strict=False)]
    return Claim(
        "Fig. 4",
        f"{keys} keys: the actions depend on the secret keys more and more as training goes on.",
        f"summed gain of the secret keys by quarter: {', '.join(f'{value:.2f}' for value in sums)} nats",
        verdict_of(rising),
    )


def _filter(store: Store, keys: int) -> Claim:
    expert = quarter_selections(store, f"secret-key-{keys}/0")["expert"].kept
    return Claim.checked(
        "Appendix, Secret Key Game",
        f"{keys} keys: expert games (return 0) show the same three keys.",
        f"kept {braces(expert)}",
        expert == secret_keys(keys),
        "The filter alone forces the action to be the secret, for any policy; the claims above have none.",
    )


def _pictures(scale: Scale, store: Store) -> list[Picture]:
    pictures = []
    for keys in scale.keys:
        key = f"secret-key-{keys}"
        sides = _shown(store, keys)
        words = (
            f"The three secret keys ({', '.join(secret_keys(keys))}) and the strongest decoys. The paper's "
            "estimator measured only these, each beside all other keys."
        )
        stages = quarter_selections(store, f"{key}/0")
        quarters = {name: _only(stage, keys) for name, stage in stages.items()}
        late = _late_returns(scale, store, keys)
        pictures += [
            Picture(f"{key}-bars", f"{keys} keys: scores", words, partial(figures.gain_bars, sides, top=13)),
            Picture(
                f"{key}-network",
                f"{keys} keys: Bayesian network",
                "Parents of the action.",
                partial(figures.bayesian_network, selection_of(store, f"{key}/0")),
            ),
            Picture(
                f"{key}-returns",
                f"{keys} keys: return against length of the state",
                "Each learner's mean return over the last tenth of 20,000 games with the printed settings; "
                "the mark is the interquartile mean of the learners.",
                partial(figures.return_by_state_length, late),
            ),
            Picture(
                f"{key}-quarters",
                f"{keys} keys through training",
                through_training(stages),
                partial(figures.quarter_gains, quarters, top=6),
            ),
        ]
    return pictures


def _shown(store: Store, keys: int) -> Mapping[str, Selection]:
    """Each method's scores of the secret keys and of the ten strongest decoys by our estimator."""
    return {
        method: _only(selection_of(store, f"secret-key-{keys}/0", method), keys, store) for method in METHODS
    }


def _only(selection: Selection, keys: int, store: Store | None = None) -> Selection:
    ours = selection if store is None else selection_of(store, f"secret-key-{keys}/0")
    names = {*secret_keys(keys), *_decoys(ours, keys)[:10], *selection.kept}
    return replace(selection, verdicts=tuple(v for v in selection.verdicts if v.name in names))


EXPERIMENT = Experiment("secret-key", "Secret Key Game", (_agents, _selections, _last), _claims, _pictures)
