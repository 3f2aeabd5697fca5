"""The pieces the experiments are made of, against known answers."""

from dataclasses import replace

import numpy as np
import pytest

from terc.agents.tabular_q import TabularQConfig
from terc.entropy.mine import MineEstimator
from terc.paper.chance import kept_by_chance
from terc.paper.claims import AGREES, DIFFERS, OPEN, Side, amiss, counted, difference, of_mine
from terc.paper.condition_1 import _sizes_side
from terc.paper.dilemma import learn, normalised_reward, settled
from terc.paper.gains import PI, PRINTED
from terc.paper.inference import ROWS, _cell, network
from terc.paper.page import table
from terc.paper.plan import planned
from terc.paper.printed import printed_selection
from terc.paper.quarters import QuarterReading, Rise, read
from terc.paper.reading import by_chances
from terc.paper.redundant_pairs import redundancy
from terc.paper.reward_figure import reward_by_history
from terc.paper.run import EXPERIMENTS, Claim
from terc.paper.scale import FULL, QUICK, TOY
from terc.paper.study import chances_tasks
from terc.paper.study_claims import WorldClaims
from terc.paper.worlds import PAPER_WORLDS, at_most, family, secret_key_world, secret_keys
from terc.paper.worlds import read as steps_of
from terc.records import restored
from terc.redundancy.condition_1 import Condition1
from terc.redundancy.perfect_redundancy import RedundantPair
from terc.redundancy.redundancy_index import MostRedundant
from terc.selection.result import Interval, Selection, Verdict
from terc.store import Store, Task
from terc.synthetic import four_redundant
from terc.trajectories.data import Trajectories


def test_mine_keeps_one_of_the_copies_and_its_bar_stands(seed):
    labelled = four_redundant(400, seed=seed)
    found = printed_selection(labelled.data, MineEstimator(runs=3), seed=seed)
    assert labelled.is_exact(found.kept)
    assert all(found[name].gain > 0.5 for name in found.kept)
    assert found.config["updates"] <= found.config["most_updates"] <= found.config["cap"]
    assert found.config["questions"] == 6


def test_mine_may_judge_some_variables_beside_all():
    found = printed_selection(four_redundant(400).data, MineEstimator(runs=3), only=["x2", "x4"])
    assert found.names == ("x2", "x4")
    assert found.kept == ("x2",)


def test_a_q_learner_with_the_right_history_plays_best_and_with_less_does_not():
    config = TabularQConfig(steps=100_000)
    assert normalised_reward(learn(3, 3, config, seed=0).policy, 3) == pytest.approx(1.0)
    assert normalised_reward(learn(3, 1, config, seed=0).policy, 3) < 0.95


def test_the_first_moves_of_each_game_are_dropped():
    played = Trajectories(np.arange(60.0)[:, None], [0, 1] * 30, episodes=[0] * 30 + [1] * 30)
    assert settled(played).states[:, 0].tolist() == [*range(18, 30), *range(48, 60)]


def test_secret_keys_are_where_the_game_has_them():
    assert len(set(secret_keys(25))) == 3


def test_the_timed_networks_have_the_printed_inputs():
    rng = np.random.default_rng(0)
    for row in ROWS.values():
        assert network(row.full, row, rng=rng).act(np.zeros((2, row.full))).shape[0] == 2


def test_counts_become_verdicts_with_their_interval():
    assert counted([True, True], "").verdict == "agrees"
    assert counted([True, False], "", cause="why").cause == "why"
    assert counted([False], "").found == "0 of 1 [0.00, 0.79]"
    assert counted([], "").verdict == OPEN
    assert amiss([("x",)], ["x"]) == "exact"


def test_the_updates_of_mine_are_those_of_the_agent_that_needed_most():
    config = {"batch": 1000, "runs": 10, "updates": 0, "all_variables": True, "questions": 2}
    constant, other = (Selection((), config=config | {"updates": count}) for count in (0, 800))
    assert of_mine([constant, other]) == "; b = 1,000, 10 runs, up to 800 updates"
    assert of_mine([other]) == "; b = 1,000, 10 runs, 800 updates"
    assert not of_mine([Selection(())])


def test_orderings_are_decided_by_three_or_more():
    assert difference([2.0, 2.1, 1.9], [1.0, 1.1, 0.9], paired=True).larger is True
    assert difference([1.0, 1.1, 0.9], [2.0, 2.1, 1.9], paired=False).larger is False
    assert difference([1.0, 3.0, 2.0], [2.0, 2.1, 1.9], paired=True).larger is None
    assert difference([9.0, 9.0], [1.0, 1.0], paired=True).larger is None


