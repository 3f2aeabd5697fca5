"""The Secret Key Game (7.4) and Cart Pole, Lunar Lander and Pendulum with noise (7.5), as experiments."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from terc import figures
from terc.paper.agents import agent_key
from terc.paper.claims import braces
from terc.paper.experiment import Experiment, Pictures, Wave
from terc.paper.gains import OURS, PI, SEEK, UMFI, selection_of
from terc.paper.learning import again_tasks
from terc.paper.quarters import quarter_selections
from terc.paper.scale import PRESETS, Scale
from terc.paper.study import TERC, Study, agent_tasks, chances_tasks, learner_tasks, selection_tasks
from terc.paper.study_claims import WorldClaims
from terc.paper.worlds import PAPER_WORLDS, PaperWorld, secret_key_world
from terc.reporting.pictures import Picture
from terc.selection.result import Selection
from terc.store import Store, Task

GOALS = {"cart-pole": 475.0, "lunar-lander": 200.0}
SHOWN_DECOYS = 10
WHOSE = {"paper": "printed agent", "fast": "agent of ours"}


def _of_agent(scale: Scale, store: Store, world: PaperWorld, preset: str) -> Pictures:
    """Scores, quarters and learning of the agent with the median return."""
    study = Study(scale, store, world)
    seed, whose, name = study.representative(preset), WHOSE[preset], PRESETS[preset]
    key, methods = agent_key(world.name, preset, seed), (TERC[preset], UMFI, PI, SEEK)
    sides = {method: selection_of(store, key, method) for method in methods}
    wanted, ours = world.wanted(sides[PI].names), selection_of(store, key, OURS)
    shown = {m: _shown(s, wanted, ours) if world.is_game else s for m, s in sides.items()}
    kept = "; ".join(f"{method}: {braces(side.kept)}" for method, side in sides.items())
    curves = study.curves(preset)
    ends = ", ".join(f"{state} {values[:, -1].mean():.1f}" for state, (_, _, values) in curves.items())
    experts = preset == "paper" and store[f"{key}/agent"]["expert_steps"]
    data = "expert episodes" if experts else "all its play"
    top = 3 + SHOWN_DECOYS if world.is_game else 12
    made = [
        (world.bars, Picture(
            f"{world.name}-bars-{name}", f"{world.title}: scores, {whose}",
            f"The {whose} with the median return of those that all methods looked at (seed {seed}), {data}. "
            f"Bars with 95 % intervals; the red line decided. Kept by {kept}.",
            partial(figures.gain_bars, shown, top=top))),
    ]  # fmt: skip
    if len(curves) > 1:
        draw_learning = partial(
            figures.learning_curves,
            {f"{s} ({n})": (grid, values) for s, (n, grid, values) in curves.items()},
            goal=GOALS.get(world.name),
        )
        words = (
            "Interquartile mean of the learners with 95 % bands; states by majority over agents. Return at "
            f"the end of training: {ends}."
        )
        title = f"{world.title}: learning on the chosen states, {name}"
        made.append((world.bars, Picture(f"{world.name}-learning-{name}", title, words, draw_learning)))
    if seed < scale.quarter_agents:
        stages = quarter_selections(store, key)
        few = {k: _shown(s, wanted, ours, 3) if world.is_game else s for k, s in stages.items()}
        words = f"The {whose} of seed {seed}: gains by quarter of training and as expert."
        title = f"{world.title} through training, {whose}"
        draw = partial(figures.quarter_gains, few, top=6 if world.is_game else 12)
        made.append((world.stages, Picture(f"{world.name}-quarters-{name}", title, words, draw)))
    if world.is_game and preset == "fast":
        draw_network = partial(figures.bayesian_network, sides[OURS])
        words = f"What the action depends on, {whose}, seed {seed}."
        made.append((world.bars, Picture(f"{world.name}-network", f"{world.title}: Bayesian network", words,
                                         draw_network)))  # fmt: skip
    return made


def _shown(
    selection: Selection, right: Sequence[str], ours: Selection, decoys: int = SHOWN_DECOYS
) -> Selection:
    """The right variables, the strongest others by our engine, and all that is kept."""
    others = sorted((v for v in ours.verdicts if v.name not in right), key=lambda v: -v.gain)[:decoys]
    names = {*right, *(v.name for v in others), *selection.kept}
    return replace(selection, verdicts=tuple(v for v in selection.verdicts if v.name in names))


def _experiment(name: str, worlds: Callable[[Scale], list[PaperWorld]]) -> Experiment:
    def wave(tasks: Callable[..., list[Task]]) -> Wave:
        return lambda scale, store: tasks(scale, store, worlds(scale))

    return Experiment(
        name,
        (
            wave(agent_tasks),
            wave(selection_tasks),
            wave(learner_tasks),
            wave(chances_tasks),
            wave(again_tasks),
        ),
        lambda scale, store: [c for w in worlds(scale)[::-1] for c in WorldClaims(scale, store, w).claims()],
        lambda scale, store: [
            picture  # for the median printed agent and the median one of ours
            for world in worlds(scale)[::-1]
            for preset in PRESETS
            for picture in _of_agent(scale, store, world, preset)
        ],
    )


# The expensive ones first, so that no worker is left with one at the end.
SECRET_KEY = _experiment(
    "secret-key", lambda scale: [secret_key_world(keys) for keys in sorted(scale.keys, reverse=True)]
)


def _gym(world: PaperWorld) -> Experiment:
    return _experiment(world.name, lambda scale: [world] * (world.name in scale.worlds))


GYM = tuple(_gym(PAPER_WORLDS[name]) for name in ("cart-pole", "lunar-lander", "pendulum"))
