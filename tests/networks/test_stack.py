"""Several networks side by side: each as if it were alone, none sees the fold it is evaluated on."""

import numpy as np

from terc.networks.heads import Softmax, softmax
from terc.networks.stack import Stack, Training


def trained(x, levels, rows, seed=0, training=None):
    training = training or Training(hidden=16, batch=100, epochs=1, fewest_updates=300)
    rng = np.random.default_rng(seed)
    stack = Stack(x.shape[1], len(rows), Softmax(np.eye(2, dtype=np.float32)[levels]), hidden=16, rng=rng)
    stack.train(x, rows, training, rng=rng)
    return stack


def test_xor_is_learnt():
    rng = np.random.default_rng(0)
    x = rng.choice(np.array([-1, 1], dtype=np.float32), (600, 2))
    levels = (x.prod(1) > 0).astype(int)
    stack = trained(x, levels, [np.arange(400), np.arange(200, 600)])
    for network in (0, 1):
        guess = softmax(stack.outputs(network, x))
        assert (guess.argmax(1) == levels).all()
        assert guess.max(1).min() > 0.9


def test_rows_that_were_not_given_play_no_part():
    rng = np.random.default_rng(1)
    x = rng.standard_normal((300, 3)).astype(np.float32)
    levels = (x[:, 0] > 0).astype(int)
    changed, other = x.copy(), levels.copy()
    changed[200:], other[200:] = 7.0, 1
    rows = [np.arange(200)]
    np.testing.assert_array_equal(trained(x, levels, rows).w1, trained(changed, other, rows).w1)


def test_updates_are_bounded():
    training = Training(epochs=2, batch=10, fewest_updates=5, most_updates=50)
    assert [training.updates(n) for n in (10, 100, 10_000)] == [5, 20, 50]