def stage(gain):
    return Selection((Verdict("x", gain, gain, gain, 0.0, 0.0, gain > 0, "needed"),))


@pytest.mark.parametrize(("last", "verdict"), [(0.5, AGREES), (0.0, DIFFERS), (0.1, OPEN)])
def test_a_reading_of_the_quarters_is_tested_over_agents(last, verdict):
    agents = [{"1": stage(0.1 + k / 1000), "4": stage(last - k / 1000)} for k in (0, 1, 2)]
    assert read(QuarterReading("", (Rise(("x",), "1", "4"),)), agents, 100).verdict == verdict


def test_a_reading_shows_the_change_that_is_not_decided():
    agents = [{"1": stage(0.1), "2": stage(0.2 + k / 1000), "3": stage(0.4 + k)} for k in (-0.3, 0.0, 0.3)]
    reading = QuarterReading("", (Rise(("x",), "1", "2"), Rise(("x",), "1", "3")))
    side = read(reading, agents, 100)
    assert side.verdict == OPEN
    assert side.found.startswith("least of 2 changes: x, Q1 to Q3:")


def test_a_reading_that_differs_says_in_how_many_agents_and_beside_what():
    agents = [{"1": stage(0.1), "4": stage(0.5 - k / 100)} for k in (0, 1, 2)]
    side = read(QuarterReading("", (Rise(("x",), "4", "1"),)), agents, 100)
    assert side.verdict == DIFFERS
    assert side.cause.startswith("In 3 of 3 agents it is the other way round. All variables together hold")
    assert "nats of the actions of quarter 4 and" in side.cause


def test_a_reading_of_the_quarters_says_the_gains_themselves():
    agents = [{"1": stage(0.1), "4": stage(0.5)}] * 3
    assert read(QuarterReading("", (Rise(("x",), "1", "4"),)), agents, 100).found.startswith(
        "x, Q1 to Q4: 0.100 to 0.500 nats, +0.400"
    )
    kept = QuarterReading("", kept=lambda names: not names)
    assert "x 0.1000" in read(kept, agents, 100).cause


def test_sources_are_cut_to_size(tmp_path):
    data = steps_of(Store(tmp_path, "paper"), family("two_triplets", 50, 1))
    assert len(at_most(data, 20)) == 20


def test_the_star_stands_at_n_minus_one_and_the_cross_where_it_is_told():
    figure = reward_by_history({3: {"1": [0.7, 0.9], "2": [1.0, 1.0]}}, {3: 1})
    lines = figure.axes[0].lines
    assert [tuple(line.get_xdata()) for line in lines if line.get_marker() == "*"] == [(2,)]
    assert [tuple(line.get_xdata()) for line in lines if line.get_marker() == "x"] == [(1,)]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "TF3T", "history of N - 1", "oldest of PI"
    ]  # fmt: skip


@pytest.mark.parametrize(("low", "verdict"), [(0.98, OPEN), (1.05, AGREES), (1.18, DIFFERS)])
def test_the_interval_of_a_speed_up_does_not_widen_with_more_networks(low, verdict, tmp_path):
    row = {"runtime": "torch", "batch": 1, "ratio": 1.1, "low": low, "high": 1.2}
    timed = {"state": "full", "runtime": "torch", "batch": 1, "median": 16.0}
    store = Store(tmp_path, "paper")
    for seed, high in enumerate([1.2, 1.2, 9.0]):
        record = {"rows": [timed], "speed_up": [row | {"high": high}]}
        store.do(Task(f"inference/cart-pole/{seed}", "", lambda store, key, made=record: made, {}))
    record = {"rows": [timed], "speed_up": [row | {"ratio": 1.12}]}
    store.do(Task("inference/cart-pole/one-input", "", lambda store, key: record, {}))
    claim = _cell(replace(TOY, timings=3), store, "cart-pole", 1)
    assert (claim.printed.found, claim.printed.verdict) == (f"torch 1.10 [{low:.2f}, 1.20]", verdict)
    assert claim.ours is None


@pytest.mark.parametrize(("share", "verdict"), [(1.0, DIFFERS), (0.1, OPEN)])
def test_a_difference_of_printed_agents_is_not_decided_where_their_training_was_cut(share, verdict, tmp_path):
    scale, world = replace(QUICK, paper_training=share), PAPER_WORLDS["cart-pole"]
    claims = WorldClaims(scale, Store(tmp_path, "paper"), world)
    claim = claims._claim("Fig. 5", "something", lambda preset: counted([False], "", cause="why"))
    assert (claim.printed.verdict, claim.ours.verdict) == (verdict, DIFFERS)


