"""Trees in plain numpy beside scikit-learn's, which they stand for."""

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.tree import DecisionTreeRegressor

from terc.predictors.exact_tree import tree_guess
from terc.predictors.first_trees import FirstTrees


def test_an_exact_tree_guesses_what_scikit_learns_does():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((3000, 3))
    x[:, 1] = x[:, 1].round(1)
    y = np.column_stack([np.round(x[:, 0] * x[:, 1]), np.sin(3 * x[:, 2]) + rng.standard_normal(3000)])
    train, test = slice(0, 2000), slice(2000, 3000)
    theirs = DecisionTreeRegressor(min_samples_leaf=5, random_state=0).fit(x[train], y[train])
    ours = tree_guess(x[train], y[train], x[test], smallest_leaf=5)
    # Cuts that explain as much as each other are chosen by chance there.
    assert np.isclose(ours, theirs.predict(x[test])).all(1).mean() > 0.97


def test_an_exact_tree_cuts_between_neighbouring_numbers():
    low = 1.0
    high = np.nextafter(low, 2)
    x, y = np.repeat([low, high], 10)[:, None], np.repeat([0.0, 1.0], 10)[:, None]
    assert tree_guess(x, y, np.array([[low], [high]]), smallest_leaf=5).ravel().tolist() == [0, 1]


def test_an_exact_tree_leaves_what_it_was_given_as_it_was():
    x = np.linspace(0, 1, 101)[:, None]
    y = np.floor(4 * x)
    tree_guess(x, y, x, smallest_leaf=5)
    assert np.array_equal(y, np.floor(4 * x))


def test_an_exact_tree_of_one_value_is_that_value():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((50, 2))
    assert np.allclose(tree_guess(x, np.full((50, 1), 3.0), x, smallest_leaf=5), 3.0)


def test_the_first_impression_of_levels_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    bins = rng.integers(0, 256, (6000, 4)).astype(np.uint8)
    levels = (bins[:, 0] > 99).astype(int) + (bins[:, 1] // 32 % 2 == 1)
    levels = np.where(rng.random(6000) < 0.2, rng.integers(0, 3, 6000), levels)
    train, test = slice(0, 4000), slice(4000, 6000)
    settings = {"max_iter": 20, "learning_rate": 0.2, "max_leaf_nodes": 16, "l2_regularization": 1.0}
    theirs = HistGradientBoostingClassifier(**settings, early_stopping=False).fit(bins[train], levels[train])
    ours = FirstTrees.fitted(bins[train], np.eye(3)[levels[train]], 20, 0.2, 20)
    chances = theirs.predict_proba(bins[test]), ours.staged(bins[test], (20,), 3)[:, 0]
    losses = [-np.log(chance[np.arange(2000), levels[test]]).mean() for chance in chances]
    assert abs(losses[0] - losses[1]) < 0.02


def test_the_first_impression_of_a_number_follows_a_comb():
    rng = np.random.default_rng(0)
    bins = rng.integers(0, 256, (4000, 2)).astype(np.uint8)
    comb = (bins[:, :1] // 32 % 2).astype(float)
    model = FirstTrees.fitted(bins, comb, 20, 0.2, 20)
    assert np.abs(model.staged(bins, (8, 20), 1)[:, 1] - comb).mean() < 0.05
