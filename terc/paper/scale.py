"""`Scale`: how large a reproduction is. `full` has the paper's counts, `quick` fewer, `toy` is for tests."""

from dataclasses import dataclass, replace

from terc.errors import unknown_name

EXPENSIVE = ("lunar-lander", "pendulum")
PRESETS = {"paper": "printed", "fast": "ours"}
"""Preset of our agents -> whose agents they are."""


@dataclass(frozen=True)
class Scale:
    """Every size of a reproduction.

    Attributes:
        agents: Printed agents on the full state of each world, and learners of either kind on each state
            that is compared with it.
        expensive_agents: Printed agents where one takes a minute or more: Lunar Lander and Pendulum.
        our_agents: Agents of ours on the full state of each world.
        dilemma_agents: Q-learners of each kind whose play against each opponent is explained.
        players: Q-learners for each opponent and length of history.
        thorough: Whether all lengths of history are tried, not only those around N - 1, agents learn on the
            states of UMFI and PI too, and on chosen states where that is expensive, and one task per world
            makes all N updates of MINE.
        steps: Steps of play that a selection looks at, where those make episodes enough.
        most_steps: Steps where they are fewer than 200 episodes.
        record: Steps kept of a training, for its quarters.
        training: Share of the training steps of our preset for the Secret Key Game.
        paper_training: Share of the training steps that the paper prints, or that stand for its convergence.
        expensive_training: The same in Lunar Lander and Pendulum.
        mine_runs: Independent runs of the paper's estimator.
        mine_agents: Agents of each world whose play it looks at.
        mine_batch: Cap on its b; None leaves the appendix's.
        mine_updates: Cap on its N; None leaves the appendix's.
        mine_keys: Most keys of which it asks all; of more the secret ones and the ten strongest others.
        quarter_agents: Agents of each kind whose quarters of training are looked at.
        quarter_steps: Steps of each quarter that are looked at.
        episodes: That a trained agent plays for its return.
        hurried: Whether our estimator makes only a few updates: for tests, the numbers mean nothing.
        shown_tats: Opponents of whom the bars are drawn.
        calls: Calls that are timed of each policy.
        search_seconds: Time limit of the search for violations of condition 1, per world.
    """

    name: str
    data_sets: int
    agents: int
    expensive_agents: int
    our_agents: int
    dilemma_agents: int
    players: int
    thorough: bool
    steps: int
    most_steps: int
    record: int
    training: float
    paper_training: float
    expensive_training: float
    mine_runs: int
    mine_agents: int
    mine_batch: int | None
    mine_updates: int | None
    mine_keys: int
    forest_runs: int
    forest_steps: int
    permutations: int
    forest_trees: int = 100
    quarter_agents: int = 5
    quarter_steps: int = 4_000
    hurried: bool = False
    episodes: int = 20
    keys: tuple[int, ...] = (25, 50)
    worlds: tuple[str, ...] = ("cart-pole", "lunar-lander", "pendulum")
    tats: tuple[int, ...] = (2, 3, 4, 5, 6, 7, 8, 9, 10)
    shown_tats: tuple[int, ...] = (3, 4, 6, 8)
    calls: int = 10_000
    timings: int = 5
    search_seconds: float = 120.0
    neighbour_steps: int = 10_000

    def agents_in(self, world: str, preset: str) -> int:
        """Agents of a kind trained on the full state of a world."""
        if preset == "fast":
            return self.our_agents
        return self.expensive_agents if world in EXPENSIVE else self.agents

    def learners_in(self, world: str, preset: str) -> int:
        """Agents of a kind trained on each smaller state of a world; fewer than three decide nothing.

        Trainings that are cut short, those of printed agents in the physics worlds, are not compared.
        """
        cut = world in EXPENSIVE or (preset == "paper" and world in self.worlds)
        return self.agents if self.thorough or not cut else 0


FULL = Scale(
    "full", data_sets=10, agents=5, expensive_agents=5, our_agents=5, dilemma_agents=5, players=5,
    thorough=True, steps=10_000, most_steps=30_000,
    record=40_000, training=1.0, paper_training=1.0, expensive_training=1.0,
    mine_runs=10, mine_agents=3, mine_batch=None, mine_updates=None, mine_keys=25,
    forest_runs=5, forest_steps=5_000, permutations=1000,
)  # fmt: skip
QUICK = replace(
    FULL, name="quick", data_sets=3, agents=3, expensive_agents=3, dilemma_agents=1, players=2,
    thorough=False, steps=5_000, most_steps=12_000, training=0.25, paper_training=0.2, expensive_training=0.1,
    mine_runs=3, mine_agents=3, mine_batch=1_000, mine_updates=1_200, mine_keys=10,
    permutations=200, forest_runs=3, forest_steps=2_000, forest_trees=20,
    quarter_agents=3, quarter_steps=1_500,
    shown_tats=(3, 4), calls=2_000, timings=2, search_seconds=5.0, neighbour_steps=500,
)  # fmt: skip
TOY = replace(
    QUICK, name="toy", data_sets=1, agents=1, expensive_agents=1, our_agents=1, dilemma_agents=1, players=1,
    hurried=True,
    steps=400, most_steps=400, episodes=1,
    record=4_000, training=0.004, paper_training=0.004, expensive_training=0.004,
    mine_runs=2, mine_agents=1, mine_batch=100, mine_updates=20, quarter_agents=1,
    forest_runs=2, forest_steps=150, permutations=10, forest_trees=5, quarter_steps=150,
    keys=(15,), worlds=("cart-pole", "pendulum"), tats=(3,), shown_tats=(3,),
    calls=40, timings=1, search_seconds=0.5, neighbour_steps=200,
)  # fmt: skip
SCALES = {scale.name: scale for scale in (QUICK, FULL, TOY)}


def scale_named(name: str) -> Scale:
    """The scale of that name."""
    if name not in SCALES:
        raise unknown_name("paper", "scale", name, SCALES)
    return SCALES[name]