@pytest.mark.parametrize(
    ("method", "kept", "updates", "excused"),
    [
        (PRINTED, ("key_0",), 100, True),
        (PRINTED, ("key_0", "key_1"), 100, False),  # missed nothing: what it kept beside is no matter of size
        (PRINTED, ("key_0",), 0, False),  # nothing was estimated: all actions are the same
        (PI, ("key_0",), 100, False),  # as large as printed
    ],
)
def test_what_a_method_misses_at_smaller_sizes_is_excused(method, kept, updates, excused, tmp_path):
    claims = WorldClaims(QUICK, Store(tmp_path, "paper"), secret_key_world(25))
    vars(claims)["wanted"] = ("key_0", "key_1")
    rows = tuple(
        Verdict(n, 1.0, 1.0, 1.0, 0.0, 0.0, n in kept, "needed") for n in ("key_0", "key_1", "key_2")
    )
    assert bool(claims._smaller(method, [Selection(rows, config={"updates": updates})])) is excused
    vars(claims)["scale"] = FULL
    assert not claims._smaller(method, [Selection(rows, config={"updates": updates})])


@pytest.mark.parametrize(
    ("bounds", "verdict", "said"),
    [
        ((0.001, 0.004), AGREES, "1 of 1 [0.21, 1.00]; used and removed: none"),
        ((0.004, 0.006), OPEN, "1 not decided; in doubt y 0.40 to 0.60%"),
        ((0.006, 0.009), DIFFERS, "0 of 1 [0.00, 0.79]; used and removed: y"),
    ],
)
def test_only_what_is_surely_used_must_be_kept(bounds, verdict, said, tmp_path):
    store, names = Store(tmp_path, "paper"), ["x", "y", "noise_0"]
    rows = tuple(Verdict(n, 0.1, 0.1, 0.1, 0.0, 0.0, n == "x", "redundant") for n in names)
    chosen = Selection(rows, retained=Interval(1.0, 1.0, 1.0), information=1.0)
    of_all = dict.fromkeys(names, (0.3, 0.4))
    records = {
        "agent": {"names": names, "played": 10},
        "reading": {"information": 1.0, "steps": 1e4, "reads": of_all, "depends": of_all | {"y": bounds}},
        "ours": chosen.to_dict(),
        "chances": ["x", "y"],
    }
    for name, record in records.items():
        store.do(Task(f"pendulum/ours-0/{name}", "", lambda *given, record=record: record, {}))
    claims = WorldClaims(TOY, store, PAPER_WORLDS["pendulum"])
    side = claims._kept_if_used("fast")
    assert (side.verdict, side.found) == (verdict, said)
    assert f"y {100 * bounds[0]:.2f} to {100 * bounds[1]:.2f}%" in side.cause
    assert ("Not used (share of the information" in side.cause) is (verdict == AGREES)
    assert ("Shown the chances of all actions it keeps them with 1 of 1." in side.cause) is (
        verdict != AGREES
    )
    asked = chances_tasks(TOY, store, [PAPER_WORLDS["pendulum"]])
    assert [task.key for task in asked] == ["pendulum/ours-0/chances"] * (verdict != AGREES)
    assert claims._read("fast").found == "1 of 1 [0.21, 1.00]; not read: none"
    assert claims._noise_read("fast").verdict == DIFFERS


@pytest.mark.parametrize(
    ("variable", "plateau", "verdict"),
    [("x", 0.105, AGREES), ("x", 0.13, OPEN), ("x", 0.2, DIFFERS), ("noise_0", 0.1, OPEN)],
)
def test_a_plateau_is_as_good_as_all_updates_up_to_what_single_runs_differ(
    variable, plateau, verdict, tmp_path
):
    store, names = Store(tmp_path, "paper"), ["x", "noise_0"]
    rows = (Verdict("x", 0.1, 0.1, 0.1, 0.0, 0.0, kept=True, reason="needed", repeats=(0.08, 0.1, 0.12)),)
    ends = {"plateau": {"gain": [plateau], "updates": 9}, "all": {"gain": [0.1], "updates": 90}}
    records = {
        "whole-updates": {**ends, "variable": variable, "batch": 10, "steps": 10},
        "ours-0/agent": {"names": names},
        "printed-0/mine": Selection(rows).to_dict(),
    }
    for name, record in records.items():
        store.do(Task(f"cart-pole/{name}", "", lambda *given, record=record: record, {}))
    claim = WorldClaims(TOY, store, PAPER_WORLDS["cart-pole"])._whole_updates()
    assert claim.printed.verdict == verdict
    assert ("deviation of single runs 0.0200" in claim.printed.found) is (variable == "x")


