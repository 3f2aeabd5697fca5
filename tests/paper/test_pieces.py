"""The pieces the experiments are made of, against known answers."""

from dataclasses import replace

import numpy as np
import pytest
from example_data import quarters

from terc.agents.tabular_q import TabularQConfig
from terc.entropy.mine import MineEstimator
from terc.paper.claims import AGREES, DIFFERS, Claim, different
from terc.paper.condition_1 import _claim
from terc.paper.gains import paper_selection
from terc.paper.gym_claims import why_not_all
from terc.paper.history_figure import reward_by_history
from terc.paper.inference import ROWS, _cell, network
from terc.paper.players import learn, normalised_reward
from terc.paper.quarters import share, through_training
from terc.paper.scale import TOY
from terc.paper.secret_key import _returns, secret_keys
from terc.paper.sources import at_most, family, read
from terc.selection.condition_1 import Condition1
from terc.selection.redundancy import RedundantPair
from terc.selection.redundancy_index import MostRedundant
from terc.selection.result import Interval, Selection, Verdict
from terc.store import Store, Task
from terc.synthetic import four_redundant


def test_mine_keeps_one_of_the_copies_and_its_bar_stands(seed):
    labelled = four_redundant(400, seed=seed)
    found = paper_selection(labelled.data, MineEstimator(runs=3, null_draws=1), seed=seed)
    assert labelled.is_exact(found.kept)
    assert all(found[name].gain > 0.5 for name in found.kept)
    assert found.config["updates"] <= found.config["most_updates"] <= found.config["cap"]


def test_mine_may_judge_some_variables_beside_all():
    data = four_redundant(400).data
    found = paper_selection(data, MineEstimator(runs=3, null_draws=1), only=["x2", "x4"])
    assert found.names == ("x2", "x4")
    assert found.kept == ("x2",)


def test_a_q_learner_with_the_right_history_plays_best_and_with_less_does_not():
    config = TabularQConfig(steps=100_000)
    assert normalised_reward(learn(3, 3, config, seed=0).policy, 3) == pytest.approx(1.0)
    assert normalised_reward(learn(3, 1, config, seed=0).policy, 3) < 0.95


def test_words_follow_the_numbers():
    words = through_training(quarters())
    assert words.startswith("Quarter 1: ")
    assert "theta_dot" in words
    assert "grew" in words


def test_shares_sum_to_one():
    stage = quarters()["expert"]
    assert sum(share(stage, [name]) for name in stage.names) == pytest.approx(1.0)


def test_secret_keys_are_where_the_game_has_them():
    assert len(set(secret_keys(25))) == 3


def test_the_timed_networks_have_the_printed_inputs():
    rng = np.random.default_rng(0)
    for row in ROWS.values():
        assert network(row.full, row, rng=rng).act(np.zeros((2, row.full))).shape[0] == 2


def test_counts_become_verdicts():
    assert Claim.counted("", "", [True, True], "right").verdict == "agrees"
    assert Claim.counted("", "", [True, False], "right").verdict == "agrees in part"
    assert Claim.counted("", "", [False], "right").verdict == "differs"
    assert different([("a", "b")]) == "{a, b}"


def test_sources_are_cut_to_size(tmp_path):
    data = read(Store(tmp_path, "paper"), family("two_triplets", 50, 1))
    assert len(at_most(data, 20)) == 20


def test_the_star_stands_at_n_minus_one():
    figure = reward_by_history({3: {"1": [0.7, 0.9], "2": [1.0, 1.0]}})
    stars = [line for line in figure.axes[0].lines if line.get_marker() == "*"]
    assert [tuple(star.get_xdata()) for star in stars] == [(2,)]


def chose(*removed, share):
    """A selection of the variables "angle" and "speed" without those removed, each with its reason."""
    rows = tuple(
        Verdict(name, 0.0, 0.0, 0.0, 0.0, 1.0, name not in dict(removed), dict(removed).get(name, "needed"))
        for name in ("angle", "speed")
    )
    return Selection(rows, retained=Interval(share, share, share))


def test_an_original_that_is_removed_is_reported_with_its_reason():
    whole, less = chose(share=1.0), chose(("speed", "redundant"), share=0.98)
    assert why_not_all([whole, whole], ["angle", "speed"]) == ""
    words = why_not_all([whole, less, less], ["angle", "speed"])
    assert "speed as redundant (2)" in words
    assert "98.0 %" in words
    assert "A miss of ours" in why_not_all([whole, chose(("speed", "irrelevant"), share=0.5)], ["speed"])


def test_the_interval_of_a_speed_up_does_not_widen_with_more_networks(tmp_path):
    row = {"runtime": "torch", "batch": 1, "ratio": 1.1, "low": 1.0, "high": 1.2}
    timed = {"state": "full", "runtime": "torch", "batch": 1, "median": 16.0}
    store = Store(tmp_path, "paper")
    for seed, high in enumerate([1.2, 1.2, 9.0]):
        record = {"rows": [timed], "speed_up": [row | {"high": high}]}
        store.do(Task(f"inference/cart-pole/{seed}", "", lambda store, key, made=record: made, {}))
    claim = _cell(replace(TOY, timings=3), store, "cart-pole", 1)
    assert "[1.00, 1.20]" in claim.ours


@pytest.mark.parametrize(("removed", "verdict"), [((("speed", "irrelevant"),), AGREES), ((), DIFFERS)])
def test_no_return_speaks_for_a_state_that_was_not_made_smaller(removed, verdict, tmp_path):
    record, store = chose(*removed, share=1.0).to_dict(), Store(tmp_path, "paper")
    for method in ("ours", "umfi", "pi"):
        store.do(Task(f"secret-key-2/0/{method}", "", lambda *given: record, {}))
    for state, late in {"terc+umfi+pi": -1.0, "all": -2.0}.items():
        key = f"secret-key-2/learners/paper-{state}-0"
        store.do(Task(key, "", lambda *given, late=late: {"late": late}, {}))
    assert _returns(replace(TOY, learners=1), store, 2).verdict == verdict


def test_condition_1_says_where_the_data_could_not_decide():
    bars = MostRedundant((), 1.0, True, "R by counting.")
    no_proof = "Sufficient sets of different size were found: no proof."
    found = Condition1(
        "not decided", None, "holds", "not decided", bars, (1, 2), ("R by counting.", no_proof)
    )
    assert _claim("World", found).why == no_proof
    decided = replace(found, verdict="holds", most_redundant=replace(bars, action_kind="continuous"))
    assert _claim("World", decided).why == "H(A) of a density is no limit for R."
    entropy = Interval(0.0, 0.0, 0.0)
    pair = RedundantPair(("a",), ("b", "c"), (), entropy, entropy, entropy, entropy)
    violated = replace(found, violation=pair)
    assert _claim("World", violated).why == "{a} stands in for {b, c}."
