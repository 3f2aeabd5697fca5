"""`terc.select` on data whose answer is known, and what the caller can ask for."""

from functools import partial

import numpy as np
import pytest

import terc
from terc import synthetic
from terc.entropy.plugin import PluginEstimator
from terc.entropy.predictive import PredictiveEstimator
from terc.errors import TercWarning
from terc.networks.stack import Training
from terc.predictors.counts import Counts
from terc.predictors.linear import Linear
from terc.predictors.network import Network

QUICK = PredictiveEstimator(
    (Counts(), Linear(), Network(training=Training(hidden=16, batch=200, epochs=1, fewest_updates=120)))
)

FAMILIES = {
    "four redundant": (synthetic.four_redundant, 1000),
    "two triplets": (synthetic.two_triplets, 1000),
    "noisy keys": (partial(synthetic.secret_keys, keys=5, noise=1), 1000),
    "cart pole": (synthetic.cart_pole_like, 3000),
    "continuous action": (synthetic.continuous_action, 2500),
    "nominal codes": (partial(synthetic.nominal_codes, distractors=2), 3000),
    "prisoners": (partial(synthetic.ipd_play, tats=3), 2000),
    "prisoners' cycle": (synthetic.ipd_cycle, 1000),
    "cubic copies": (partial(synthetic.copies, kind="cube", noise=1), 1200),
    "parity": (partial(synthetic.parity, bits=6, needed=3), 1500),
    "hidden parity": (partial(synthetic.parity, bits=6, needed=3), 800),
    "rare light": (partial(synthetic.rare_light, noise=2), 2000),
    "greedy network": (partial(synthetic.greedy_network, variables=6, needed=3), 2000),
    "weak link": (partial(synthetic.weak_link, nats=0.04, noise=2), 1500),
    "noise beside deterministic": (partial(synthetic.noise_beside_deterministic, noise=3), 2000),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_the_right_set(family, seed):
    make, n = FAMILIES[family]
    world = make(n, seed=seed + 100)
    selection = terc.select(world.data, seed=seed)
    assert world.is_exact(selection.kept), (world.missed(selection.kept), world.wrong(selection.kept))


@pytest.fixture(scope="module")
def bits():
    """Action a xor b; `copy` is a again, `noise` is noise."""
    a, b, noise = np.random.default_rng(0).integers(0, 2, (3, 1000))
    states = np.stack([a, b, a, noise], 1)
    return terc.Trajectories(states, a ^ b, names=["a", "b", "copy", "noise"], episodes=np.arange(1000))


@pytest.fixture(scope="module")
def numbers():
    """Action by the sign of x + y with noise; `double` is 2 x, `noise` is noise."""
    rng = np.random.default_rng(1)
    x, y, noise = rng.standard_normal((3, 600))
    action = (x + y + 0.5 * rng.standard_normal(600) > 0).astype(int)
    states = np.stack([x, y, 2 * x, noise], 1)
    return terc.Trajectories(states, action, names=["x", "y", "double", "noise"], episodes=np.arange(600))


@pytest.mark.parametrize(
    ("wish", "kept"),
    [
        ({"order": ["a", "b", "copy", "noise"]}, ("b", "copy")),
        ({"order": ["copy"]}, ("a", "b")),
        ({"costs": {"a": 9.0}}, ("b", "copy")),
        ({"costs": {"copy": 9.0, "a": 1.0}}, ("a", "b")),
        ({"keep": ["copy"]}, ("b", "copy")),
        ({"keep": ["noise"], "order": ["a"]}, ("b", "copy", "noise")),
        ({"groups": [["a", "noise"]], "order": ["copy"]}, ("a", "b", "noise")),
        ({"groups": [["copy", "noise"]], "order": ["copy"]}, ("a", "b")),
        ({"method": "naive"}, ("b",)),
        ({"method": "naive", "keep": ["a"]}, ("a", "b")),
        ({"method": "minimal", "costs": {"a": 5.0, "b": 1.0, "copy": 1.0}}, ("b", "copy")),
        ({"error_rate": "discovery", "order": ["copy"]}, ("a", "b")),
    ],
    ids=str,
)
@pytest.mark.parametrize("estimator", ["auto", "plugin"])
def test_what_the_caller_can_ask_for(bits, estimator, wish, kept):
    assert terc.select(bits, estimator, **wish).kept == kept


@pytest.mark.parametrize(
    ("wish", "kept"),
    [
        ({"order": ["double", "x"]}, ("x", "y")),
        ({"costs": {"x": 2.0, "double": 1.0}}, ("y", "double")),
        ({"keep": ["double"]}, ("y", "double")),
        ({"groups": [["x", "double"]]}, ("x", "y", "double")),
        ({"method": "naive"}, ("y",)),
    ],
    ids=str,
)
def test_what_the_caller_can_ask_of_networks(numbers, wish, kept):
    assert terc.select(numbers, QUICK, **wish).kept == kept


@pytest.mark.parametrize("estimator", [PluginEstimator(), QUICK], ids=["plugin", "predictive"])
def test_one_estimator_alone_solves_xor(bits, estimator):
    selection = terc.select(bits, estimator, order=["noise", "copy", "a", "b"])
    assert selection.kept == ("a", "b")
    assert selection["b"].gain == pytest.approx(np.log(2), abs=0.05)


def test_minimal_finds_one_variable_where_sequential_keeps_three():
    world = synthetic.ipd_cycle(1000, seed=0, tats=4)
    assert len(terc.select(world.data, method="minimal").kept) == 1


def test_constant_columns_go_for_that_reason(bits):
    states = np.column_stack([np.full(1000, 7.0), bits.states, np.zeros(1000)])
    data = terc.Trajectories(states, bits.actions, names=["p", *bits.names, "q"], episodes=bits.episodes)
    selection = terc.select(data, order=["copy"])
    assert selection.kept == ("a", "b")
    assert [r.name for r in selection.removed if r.reason == "constant"] == ["p", "q"]


@pytest.mark.filterwarnings("ignore::terc.TercWarning")
@pytest.mark.parametrize("still", ["column", "action"])
def test_what_is_asked_for_stays_even_if_it_tells_nothing(bits, still):
    states, actions = bits.states.copy(), bits.actions.copy()
    if still == "column":
        states[:, 3] = 1
    else:
        actions[:] = 1
    data = terc.Trajectories(states, actions, names=bits.names, episodes=bits.episodes)
    selection = terc.select(data, keep=["noise"])
    assert "noise" in selection.kept
    assert selection["noise"].reason == "asked for"


def test_a_constant_action_warns_and_keeps_nothing(bits):
    data = terc.Trajectories(bits.states, np.ones(1000, dtype=int), names=bits.names)
    with pytest.warns(TercWarning, match="the action never changes: no variable can carry information"):
        selection = terc.select(data)
    assert selection.kept == ()
    assert {v.reason for v in selection.verdicts} == {"irrelevant"}
    assert selection.notes[0].code == "nothing-to-learn"


def test_only_constant_columns_warn_and_keep_nothing():
    data = terc.Trajectories(np.ones((200, 2)), np.arange(200) % 2)
    with pytest.warns(TercWarning, match="every variable is constant"):
        selection = terc.select(data)
    assert [v.reason for v in selection.verdicts] == ["constant", "constant"]


def test_reasons(bits, numbers):
    for data, copy, original in ((bits, "copy", "a"), (numbers, "double", "x")):
        selection = terc.select(data, "auto", order=[copy])
        reasons = {record.name: record for record in selection.removed}
        assert reasons["noise"].reason == "irrelevant"
        assert reasons["noise"].given == ()
        assert reasons[copy].reason == "redundant"
        assert original in reasons[copy].given
    assert {v.acts for v in terc.select(bits, order=["copy"]).verdicts if v.kept} == {"together"}


def test_what_is_asked_for_is_marked_so(bits):
    selection = terc.select(bits, keep=["noise"])
    assert selection["noise"].reason == "asked for"
    assert not selection["noise"].undecided


def test_soft_probabilities_tell_more_than_the_draws():
    world = synthetic.weak_link(500, seed=0, nats=0.01, noise=2, with_probabilities=True)
    assert world.is_exact(terc.select(world.data).kept)


def test_one_single_episode_works_and_says_so(bits):
    data = terc.Trajectories(bits.states, bits.actions, names=bits.names)
    selection = terc.select(data, order=["copy"])
    assert selection.kept == ("a", "b")
    assert selection.n_episodes == 1
    assert [note.code for note in selection.notes if note.kind == "doubt"] == ["few-episodes"]


def test_text_actions_and_text_columns():
    rng = np.random.default_rng(2)
    weather, coin = rng.choice(["sun", "rain", "snow"], 600), rng.choice(["heads", "tails"], 600)
    action = np.where(weather == "rain", "stay", "go")
    data = terc.Trajectories(np.stack([weather, coin], 1), action, names=["weather", "coin"])
    assert terc.select(data).kept == ("weather",)


def test_a_continuous_action_of_two_dimensions():
    rng = np.random.default_rng(3)
    x = rng.standard_normal((500, 3))
    actions = x[:, :2] + 0.5 * rng.standard_normal((500, 2))
    assert terc.select(terc.Trajectories(x, actions, episodes=np.arange(500))).kept == ("x_0", "x_1")


def test_noise_holds_no_information_about_two_coupled_dimensions():
    rng = np.random.default_rng(4)
    first = rng.standard_normal(400)
    actions = np.stack([first, first + 0.5 * rng.standard_normal(400)], 1)
    data = terc.Trajectories(rng.standard_normal((400, 2)), actions, episodes=np.arange(400))
    selection = terc.select(data, QUICK)
    assert selection.kept == ()
    assert selection.information < 0.05


@pytest.fixture(scope="module")
def with_a_constant():
    """The action is a; b is noise, `still` never changes."""
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2, (400, 2))
    return terc.Trajectories(np.column_stack([bits, np.ones(400)]), bits[:, 0], names=["a", "b", "still"])


