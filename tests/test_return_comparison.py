import numpy as np
import pytest

from terc import return_comparison
from terc.errors import BadValueError
from terc.interquartile import bootstrap
from terc.return_comparison import (
    BETTER,
    SAME,
    TOO_FEW,
    WORSE,
    AgentGroup,
    ReturnComparison,
    compare_returns,
    on_one_grid,
    steps_to,
    verdict,
)
from terc.selection.result import Interval


def agents(state, means, *, spread=1.0, variables=4, ends=1000, seed=0):
    rng = np.random.default_rng([seed, len(state)])
    returns = [rng.normal(mean, spread, 20) for mean in means]
    curves = [np.array([[ends / 2, mean / 2], [ends, mean]]) for mean in means]
    return AgentGroup(state, variables, curves, returns)


@pytest.mark.parametrize(
    ("reduced", "expected"),
    [((100, 101, 99), SAME), ((150, 151, 149), BETTER), ((50, 51, 49), WORSE), ((60, 100, 140), SAME)],
)
def test_the_verdict_on_example_agents(reduced, expected, seed):
    full = agents("full", (100, 99, 101))
    found = compare_returns([full, agents("reduced", reduced)], 90.0, rng=np.random.default_rng(seed))
    assert found.verdict == expected
    assert found.difference.low <= found.difference.value <= found.difference.high
    assert any("that interval is wide" in note for note in found.notes) == (reduced == (60, 100, 140))


def test_the_verdict_is_which_side_of_zero():
    assert verdict(Interval(1.0, 0.1, 2.0), 3) == BETTER
    assert verdict(Interval(-1.0, -2.0, -0.1), 3) == WORSE
    assert verdict(Interval(0.0, 0.0, 0.0), 3) == SAME


@pytest.mark.parametrize("count", [1, 2])
def test_fewer_than_three_agents_a_side_give_numbers_and_no_verdict(count, seed):
    groups = [agents("full", (100, 99, 101)), agents("reduced", [50] * count)]
    found = compare_returns(groups, None, rng=np.random.default_rng(seed))
    assert found.verdict == TOO_FEW
    assert found.difference.value == pytest.approx(-50, abs=2)
    assert found.sentence.startswith("difference in return -")
    assert not {"better", "worse"} & set(found.sentence.split())


def test_a_point_estimate_lies_in_its_interval():
    rng = np.random.default_rng(0)
    for _ in range(200):
        counts = rng.integers(1, 6, 2)
        groups = [
            agents(state, rng.exponential(100, count) ** 2, seed=int(rng.integers(1000)))
            for state, count in zip(("full", "reduced"), counts, strict=True)
        ]
        found = compare_returns(groups, None, rng=rng)
        for one in (found.difference, *(s.final for s in found.states), *(s.area for s in found.states)):
            assert one.low <= one.value <= one.high


def test_one_agent_is_measured_by_its_episodes_and_that_is_said():
    found = compare_returns(
        [agents("full", [100]), agents("reduced", [50])], None, rng=np.random.default_rng(0)
    )
    assert found.verdict == TOO_FEW
    assert "one agent" in found.notes[0]
    assert found["full"].steps_to_goal == (None,)


def test_a_lonely_group_has_no_verdict_and_comes_back_from_json():
    found = compare_returns([agents("full", (1, 2, 3))], 1.5, rng=np.random.default_rng(0))
    assert (found.difference, found.verdict) == (None, "")
    assert ReturnComparison.from_dict(found.to_dict()) == found


def test_the_interval_covers_the_spread_between_agents(seed):
    """AgentGroup that differ by 10 leave an interval of that order, however many episodes each played."""
    rng = np.random.default_rng(seed)
    draws = bootstrap([np.full(500, mean) for mean in (90.0, 100.0, 110.0, 95.0, 105.0)], rng=rng)
    low, high = np.quantile(draws, [0.025, 0.975])
    assert 90 <= low < 96
    assert 104 < high <= 110


def of_one_kind(rng, count):
    """AgentGroup of one kind: their skill varies as much as their episodes."""
    returns = [rng.normal(mean, 30, 20) for mean in rng.normal(200, 30, count)]
    return AgentGroup("full", 4, [np.array([[1000, 200.0]])] * count, returns)


def called_different(count):
    """In how many of 150 pairs of equal groups the verdict is not that they are the same."""
    rng = np.random.default_rng(count)
    found = [
        compare_returns([of_one_kind(rng, count), of_one_kind(rng, count)], None, rng=rng).verdict
        for _ in range(150)
    ]
    return sum(one != SAME for one in found)


@pytest.mark.parametrize("count", [3, 5])
def test_agents_of_one_kind_are_seldom_called_better_or_worse(count):
    assert called_different(count) <= 14  # 7.5 expected at 5 %


def test_without_allowing_for_few_agents_they_often_are(monkeypatch):
    monkeypatch.setattr(return_comparison, "small_sample", lambda counts: 1.0)
    assert called_different(3) > 20  # more than one in eight


def test_steps_to_the_goal():
    curve = np.array([[10, 1.0], [20, 8.0], [30, 7.0]])
    assert steps_to(curve, 8.0) == 20
    assert steps_to(curve, 9.0) is None
    assert steps_to(curve, None) is None


def test_an_agent_that_stopped_at_its_goal_keeps_its_return():
    early, late = np.array([[10, 0.0], [50, 9.0]]), np.array([[10, 0.0], [100, 9.0]])
    steps, tables = on_one_grid({"full": [late], "reduced": [early]})
    assert steps[-1] == 100
    assert (tables["reduced"][0][steps >= 50] == 9.0).all()
    assert tables["reduced"].mean() > tables["full"].mean()


def test_the_area_is_the_mean_return_of_training():
    found = compare_returns([agents("full", (100, 100, 100), spread=0)], None, rng=np.random.default_rng(0))
    steps = np.linspace(10, 1000, 100)
    assert found["full"].area.value == pytest.approx(np.interp(steps, [500, 1000], [50, 100]).mean())


def test_nothing_to_compare_is_refused():
    with pytest.raises(BadValueError, match="at least one agent on each state"):
        compare_returns([AgentGroup("full", 4, [], [])], None, rng=np.random.default_rng(0))


def test_equal_returns_of_other_numbers_of_agents_are_the_same():
    curve = np.array([[10, 500.0]])
    groups = [
        AgentGroup(name, 4, [curve] * n, [np.full(20, 500.0)] * n) for name, n in (("full", 5), ("task", 3))
    ]
    found = compare_returns(groups, None, rng=np.random.default_rng(0))
    assert found.verdict == SAME and found.difference.low == found.difference.high == 0