def test_a_weak_variable_is_found_sooner_in_the_chances_of_the_actions(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((1500, 2))
    chance = 1 / (1 + np.exp(-3 * x[:, 0] - 0.4 * x[:, 1]))
    actions, chances = (rng.random(1500) < chance).astype(int), np.column_stack([1 - chance, chance])
    store, episodes = Store(tmp_path, "paper"), np.repeat(np.arange(300), 5)
    (tmp_path / "files/a/agent").mkdir(parents=True)
    data = Trajectories(x, actions, names=["x", "weak"], probabilities=chances, episodes=episodes)
    data.save(tmp_path / "files/a/agent/rollout.npz")
    assert by_chances(store, "", agent="a/agent", steps=1500) == ["x", "weak"]
    data.sampled_only().save(tmp_path / "files/a/agent/rollout.npz")
    assert by_chances(store, "", agent="a/agent", steps=1500) is None


def test_what_pi_keeps_of_shuffled_actions_is_chance(tmp_path):
    source = family("two_triplets", 300, 1)
    data = steps_of(Store(tmp_path, "paper"), source)
    kept = kept_by_chance(
        Store(tmp_path, "paper"), "", source=source, steps=300, seed=0, repeats=20, shuffles=4
    )
    assert len(kept) == 4
    assert sum(kept) < 2 * len(data.names)
    claims = WorldClaims(TOY, Store(tmp_path, "paper"), PAPER_WORLDS["cart-pole"])
    vars(claims).update(names=("x", "y"), wanted=("x",))
    claims.store.do(Task("cart-pole/ours-0/pi-shuffled", "", lambda *given: [1, 0], {}))
    rows = (Verdict("x", 0.5, 0.5, 0.5, 0.1, 0.0, kept=True, reason="needed"),)
    cause = claims._cause("fast", PI, [Selection(rows)])
    assert cause == (
        "PI keeps 0.0 other variables on average; with shuffled actions, by chance alone, 0.5 of all 2. "
        "The least right score is 0.5000, its threshold 0.1000."
    )


def test_condition_1_says_where_the_data_could_not_decide():
    bars = MostRedundant((), 1.0, True, "R by counting.")
    no_proof = "Sufficient sets of different size were found: no proof."
    found = Condition1(
        "not decided", None, "holds", "not decided", bars, (1, 2), ("R by counting.", no_proof)
    )
    assert _sizes_side(found, TOY).cause == no_proof
    assert _sizes_side(found, TOY).found == "the search ended undecided (at most 0.5 s)"
    entropy = Interval(0.0, 0.0, 0.0)
    pair = RedundantPair(("a",), ("b", "c"), (), entropy, entropy, entropy, entropy)
    violated = _sizes_side(replace(found, verdict="violated", violation=pair), TOY)
    assert (violated.verdict, violated.cause) == (DIFFERS, "{a} stands in for {b, c}.")


def test_r_is_all_of_the_entropy_where_one_variable_says_what_two_say(tmp_path):
    x = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]] * 50)
    data = Trajectories(x, x[:, 2], names=["a", "b", "xor"])
    (tmp_path / "files/play").mkdir(parents=True)
    data.save(tmp_path / "files/play/steps.npz")
    source = {"task": "play", "file": "steps.npz", "quarter": None}
    made = redundancy(Store(tmp_path, "paper"), "", source=source, steps=200, rows=None)
    found = restored(MostRedundant, made["found"])
    assert (found.pairs[0].first, found.pairs[0].second) == (("xor",), ("a", "b"))
    assert found.pairs[0].value.value == pytest.approx(found.action_entropy) == pytest.approx(np.log(2))


def test_a_cause_is_numbered_once_and_both_columns_point_to_it():
    side = Side("0 of 1", DIFFERS, "1 agent", "the order")
    rows, causes = table([Claim("Fig. 1", "One.", side, None), Claim("Fig. 1", "Two.", None, side)])
    assert causes == ["the order"]
    assert [[number for _, number in row.sides] for row in rows] == [[1, 0], [0, 1]]


def test_the_plan_of_a_larger_scale_has_more_tasks_and_costs_more():
    small, large = (planned(list(EXPERIMENTS.values()), scale) for scale in (TOY, FULL))
    assert all(large[name][0] >= count for name, (count, _) in small.items())
    assert sum(seconds for _, seconds in large.values()) > sum(s for _, s in small.values()) > 0
