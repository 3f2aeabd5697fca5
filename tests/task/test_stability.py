import numpy as np
import pytest

import terc
from terc.errors import BadTypeError, BadValueError, UnknownNameError
from terc.selection.result import Selection, Verdict
from terc.task.stable import Stability, of_halves, of_recordings


def recording(episodes, effect, rng, length=5):
    """A strong bit, a weak bit and one of noise."""
    n = episodes * length
    bits = rng.integers(0, 2, (n, 3))
    logits = 1.5 * (2 * bits[:, 0] - 1) + effect * (2 * bits[:, 1] - 1)
    actions = (rng.random(n) < 1 / (1 + np.exp(-logits))).astype(int)
    names = ["strong", "weak", "noise"]
    return terc.Trajectories(bits, actions, episodes=np.repeat(np.arange(episodes), length), names=names)


def selection(kept, given=None):
    rows = (
        Verdict(
            name,
            0.1,
            0,
            1,
            0,
            0,
            name in kept,
            "" if name in kept else "redundant",
            (given or {}).get(name, ()),
        )
        for name in ("x", "y", "z", "noise")
    )
    return Selection(tuple(rows))


def test_stand_ins_are_shown_as_such(tmp_path):
    found = Stability.of(
        [selection(["x", "z"], {"y": ("x",)})] * 3 + [selection(["y", "z"], {"x": ("y",)})] * 2, "recordings"
    )
    assert found["x"].frequency == 0.6 and found["x"].stand_ins == ("y",) and found["x"].with_stand_ins == 1
    assert found.core == ("z",) and found.majority == ("x", "z") and found.union == ("x", "y", "z")
    assert "x or y: 5 of 5" in str(found) and "3 x {x, z}" in str(found) and "never kept: noise" in str(found)
    assert found.stand_ins == (("x", "y"),) and "<table>" in found._repr_html_()
    assert list(found.to_frame().columns)[:2] == ["times", "frequency"]
    found.save(tmp_path / "stable.json")
    assert Stability.load(tmp_path / "stable.json") == found


def test_variables_that_are_kept_together_do_not_stand_in():
    both = [selection(["x", "y"]), selection(["x"], {"y": ("x",)}), selection(["y"], {"x": ("y",)})]
    assert Stability.of(both, "recordings").stand_ins == ()


def test_over_recordings():
    rng = np.random.default_rng(0)
    agents = [recording(200, effect, rng) for effect in (0.0, 0.0, 1.5)]
    found = terc.stability(agents, estimator="plugin")
    assert found.core == ("strong",) and found["weak"].times == 1 and found.kind == "recordings"
    assert terc.stability(terc.Trajectories.concat(agents), estimator="plugin").sets == found.sets


def test_halves_share_no_episode_two_by_two_and_the_seed_decides():
    data = recording(40, 1.0, np.random.default_rng(0))
    from terc.task.stability import _halves

    first, second = _halves(data, 2, np.random.default_rng(0))
    assert first.n_episodes == second.n_episodes == 20 and len(first) + len(second) == len(data)
    found = [terc.stability(data, 4, estimator="plugin", seed=3) for _ in range(2)]
    assert found[0] == found[1] and "halves of the episodes" in str(found[0])


def test_the_interval_of_a_borderline_variable_holds():
    rng, effect = np.random.default_rng(0), 0.5
    fresh = [recording(60, effect, rng) for _ in range(60)]
    truth = np.mean(["weak" in terc.select(one, estimator="plugin").kept for one in fresh])
    lines = [terc.stability(recording(120, effect, rng), 10, estimator="plugin")["weak"] for _ in range(20)]
    assert 0.1 < truth < 0.9
    assert sum(line.low <= truth <= line.high for line in lines) >= 17


def test_intervals_are_in_order_and_wider_for_halves_of_one_recording():
    for times in range(21):
        low, high = of_halves(times, 20)
        assert 0 <= low < high <= 1
        assert of_recordings(times, 20)[0] <= times / 20 <= of_recordings(times, 20)[1]
    assert of_halves(0, 20)[1] < 0.6 and of_halves(20, 20)[0] > 0.4


def test_bad_input():
    data = recording(20, 1.0, np.random.default_rng(0))
    with pytest.raises(BadValueError, match="at least two recordings"):
        terc.stability([data])
    with pytest.raises(BadTypeError, match="wanted Trajectories"):
        terc.stability([data, 3])
    with pytest.raises(BadValueError, match=r"same variables.*\['noise'\]"):
        terc.stability([data, data.only(["strong", "weak"])])
    with pytest.raises(BadValueError, match="at least 16 episodes"):
        terc.stability(data.rows(np.arange(50)))
    with pytest.raises(BadValueError, match="at least 2, got 1"):
        terc.stability(data, 1)
    with pytest.raises(UnknownNameError, match="'speed'"):
        Stability.of([selection(["x"])], "recordings")["speed"]


@pytest.mark.parametrize("interval", [of_halves, of_recordings])
@pytest.mark.parametrize("count", [2, 5, 20, 100])
def test_a_frequency_lies_in_its_interval(interval, count):
    for times in range(count + 1):
        low, high = interval(times, count)
        assert low <= times / count <= high
