from dataclasses import replace

import numpy as np
import pytest

from terc.entropy.counting import CountedEntropies
from terc.entropy.donsker_varadhan import DonskerVaradhan, Rows, Sample, new_critics, train
from terc.entropy.joint_and_marginal import Columns
from terc.entropy.mine import WORLDS, MineEstimator
from terc.entropy.plateau import Plateau
from terc.errors import BadValueError, UnknownNameError
from terc.networks.stack import Space
from terc.trajectories.data import Trajectories

QUICK = MineEstimator(runs=2, iterations=2_000, plateau=Plateau(fewest=500))
"""The paper's network and learning rate, two runs."""


def gaussian_pair(correlation, n, rng):
    x, noise = rng.standard_normal((2, n))
    return Trajectories(x[:, None], correlation * x + np.sqrt(1 - correlation**2) * noise)


@pytest.mark.filterwarnings("error")
def test_the_unit_of_a_column_changes_no_digit(rng):
    x, action = rng.standard_normal((2, 50))
    units = (1, 2.0**-999, 2.0**1000)
    plain, small, huge = (Columns.of(Trajectories(x[:, None] * u, action * u)) for u in units)
    assert np.array_equal(plain.states, huge.states) and np.array_equal(plain.actions, huge.actions)
    assert np.array_equal(plain.states, small.states) and np.array_equal(plain.actions, small.actions)


def xor(n, rng):
    x = rng.integers(0, 2, (n, 3))
    return Trajectories(x, x[:, 0] ^ x[:, 1])


@pytest.mark.parametrize("correlation", [0.0, 0.2, 0.5, 0.8])
def test_gaussian_pairs(correlation, rng):
    data = gaussian_pair(correlation, 10_000, rng)
    trace = replace(QUICK, iterations=800).trace(data, [(0,)], rng=rng)
    assert not trace.merged
    assert trace.information == pytest.approx(-0.5 * np.log(1 - correlation**2), abs=0.05)


def test_xor_of_merged_rows(rng):
    trace = QUICK.trace(xor(1_000, rng), [(0, 1), (0, 2), (0, 1, 2), ()], rng=rng)
    assert trace.merged
    assert trace.information[[0, 2]] == pytest.approx(np.log(2), abs=0.01)
    assert trace.information[[1, 3]] == pytest.approx(0, abs=0.01)


def test_xor_of_drawn_minibatches(rng):
    settings = replace(QUICK, merge=False, batch=200, iterations=600)
    trace = settings.trace(xor(1_000, rng), [(0, 1), (0,)], rng=rng)
    assert not trace.merged
    assert trace.information[0] == pytest.approx(np.log(2), abs=0.03)
    assert trace.information[1] == pytest.approx(0, abs=0.03)


def test_merged_rows_give_what_counting_gives(rng):
    x = rng.integers(0, 3, (3_000, 2))
    action = (x[:, 0] * (rng.random(3_000) < 0.7) + x[:, 1]) % 3
    counted = CountedEntropies(x, action)
    trace = QUICK.trace(Trajectories(x, action, nominal=[0, 1]), [(0,), (1,), (0, 1)], rng=rng)
    truth = [counted.information(subset) for subset in ([0], [1], [0, 1])]
    assert trace.information.mean(1) == pytest.approx(truth, abs=0.01)


def test_in_sample_value_on_noise_is_above_zero_and_grows_with_the_columns(rng):
    data = Trajectories(rng.standard_normal((1_000, 20)), rng.standard_normal(1_000))
    settings = MineEstimator(runs=1, iterations=400, plateau=None, batch=500)
    one, all_of_them = settings.trace(data, [(0,), tuple(range(20))], rng=rng).information.mean(1)
    assert one == pytest.approx(0, abs=0.05)
    assert all_of_them > 0.1 > one


