"""Every predictor against closed forms; the mixture; twins and rebuilt columns."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_info, threadpool_limits

from terc.predictors.base import Problem
from terc.predictors.counts import cells
from terc.predictors.encoding import Encoding
from terc.predictors.linear import _merged, _softmax_regression
from terc.predictors.mixture import best_weights, mix
from terc.predictors.reconstruction import rebuilt
from terc.predictors.splits import split
from terc.predictors.target import Forecast, Part, parts_of
from terc.predictors.twins import aligned_rows, twin_of
from terc.predictors.views import PREDICTORS, Views
from terc.trajectories.data import Trajectories

BY_NAME = {predictor.name: predictor for predictor in PREDICTORS}


def views_of(states, actions, *names, **given):
    data = Trajectories(states, actions, episodes=np.arange(len(states)) // 5, **given)
    splits = split(data.episodes, rng=np.random.default_rng(0))
    chosen = tuple(BY_NAME[name] for name in names) or PREDICTORS
    return Views.of(data, splits, seed=1, predictors=chosen)


@pytest.mark.parametrize("name", ["linear", "network", "trees"])
def test_noise_is_no_better_than_nothing(name, rng):
    views = views_of(rng.standard_normal((1500, 3)), rng.integers(0, 3, 1500), name)
    assert views[(0, 1, 2)].mean == pytest.approx(np.log(3), abs=0.01)
    assert views[(0, 1, 2)].mean >= views[()].mean - 0.003


@pytest.mark.parametrize("name", ["linear", "network", "trees"])
def test_a_logistic_policy(name, rng):
    x = rng.standard_normal((3000, 2))
    p = 1 / (1 + np.exp(-2 * x[:, 0]))
    truth = -(p * np.log(p) + (1 - p) * np.log(1 - p)).mean()
    views = views_of(x, (rng.random(3000) < p).astype(int), name)
    assert views[(0, 1)].mean == pytest.approx(truth, abs=0.04)


@pytest.mark.parametrize(
    ("name", "policy"),
    [
        ("trees", lambda x: np.sin(6 * x[:, 0]) > 0),
        ("network", lambda x: x[:, 0] * x[:, 1] > 0),
        ("linear", lambda x: x[:, 0] + x[:, 1] > 0),
    ],
)
def test_each_has_its_strength(name, policy, rng):
    x = rng.uniform(-2, 2, (3000, 2))
    assert views_of(x, policy(x).astype(int), name)[(0, 1)].mean < 0.25


@pytest.mark.parametrize("speed", [0.1, 1e-4])
def test_a_velocity_in_two_positions_needs_whitened_inputs(speed, rng):
    position = 10 * rng.standard_normal(3000)
    velocity = speed * rng.standard_normal(3000)
    x = np.stack([position, position - velocity], 1)
    assert views_of(x, (velocity > 0).astype(int), "network")[(0, 1)].mean < 0.2


@pytest.mark.parametrize("start", [0.0, 1.7e9])
def test_a_small_difference_is_seen_although_one_of_the_two_is_often_none(start, rng):
    own = start + rng.uniform(0, 2e4, 3000)
    gap = 20 * rng.standard_normal(3000)
    there = rng.random(3000) < 0.6
    states = np.stack([own, np.where(there, own + gap, 0)], axis=1)
    views = views_of(states, np.where(there, gap > 0, rng.random(3000) < 0.5).astype(int), "network")
    assert views[(0, 1)].mean < 0.4 * np.log(2) + 0.15  # where there is none, the action is a coin


def test_a_rebuilt_flag_has_values_that_a_flag_can_have(rng):
    flag = rng.integers(0, 2, 3000)
    shown = rng.normal(20, 6, 3000)
    states = np.stack([np.where(flag, 1.8 * shown + 60, shown), flag], axis=1)
    found = rebuilt(views_of(states, flag).laid, (1,), (0,))
    assert len(np.unique(found.encoding.numbers.only((1,)).values)) == 2


def test_a_sharp_rule_with_lapses_is_fitted_to_its_entropy(rng):
    x = rng.standard_normal((6000, 2))
    rule = np.digitize(x.sum(1), [-0.7, 0.7])
    action = np.where(rng.random(6000) < 0.05, rng.integers(0, 3, 6000), rule)
    right, wrong = 0.95 + 0.05 / 3, 0.05 / 3
    truth = -(right * np.log(right) + 2 * wrong * np.log(wrong))
    views = views_of(x, action, "network")
    assert views[(0, 1)].mean == pytest.approx(truth, abs=0.02)


@pytest.mark.parametrize("name", ["linear", "network", "trees"])
def test_a_gaussian_channel(name, rng):
    x = rng.standard_normal((3000, 1))
    views = views_of(x, 0.8 * x[:, 0] + 0.6 * rng.standard_normal(3000), name)
    assert views[()].mean - views[(0,)].mean == pytest.approx(-np.log(0.6), abs=0.07)


def test_counts_are_exact_where_states_come_back(rng):
    x = rng.integers(0, 2, (2000, 2))
    views = views_of(x, x[:, 0] ^ x[:, 1], "counts")
    assert views[(0, 1)].mean < 0.01
    assert views[(0,)].mean == pytest.approx(np.log(2), abs=0.01)


def test_the_chain_of_a_stopped_torque(rng):
    raw = rng.standard_normal(4000)
    parts = parts_of(Trajectories(raw[:, None], np.clip(raw, -1, 1)))
    assert [part.is_number for part in parts] == [False, True]
    assert parts[0].target.mean(0)[:2] == pytest.approx([0.159, 0.159], abs=0.02)
    assert len(parts[1].rows) == (np.abs(raw) < 1).sum()


def test_later_dimensions_are_given_the_earlier(rng):
    actions = rng.standard_normal((500, 3))
    assert [part.given.shape[1] for part in parts_of(Trajectories(actions, actions))] == [0, 1, 2]


def test_the_best_weights_are_found(rng):
    good, bad = rng.uniform(0.5, 1, 800), rng.uniform(0, 0.5, 800)
    chance = np.stack([good, bad])[:, :, None]
    np.testing.assert_allclose(best_weights(chance, np.ones((800, 1))), [1, 0], atol=0.01)
    either = np.where(rng.random(800) < 0.5, 0.9, 0.1)
    weights = best_weights(np.stack([either, 1 - either])[:, :, None], np.ones((800, 1)))
    grid = np.linspace(0.01, 0.99, 99)
    best = grid[np.argmax([np.log(w * either + (1 - w) * (1 - either)).mean() for w in grid])]
    assert weights[0] == pytest.approx(best, abs=0.02)


def test_a_mixture_is_no_worse_than_its_parts(rng):
    target = np.eye(3, dtype=np.float32)[rng.integers(0, 3, 600)]
    part = Part(target, 0.0, np.arange(600), np.zeros((600, 0)))
    chances = [rng.dirichlet(np.ones(3) + 3 * row) for row in target], np.full((600, 3), 1 / 3)
    forecasts = {str(k): Forecast(np.array(c), np.array(c)) for k, c in enumerate(chances)}
    alone = [mix(part, {name: one}).losses.mean() for name, one in forecasts.items()]
    assert mix(part, forecasts).losses.mean() <= min(alone) + 1e-5


def test_choosing_leaves_out_what_is_not_missed(rng):
    x = rng.standard_normal((2000, 3))
    views = views_of(x, (x[:, 0] > 0).astype(int))
    views.choose((0, 1, 2), tolerance=0.005)
    assert len(views.panel[0]) < len(PREDICTORS)
    assert views[(0, 1, 2)].mean < 0.1
    views.choose((1, 2), tolerance=0.005)
    assert views[(1, 2)].mean == pytest.approx(np.log(2), abs=0.01)


def test_each_part_of_the_action_is_asked_of_those_who_help_it(rng):
    x = rng.uniform(-2, 2, (2000, 3))
    comb, line = np.sin(6 * x[:, 0]) > 0, x[:, 1] + 0.3 * rng.standard_normal(2000)
    views = views_of(x, np.stack([comb, line], axis=1).astype(float))
    views.choose((0, 1, 2), tolerance=0.01)
    by_part = [{predictor.name for predictor in some} for some in views.panel]
    assert "trees" in by_part[0]
    assert "trees" not in by_part[1]
    assert "trees" in views.needed


def test_twins_come_from_other_episodes_at_the_same_time():
    clusters = np.repeat(np.arange(4), 3)
    rows = aligned_rows(clusters, shift=2)
    assert (clusters[rows] == (clusters + 2) % 4).all()
    assert (rows % 3 == np.arange(12) % 3).all()


def test_a_twin_carries_nothing(rng):
    x = rng.standard_normal((1000, 2))
    views = views_of(x, (x[:, 0] > 0).astype(int), "linear")
    laid = twin_of(views.laid, (0,), np.arange(1000) // 5)
    old, new = views.laid.encoding.numbers.values, laid.encoding.numbers.values
    assert abs(np.corrcoef(old[:, 0], new[:, 0])[0, 1]) < 0.1
    np.testing.assert_array_equal(old[:, 1], new[:, 1])


def test_what_every_episode_repeats_has_no_twin_and_a_label_of_episodes_has_one(rng):
    clock, label = np.arange(1200) % 100, rng.permutation(12)[np.arange(1200) // 100]
    states = np.stack([clock, label], 1)
    views = views_of(states, (rng.random(1200) < 0.5).astype(int), "linear")
    assert twin_of(views.laid, (0,), np.arange(1200) // 100) is None
    assert twin_of(views.laid, (1,), np.arange(1200) // 100) is not None


def test_columns_are_rebuilt_from_others_or_not_at_all(rng):
    fine, other = rng.uniform(0, 6, 1500), rng.standard_normal(1500)
    views = views_of(np.stack([fine, np.floor(fine), other], 1), rng.integers(0, 2, 1500), "linear")
    laid = rebuilt(views.laid, (1,), (0,))
    old, new = views.laid.encoding.binned.values, laid.encoding.binned.values
    assert (old[:, 1] == new[:, 1]).mean() > 0.99
    assert rebuilt(views.laid, (1,), (2,)) is None
    assert rebuilt(views.laid, (1,), ()) is None


@pytest.mark.parametrize("shape", ["normal", "heavy tails"])
def test_the_shape_of_a_density_is_no_merit_of_a_variable(shape):
    rng = np.random.default_rng(0)
    action = rng.standard_normal(1500) if shape == "normal" else rng.standard_t(3, 1500)
    data = Trajectories(rng.standard_normal((1500, 2)), action, episodes=np.arange(1500) // 10)
    views = Views.of(data, split(data.episodes, rng=rng), seed=1)
    assert views[()].mean - views[(0, 1)].mean < 3 / 1000  # about what a mixture gains by luck


def test_a_length_is_rebuilt_from_the_parts_of_its_vector():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((1500, 3))
    states = np.column_stack([x, np.linalg.norm(x, axis=1)])
    data = Trajectories(states, rng.integers(0, 2, 1500), episodes=np.arange(1500) // 10)
    laid = Views.of(data, split(data.episodes, rng=rng), seed=1).laid
    found = rebuilt(laid, (3,), (0, 1, 2))
    true, guess = (one.encoding.numbers.only((3,)).values for one in (laid, found))
    assert np.abs(true - guess).max() < 1e-2


def test_a_column_with_outliers_is_rebuilt_by_its_values_not_by_their_ranks():
    rng = np.random.default_rng(0)
    speed, angle = rng.standard_t(4, 1500), rng.uniform(-np.pi, np.pi, 1500)
    states = np.column_stack([speed, np.cos(angle), speed**2 / 2 + np.cos(angle)])
    data = Trajectories(states, rng.integers(0, 2, 1500), episodes=np.arange(1500) // 10)
    laid = Views.of(data, split(data.episodes, rng=rng), seed=1).laid
    assert laid.encoding.values.columns_of((2,)).size == 1  # beyond six deviations, so ranks stand beside it
    found = rebuilt(laid, (2,), (0, 1))
    for kind in ("numbers", "values", "binned"):
        true, guess = (getattr(one.encoding, kind).only((2,)).values for one in (laid, found))
        assert np.corrcoef(true[:, 0], guess[:, 0])[0, 1] > 0.9999


def test_what_bounds_the_whole_bounds_what_is_left_without_it(rng):
    x = rng.uniform(-2, 2, (1500, 3))
    views = views_of(x, (np.sin(6 * x[:, 0]) > 0).astype(int))
    views.panel = ((BY_NAME["linear"],),)
    views.prepare([(0,), (0, 1)])
    views.panel = ((BY_NAME["linear"], BY_NAME["trees"]),)
    views.prepare([(0, 2), (0, 1, 2)])
    # Trees were asked about the third column only: its gain is theirs.
    assert views.best((0, 1)).mean - views.best((0, 1, 2)).mean > 0.1
    assert views.pair((0, 1), (2,))
    assert views.best((0, 1)).mean - views.best((0, 1, 2)).mean < 0.02
    assert not views.pair((0, 1), (2,))  # nothing is asked twice


def test_counts_are_asked_about_smaller_views_even_if_a_wide_one_cannot_be_counted(rng):
    labels = rng.integers(0, 12, (1500, 4))
    views = views_of(labels, (labels[:, 0] * 7 + labels[:, 1] * 5) % 4, "counts", "linear")
    views.choose(range(4), tolerance=0.001)
    assert "counts" not in views.needed
    assert "counts" in {predictor.name for predictor in views.panel[0]}


def test_a_part_that_other_folds_cannot_learn_is_left_out_of_another_training(rng):
    episodes = np.repeat(np.arange(60), 100)
    x = rng.standard_normal((len(episodes), 1))
    moving = np.isin(episodes, (3, 30, 50))
    data = Trajectories(x, np.where(moving, x[:, 0], 0.0), episodes=episodes, action_kind="continuous")
    views = Views.of(data, split(episodes, rng=np.random.default_rng(2)), seed=2, predictors=PREDICTORS[:2])
    others = [views.again(run) for run in (1, 2)]
    alone = [len(np.unique(other.splits.folds[moving])) == 1 for other in others]
    assert [len(other.parts) for other in others] == [1 if one else 2 for one in alone]
    assert sorted(alone) == [False, True] and np.isfinite(others[alone.index(True)][(0,)].mean)


def test_values_beside_ranks_only_where_there_is_room(rng):
    data = Trajectories(rng.standard_t(2, (2000, 3)), rng.integers(0, 2, 2000), episodes=np.arange(2000))
    encoding = Encoding.of(data)
    assert [encoding.smooth((0, 2), widest).values.shape[1] for widest in (4, 3)] == [4, 2]


def test_a_network_allows_for_exploration(rng):
    x = rng.standard_normal((4000, 4))
    action = np.where(rng.random(4000) < 0.15, rng.integers(0, 4, 4000), x.argmax(1))
    p = np.array([0.85 + 0.15 / 4] + 3 * [0.15 / 4])
    assert views_of(x, action, "network")[(0, 1, 2, 3)].mean < -(p * np.log(p)).sum() + 0.14


@pytest.mark.parametrize("name", ["linear", "network"])
def test_a_sum_is_one_of_values_also_where_columns_have_outliers(name, rng):
    x = rng.standard_normal((3000, 2))
    x[::100] *= 12
    action = (x[:, 0] + x[:, 1] > 0).astype(int)
    assert views_of(x, action, name)[(0, 1)].mean < 0.06


def test_values_grow_slowly_beyond_six_deviations():
    x = np.append(np.linspace(-1, 1, 2000), 40.0)
    values = Encoding.of(Trajectories(x[:, None], np.arange(2001) % 2)).values.values[:, 0]
    assert np.allclose(np.diff(values[:2000], 2), 0, atol=1e-5)
    assert 6 < values[-1] < 10


def test_trained_again_in_other_folds_the_loss_is_much_the_same(rng):
    x = rng.standard_normal((2000, 2))
    views = views_of(x, (x[:, 0] + 0.5 * rng.standard_normal(2000) > 0).astype(int), "linear")
    again = views.again(1)
    assert (again.splits.folds != views.splits.folds).any()
    assert again[(0,)].mean == pytest.approx(views[(0,)].mean, abs=0.02)
    assert views.again(1) is again


def test_trees_take_one_thread(monkeypatch, rng):
    seen = []
    fit = HistGradientBoostingClassifier.fit

    def watched(*given):
        seen.extend(library["num_threads"] for library in threadpool_info())
        return fit(*given)

    monkeypatch.setattr(HistGradientBoostingClassifier, "fit", watched)
    x = rng.standard_normal((200, 1))
    with threadpool_limits(2):
        views_of(x, (x[:, 0] > 0).astype(int), "trees")[(0,)]
    assert set(seen) == {1}


def test_the_numbers_of_actions_have_no_order(rng):
    x, code = rng.integers(0, 6, (3000, 2)), rng.permutation(36)
    acted = np.where(rng.random(3000) < 0.1, rng.integers(0, 36, 3000), code[6 * x[:, 0] + x[:, 1]])
    right = 0.9 + 0.1 / 36
    truth = -right * np.log(right) - (1 - right) * np.log(0.1 / 36)
    assert views_of(x, acted)[(0, 1)].mean == pytest.approx(truth, abs=0.2)


def test_known_probabilities_of_many_actions_are_of_levels(rng):
    logits = 2 * rng.standard_normal((800, 1)) * rng.standard_normal(20)
    chances = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    views = views_of(logits[:, :1], chances.argmax(1), "linear", probabilities=chances)
    assert views[()].mean <= np.log(20)
    assert views[(0,)].mean == pytest.approx(-(chances * np.log(chances)).sum(1).mean(), abs=0.1)


def test_an_id_of_many_places_is_counted(rng):
    place, table = rng.integers(0, 200, 6000), rng.integers(0, 4, 200)
    acted = np.where(rng.random(6000) < 0.1, rng.integers(0, 4, 6000), table[place])
    truth = -0.925 * np.log(0.925) - 0.075 * np.log(0.025)
    assert views_of(place[:, None], acted, "counts", "trees")[(0,)].mean == pytest.approx(truth, abs=0.05)


def test_a_joint_action_is_a_chain_of_its_dimensions(rng):
    x = rng.standard_normal((1200, 3))
    acted = np.stack([np.digitize(x[:, 0], [-0.5, 0.5]), rng.integers(0, 4, 1200), x[:, 1] > 0], axis=1)
    data = Trajectories(x, acted.astype(int), episodes=np.arange(1200) // 5)
    assert [part.target.shape[1] for part in parts_of(data)] == [3, 4, 2]
    assert [part.given.shape[1] for part in parts_of(data)] == [0, 3, 7]
    assert views_of(x, acted.astype(int), "trees")[(0, 1)].mean == pytest.approx(np.log(4), abs=0.1)


def test_a_choice_beside_numbers_is_one_part_however_many_labels_it_has(rng):
    words = [f"word {code}" for code in rng.permutation(np.arange(500) % 50)]
    number = rng.standard_normal(500)
    data = Trajectories(number[:, None], np.array(list(zip(words, number, strict=True)), dtype=object))
    other, choice = parts_of(data)
    assert choice.target.shape == (500, 50) and choice.target.sum(0).tolist() == [10] * 50
    labels = np.unique(words, return_inverse=True)[1]
    assert len(np.unique(np.column_stack([labels, choice.target.argmax(1)]), axis=0)) == 50
    assert other.is_number and other.given.shape[1] == 0 and choice.given.shape[1] == 1


@pytest.mark.parametrize(
    ("flags", "levels"),
    [
        ([[1, 0], [0, 1], [0, 0], [0, 1]], [3]),
        ([[1, 0], [0, 1], [1, 0], [0, 1]], [2]),  # one of them says all
        ([[1, 0], [0, 1], [1, 1], [0, 0]], [2, 2]),  # two at once are no choice
        ([[1, 0, 0], [0, 0, 1], [1, 0, 1], [0, 0, 1]], [2, 2]),  # one never happens
        ([[0, 1, 1, 0], [0, 1, 0, 1], [0, 0, 0, 0], [0, 0, 1, 0]], [2, 3]),
        ([[0, 0]] * 4, []),
    ],
)
def test_columns_of_which_never_two_are_one_are_a_choice(flags, levels):
    number = np.linspace(0.1, 0.9, 40)
    data = Trajectories(number[:, None], np.column_stack([np.tile(flags, (10, 1)), number]))
    parts = parts_of(data)
    assert [part.target.shape[1] for part in parts if not part.is_number] == levels
    assert sum(part.is_number for part in parts) == 1


def test_many_whole_numbers_are_numbers_in_a_joint_action_as_they_are_alone(rng):
    x = rng.standard_normal((1000, 2))
    wide = np.round(1000 * x[:, 0]).astype(int)
    few = rng.integers(0, 16, 1000)
    words = np.array([f"word {code}" for code in np.arange(1000) % 20])
    (alone,) = parts_of(Trajectories(x, wide, action_kind="discrete"))
    joint = np.array(list(zip(words, few, wide, strict=True)), dtype=object)
    number, *choices = parts_of(Trajectories(x, joint, action_kind="discrete"))
    assert np.array_equal(number.target, alone.target) and number.width == alone.width
    assert [part.target.shape[1] for part in choices] == [20, 16]
    assert [part.given.shape[1] for part in choices] == [1, 21]


@pytest.mark.parametrize("kind", ["levels", "a number", "two numbers"])
def test_workers_that_do_pieces_in_any_order_change_no_digit(kind, rng):
    x = rng.standard_normal((300, 3))
    action = {
        "levels": np.digitize(np.sin(6 * x[:, 0]), [-0.3, 0.3]),
        "a number": x[:, 0] + rng.standard_normal(300),
        "two numbers": x[:, :2] + rng.standard_normal((300, 2)),
    }[kind]
    pieces = []

    def backwards(work, tasks):
        pieces.extend(tasks)
        return [work(task) for task in tasks[::-1]][::-1]

    here, there = (views_of(x, action, "counts", "linear", "network", "trees") for _ in range(2))
    there.spread = backwards
    wanted = [(0, 1, 2), (0, 1), (2,)]
    for views in (here, there):
        views.choose(wanted[0], tolerance=0.0)
        views.prepare(wanted)
    assert all((here[view].losses == there[view].losses).all() for view in wanted)
    assert here.panel == there.panel
    assert any(task.only == (1,) for task in pieces) == (kind == "levels")


def test_many_views_are_whole_tasks_of_workers_and_no_digit_changes(rng):
    x = rng.standard_normal((300, 4))
    action = (x[:, 0] * x[:, 1] > 0).astype(int)
    sent = []

    def workers(work, tasks):
        sent.append(list(tasks))
        return [work(task) for task in tasks]

    here, there = (views_of(x, action, "counts", "linear", "network") for _ in range(2))
    there.spread = workers
    wanted = [(), *combinations(range(4), 2)]
    for views in (here, there):
        views.prepare(wanted)
    assert sent == [wanted]
    assert all((here[view].losses == there[view].losses).all() for view in wanted)


def test_a_table_of_many_values_acts_together_with_a_number(rng):
    places = rng.integers(0, 120, 6000)
    x = np.stack([places, rng.standard_normal(6000), rng.standard_normal(6000)], 1)
    rule = (places * 7919) % 13 % 3
    action = np.where(x[:, 1] < 0.7, rule, 2 - rule)
    views = views_of(x, action, "counts", "linear", "network", "network on tables")
    assert views[(0, 1)].mean < 0.5 * views[(0,)].mean
    assert views[(0, 2)].mean > views[(0,)].mean - 0.01


def test_a_table_of_two_columns_that_tell_nothing_alone(rng):
    time, slot = np.tile(np.arange(60), 100), np.repeat(rng.integers(0, 6, 100), 60)
    x = np.stack([time, slot, rng.standard_normal(6000)], 1)
    action = np.where(time % 6 == slot, 1 + (x[:, 2] > 0), 0)
    views = views_of(x, action, "counts", "network", "network on tables")
    assert views[(0, 1, 2)].mean < 0.6 * views[(0, 1)].mean
    assert views[(0, 2)].mean > 2 * views[(0, 1)].mean


def test_without_columns_that_come_back_tables_are_not_tried_and_say_what_the_network_says(rng):
    views = views_of(rng.standard_normal((300, 2)), rng.integers(0, 2, 300), "network")
    tabled, asked = BY_NAME["network on tables"], Problem(views.laid, views.parts[0], (0, 1))
    assert not tabled.forecasts(replace(asked, only=(0,), impression=True))
    (said, *_), (plain, *_) = tabled.forecasts(asked).values(), BY_NAME["network"].forecasts(asked).values()
    assert (said[0].chance == plain[0].chance).all()


def test_a_table_of_noise_is_not_needed_beside_what_the_network_reads(rng):
    noise = rng.integers(0, 60, 3000)
    x = np.stack([noise, rng.standard_normal(3000), rng.standard_normal(3000)], 1)
    views = views_of(x, (x[:, 1] * x[:, 2] > 0).astype(int), "counts", "network on tables")
    assert views[(1, 2)].mean < views[(0, 1, 2)].mean + 0.01


def test_equal_rows_count_once_with_the_sums_of_their_shares(rng):
    states, target = rng.integers(0, 2, (600, 3)).astype(np.float32), np.eye(3)[rng.integers(0, 3, 600)]
    x, rows = np.concatenate([np.ones((600, 1)), states], axis=1), np.arange(100, 600)
    once, shares = _merged(x, target, rows, cells(states.astype(int), (0, 1, 2)))
    assert (len(once), shares.sum()) == (8, 500)
    merged, plain = _softmax_regression(once, shares), _softmax_regression(x[rows], target[rows])
    assert np.allclose(merged, plain, atol=1e-3)


def test_nothing_is_rebuilt_from_what_can_be_counted(rng):
    bits = rng.integers(0, 2, (2000, 3))
    states = np.concatenate([bits, bits[:, :1] ^ bits[:, 1:2], rng.standard_normal((2000, 1))], axis=1)
    laid = views_of(states, bits[:, 0], "linear").laid
    assert rebuilt(laid, (3,), (0, 1)) is None
    assert rebuilt(laid, (3,), (0, 1, 4)) is not None


def test_a_part_that_is_there_in_few_of_the_taught_steps_is_learnt_from_all(rng):
    episodes = np.arange(1800) // 120
    x = rng.standard_normal((1800, 3))
    between = np.clip(0.5 * x[:, 0], -2, 2)
    actions = np.where(episodes < 3, between, 2 * np.sign(x[:, 0]))
    data = Trajectories(x, actions, episodes=episodes)
    views = Views.of(data, split(episodes, rng=np.random.default_rng(0)), seed=1)
    for untaught in (episodes < 3, episodes >= 3):
        views.laid = replace(views.laid, taught=~untaught)
        assert np.isfinite(views.evaluated((0, 1), views.panel).mean)