@pytest.mark.parametrize("estimator", ["auto", "knn"])
@pytest.mark.parametrize(
    "group, keep, kept",
    [
        (["a", "still"], [], ("a", "still")),
        (["b", "still"], ["still"], ("a", "b", "still")),
        (["b", "still"], ["b"], ("a", "b", "still")),
        (["b", "still"], [], ("a",)),
    ],
)
def test_a_constant_stands_or_falls_with_its_group(with_a_constant, estimator, group, keep, kept):
    found = terc.select(with_a_constant, estimator, groups=[group], keep=keep)
    assert found.kept == kept
    assert found["still"].reason == ("asked for" if "still" in kept else "constant")


def test_the_smallest_set_pays_for_the_constant_in_a_group(with_a_constant):
    """Two copies: the one whose group holds a dear constant goes."""
    states = with_a_constant.states[:, [0, 0, 2]]
    data = terc.Trajectories(states, with_a_constant.actions, names=["a", "copy", "still"])
    costs = {"a": 1.0, "copy": 2.0, "still": 5.0}
    found = terc.select(data, method="minimal", groups=[["a", "still"]], costs=costs)
    assert found.kept == ("copy",)


def test_progress_moves_within_a_stage(bits):
    seen = []
    terc.select(bits, estimator=QUICK, progress=lambda *one: seen.append(one))
    stages = [(done, total) for done, total, _ in seen]
    assert stages == sorted(stages) and set(stages) == {(k, 4) for k in range(5)}
    assert sum("sets evaluated" in what for _, _, what in seen) > 2
    assert not any(", 1 sets" in what for _, _, what in seen)


def test_the_path_shows_how_every_removed_variable_left():
    found = terc.select(synthetic.cart_pole_like(2000).data)
    removed = {name for step in found.steps if step.removed for name in step.tried}
    assert {one.name for one in found.removed} <= removed
    assert found.steps[-1].given + len(found.steps[-1].tried) == len(found.kept)