def six_states_beside_three_actions(rng):
    """Two columns of actions, the constant and one variable; the sample, and its rows one by one."""
    states = np.column_stack([np.ones(6), rng.standard_normal(6)]).astype(np.float32)
    actions = rng.standard_normal((3, 2, 6)).astype(np.float32)
    joint, marginal = rng.dirichlet(np.ones(18), (2, 1)).astype(np.float32)
    sample = Sample(Rows(actions[None], states[None]), DonskerVaradhan(joint, np.log(marginal)))
    rows = np.concatenate([actions.swapaxes(1, 2), np.broadcast_to(states, (3, 6, 2))], -1).reshape(18, 4)
    return sample, rows


def in_torch(critics, sample, rows):
    """The bound of each critic in double precision, and its parameters."""
    torch = pytest.importorskip("torch")
    first, last = (torch.tensor(a, dtype=torch.float64, requires_grad=True) for a in critics)
    head = sample.head

    def bound(reads):
        f = torch.relu(torch.tensor(rows, dtype=torch.float64) @ (first * torch.tensor(reads)).mT)
        f = (f * last[:, None]).sum(-1)
        tilted = f + torch.tensor(head.log_marginal)
        return (torch.tensor(head.joint) * f).sum(1) - torch.logsumexp(tilted, 1)

    return first, last, bound


def some_critics(rng):
    reads = np.array([[True, True, True, True], [True, True, True, False]])
    return new_critics(reads, 4, list(rng.spawn(2)))


def test_gradients_are_those_of_autograd(rng):
    critics, (sample, rows) = some_critics(rng), six_states_beside_three_actions(rng)
    first, last, bound = in_torch((critics.first, critics.last), sample, rows)
    (-bound(critics.reads).sum()).backward()
    outputs, active = critics.forward(sample.rows, Space())
    ours, by_outputs = sample.head.bound_and_gradient(outputs)
    by_first, by_last = critics.gradients(sample.rows, active, by_outputs)
    np.testing.assert_allclose(ours, bound(critics.reads).detach().numpy(), atol=1e-5)
    np.testing.assert_allclose(by_first, first.grad.numpy(), atol=1e-5)
    np.testing.assert_allclose(by_last, last.grad.numpy(), atol=1e-5)


def test_actions_among_the_columns_are_actions_beside_the_states(rng):
    critics, (sample, rows) = some_critics(rng), six_states_beside_three_actions(rng)
    together = Rows(np.empty((1, 1, 0, 18), np.float32), rows[None])
    np.testing.assert_allclose(
        critics.values(together, Space()), critics.values(sample.rows, Space()), atol=1e-6
    )
    slope = rng.standard_normal((2, 18)).astype(np.float32)
    apart, beside = (
        critics.gradients(x, critics.forward(x, Space())[1], slope) for x in (together, sample.rows)
    )
    np.testing.assert_allclose(apart[0], beside[0], atol=1e-5)
    np.testing.assert_allclose(apart[1], beside[1], atol=1e-5)


def test_updates_are_those_of_torchs_adam(rng):
    torch = pytest.importorskip("torch")
    critics, (sample, rows) = some_critics(rng), six_states_beside_three_actions(rng)
    first, last, bound = in_torch((critics.first, critics.last), sample, rows)
    optimiser = torch.optim.Adam([first, last], lr=0.01)
    for _ in range(5):
        optimiser.zero_grad()
        (-bound(critics.reads).sum()).backward()
        optimiser.step()
    trained = train(critics, iter([sample] * 5), cap=5, learning_rate=0.01, plateau=None).critics
    # Up to a constant, which the bound does not see: the bias of a unit active on all rows has no slope.
    mine = trained.values(sample.rows, Space())
    np.testing.assert_allclose(
        sample.head.bound_and_gradient(mine)[0], bound(critics.reads).detach().numpy(), atol=1e-4
    )
    np.testing.assert_allclose(trained.first[..., [0, 1, 3]], first.detach()[..., [0, 1, 3]], atol=1e-4)
    np.testing.assert_allclose(trained.last, last.detach(), atol=1e-4)


