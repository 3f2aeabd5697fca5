"""What a selection reports beside the kept names: information, intervals, doubts, steps, progress."""

import numpy as np
import pytest

import terc
from terc.selection.evidence import Level
from terc.selection.settings import MIN_EFFECT

N = 1000


@pytest.fixture(scope="module")
def noisy_xor():
    """The action is a xor b but for one step in ten; c is noise."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, (4 * N, 3))
    action = x[:, 0] ^ x[:, 1] ^ (rng.random(4 * N) < 0.1)
    return terc.Trajectories(x, action, names=["a", "b", "c"], episodes=np.repeat(np.arange(N), 4))


@pytest.fixture(scope="module")
def told():
    return []


@pytest.fixture(scope="module")
def selection(noisy_xor, told):
    return terc.select(noisy_xor, progress=lambda *state: told.append(state))


@pytest.fixture(scope="module")
def logistic():
    """A binary action by x and, more weakly, by y; z is noise. Networks have to predict."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((800, 3))
    action = (x[:, 0] + 0.5 * x[:, 1] + rng.logistic(0, 0.4, 800) > 0).astype(int)
    return terc.Trajectories(x, action, names=["x", "y", "z"], episodes=np.arange(800))


@pytest.fixture(scope="module")
def predicted(logistic):
    return terc.select(logistic)


TRUTH = np.log(2) + 0.1 * np.log(0.1) + 0.9 * np.log(0.9)


def test_information_and_entropy_are_the_closed_forms(selection):
    assert selection.action_entropy == pytest.approx(np.log(2), abs=0.005)
    assert selection.information == pytest.approx(TRUTH, abs=0.03)
    assert selection["a"].gain == pytest.approx(TRUTH, abs=0.03)
    assert selection["a"].low < TRUTH < selection["a"].high
    assert abs(selection["c"].gain) < 0.01


def test_the_kept_hold_all_there_is(selection, predicted):
    for one in (selection, predicted):
        assert 0.9 < float(one.retained) <= 1
        assert one.retained.low <= one.retained.value <= one.retained.high <= 1
        assert one.retained.low > 0.8


def test_half_of_the_information_is_half(noisy_xor):
    """Two bits are the action. A floor of 60 % lets one go, not both: losses are taken together."""
    states = noisy_xor.states
    data = terc.Trajectories(states, 2 * states[:, 0] + states[:, 1], names=noisy_xor.names)
    half = terc.select(data, "plugin", min_effect=0.6)
    assert half.kept == ("b",)
    assert float(half.retained) == pytest.approx(0.5, abs=0.02)
    whole = terc.select(data, "plugin", min_effect=0.4)
    assert whole.kept == ("a", "b")
    assert float(whole.retained) == pytest.approx(1, abs=0.02)


def test_every_variable_has_a_line_that_makes_sense(selection, predicted):
    for one in (selection, predicted):
        for row in one.verdicts:
            assert row.low <= row.gain <= row.high
            assert 0 <= row.p_value <= 1
            assert row.null_high >= 0
            assert row.kept == (row.reason in ("needed", "asked for"))
            assert row.instrument in ("counts", "networks", "residuals")
            assert (row.steps_needed is None) == (not row.undecided)
        assert all(row.p_value < 0.05 for row in one.verdicts if row.kept)
        assert all(row.low > 0 for row in one.verdicts if row.kept)


def test_undecided_variables_say_how_many_steps_would_decide(predicted):
    floor = MIN_EFFECT * predicted.information
    for row in predicted.verdicts:
        assert row.undecided == (row.low < floor < row.high)
        if row.undecided:
            assert row.steps_needed > predicted.n_steps


def test_a_weak_link_among_few_steps_is_undecided_not_denied(seed):
    world = terc.synthetic.weak_link(1500, seed=seed + 1, nats=0.003, noise=0)
    weak = terc.select(world.data)["weak"]
    assert weak.undecided or weak.kept
    if weak.undecided:
        assert 1500 < weak.steps_needed < 10**6


def test_the_path_is_on_record(selection, noisy_xor):
    assert selection.steps
    names = set(noisy_xor.names)
    for step in selection.steps:
        assert set(step.tried) <= names
        assert 0 <= step.given <= len(names) - len(step.tried)
        assert 0 <= step.p_value <= 1
    gone = [step for step in selection.steps if step.removed]
    assert {name for step in gone for name in step.tried} >= {"c"}
    assert not any({"a", "b"} & set(step.tried) for step in gone)


def test_the_call_is_on_record(selection, noisy_xor):
    assert selection.config["alpha"] == 0.05
    assert selection.config["seed"] == 0
    assert selection.config["min_effect"] == MIN_EFFECT
    assert (selection.method, selection.estimator) == ("sequential", "auto")
    assert (selection.n_steps, selection.n_episodes) == (4 * N, N)
    assert selection.timings["select"] > 0


def test_notes_say_what_was_used_and_that_it_was_checked(selection, predicted):
    assert any("8 different states in 4000 steps" in note for note in selection.notes)
    assert any("networks" in note for note in predicted.notes)
    for one in (selection, predicted):
        assert any(note.startswith("self-check: ") for note in one.notes)
        assert all(note == note.strip() and note for note in one.notes)


def test_progress_is_told_from_beginning_to_end(selection, told):
    assert selection.kept == ("a", "b")
    done = [state[0] for state in told]
    assert done == sorted(done)
    assert done[0] == 0
    assert told[-1][0] == told[-1][1]
    assert all(isinstance(what, str) and what for _, _, what in told)


@pytest.mark.parametrize("progress", [True, False])
def test_silent_where_nobody_watches(noisy_xor, capfd, progress):
    terc.select(noisy_xor, progress=progress)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("min_effect", [0.0, 0.3])
def test_the_material_floor(min_effect):
    rng = np.random.default_rng(2)
    x = rng.integers(0, 2, (2000, 2))
    # Half of the steps follow `strong`, a tenth `weak`: 0.03 nats against 0.13.
    chance = rng.random(2000)
    action = np.where(chance < 0.5, x[:, 0], np.where(chance < 0.7, x[:, 1], rng.integers(0, 2, 2000)))
    data = terc.Trajectories(x, action, names=["strong", "weak"], episodes=np.arange(2000))
    kept = terc.select(data, min_effect=min_effect).kept
    assert kept == (("strong",) if min_effect else ("strong", "weak"))


def test_discoveries_as_benjamini_and_hochberg_count_them(rng):
    for _ in range(50):
        p = rng.random(12) ** 4
        level = Level(0.1, 12, 0.0).for_discoveries(p.tolist())
        ranked = np.sort(p)
        below = np.flatnonzero(ranked <= 0.1 * np.arange(1, 13) / 12)
        by_hand = set(ranked[: below.max() + 1]) if below.size else set()
        assert {value for value in p if level.passes(1.0, value)} == by_hand


def test_strong_evidence_from_few_blocks_is_undecided_not_denied():
    """Ten episodes: the cosine is worth much, in few passages, so its covariance is not sure; say so."""
    world = terc.synthetic.continuous_action(2000, seed=50_003)
    selection = terc.select(world.data)
    row = selection["cos_angle"]
    assert row.kept or (row.undecided and row.steps_needed > 2000)
    assert row.kept or any("hold only" in note for note in selection.notes)