def test_losses_average_to_the_information(rng):
    data = xor(400, rng)
    losses = QUICK.losses(data, [(0, 1), (2,), ()], rng=np.random.default_rng(5))
    trace = QUICK.trace(data, [(0, 1), (2,), ()], rng=np.random.default_rng(5))
    assert losses.shape == (3, 2, 400)
    assert -losses.mean(-1) == pytest.approx(trace.information, abs=1e-5)


@pytest.mark.parametrize("merge", [True, False])
def test_an_answer_does_not_depend_on_what_else_is_asked(merge, rng):
    settings = replace(QUICK, merge=merge, batch=100, iterations=300, plateau=Plateau(100, 1, 1e-3, 100))
    data = xor(400, rng)
    alone = settings.trace(data, [(0, 1)], rng=np.random.default_rng(1))
    among = settings.trace(data, [(2,), (0, 1), (0, 1, 2)], rng=np.random.default_rng(1))
    # The same networks on the same rows; sums in another order part them a little.
    assert among.information[1] == pytest.approx(alone.information[0], abs=0.02)


def test_runs_are_independent_and_the_seed_decides(rng):
    data = gaussian_pair(0.5, 500, rng)
    settings = replace(QUICK, iterations=100, plateau=None, batch=100)
    first, again, other = (
        settings.trace(data, [(0,)], rng=np.random.default_rng(s)).information for s in (1, 1, 2)
    )
    assert np.array_equal(first, again)
    assert len({*first.ravel(), *other.ravel()}) == 4


def test_units_change_nothing(rng):
    data = gaussian_pair(0.5, 1_000, rng)
    settings = replace(QUICK, iterations=200, plateau=None, batch=200)
    scaled = Trajectories(1e6 + 1e-3 * data.states, 1e3 * data.actions - 5)
    plain, other = (settings.trace(d, [(0,)], rng=np.random.default_rng(0)) for d in (data, scaled))
    assert plain.information == pytest.approx(other.information, abs=1e-3)


def test_training_ends_on_the_plateau_or_at_the_cap(rng):
    data = xor(400, rng)
    early = QUICK.trace(data, [(0, 1), (2,)], rng=rng)
    assert (early.steps >= 500).all()
    assert (early.steps < 2_000).all()
    whole = replace(QUICK, plateau=None, iterations=70).trace(data, [(0, 1), ()], rng=rng)
    assert whole.steps.tolist() == [[70, 70], [0, 0]]


def test_labels_need_no_order(rng):
    letters = rng.integers(0, 4, 2_000)
    names = np.array(list("abcd"))
    data = Trajectories(names[letters][:, None], names[[2, 0, 3, 1]][letters])
    assert QUICK.trace(data, [(0,)], rng=rng).information == pytest.approx(np.log(4), abs=0.02)


def test_several_dimensions_of_action(rng):
    x = rng.standard_normal((2_000, 1))
    action = np.column_stack([rng.standard_normal(2_000), 0.8 * x[:, 0] + 0.6 * rng.standard_normal(2_000)])
    settings = replace(QUICK, runs=1, iterations=600)
    trace = settings.trace(Trajectories(x, action), [(0,)], rng=rng)
    assert trace.information == pytest.approx(-0.5 * np.log(1 - 0.8**2), abs=0.1)


def test_presets_are_those_of_the_appendix():
    lander = MineEstimator.for_world("lunar-lander")
    assert (lander.batch, lander.iterations, lander.learning_rate) == (25_000, 100_000, 0.01)
    assert all(MineEstimator.for_world(world).hidden == 50 for world in WORLDS)
    with pytest.raises(UnknownNameError, match="world"):
        MineEstimator.for_world("mars")


def test_settings_that_cannot_train_are_refused():
    with pytest.raises(BadValueError, match="batch must be at least 1, got 0"):
        MineEstimator(batch=0)
    with pytest.raises(BadValueError, match="learning_rate must lie between 0 and 1"):
        MineEstimator(learning_rate=3)
