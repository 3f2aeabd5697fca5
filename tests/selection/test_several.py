import numpy as np
import pandas as pd
import pytest

import terc
from terc.errors import UnknownNameError
from terc.selection.several import _interleaved


def policy(seed, weights, n=600, copy=False):
    """Bits x_0 to x_3; what the policy reads of them, as log-odds; a different mean action for each seed."""
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 2, (n, 4))
    if copy:
        bits[:, 3] = bits[:, 0]
    logits = (2 * bits - 1) @ np.array(weights) + 0.5 * (seed % 10 - 1)
    actions = (rng.random(n) < 1 / (1 + np.exp(-logits))).astype(int)
    return terc.Trajectories(bits, actions, episodes=np.arange(n) // 10)


def test_a_variable_that_one_policy_of_three_reads_is_found_and_not_needed_by_all():
    reads = ([1.5, 0, 0, 0], [1.5, 0, 0, 0], [1.5, 1.5, 0, 0])
    data = terc.Trajectories.concat([policy(k, weights) for k, weights in enumerate(reads)])
    found = terc.select(data, estimator="plugin")
    assert found.kept == ("x_0", "x_1") and found.names == data.names
    assert "several-policies" in [note.code for note in found.notes]
    strict = terc.select(data, estimator="plugin", policies="all")
    assert strict.kept == ("x_0",) and strict["x_1"].reason == "needed by some"


def test_opposite_policies_do_not_cancel():
    data = terc.Trajectories.concat([policy(0, [1.5, 0, 0, 0]), policy(1, [-1.5, 0, 0, 0])])
    assert terc.select(data).kept == ("x_0",)
    assert terc.select(data, policies="all").kept == ("x_0",)


def test_a_copy_serves_all_policies():
    data = terc.Trajectories.concat(
        [policy(0, [1.5, 0, 0, 0], copy=True), policy(1, [0, 0, 0, 1.5], copy=True)]
    )
    assert len(terc.select(data, estimator="plugin").kept) == 1
    assert len(terc.select(data, estimator="plugin", policies="all").kept) == 1


def test_policies_with_different_mean_actions_and_nothing_read():
    wrong = 0
    for seed in range(20):
        parts = [policy(10 * seed + k, [0, 0, 0, 0], 200) for k in range(3)]
        wrong += bool(terc.select(terc.Trajectories.concat(parts), estimator="plugin").kept)
    assert wrong <= 4  # of 20 at 0.05: more has a chance of 0.003


def test_episodes_of_the_recordings_come_in_turn():
    data = terc.Trajectories.concat([policy(0, [0] * 4, 40), policy(1, [0] * 4, 20)])
    together = _interleaved(data, "source")
    starts = np.flatnonzero(np.diff(together.episodes, prepend=-1))
    assert together.states[starts, -1].tolist() == [0, 1, 0, 0, 1, 0]
    assert _interleaved(terc.Trajectories.concat([policy(0, [0] * 4)] * 2), "source").n_episodes == 60
    assert sorted(together.states[:, 0]) == sorted(data.states[:, 0]) and together.n_episodes == 6


def of_words(seed, n=600):
    """An action of two words, of which each follows a variable of its own; their order means nothing."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(size=(n, 3))
    place = (17 * x[:, :2]).astype(int) * [5, 7] % 17
    return terc.Trajectories(x, np.char.add(["a", "b"], place.astype(str)), episodes=np.arange(n) // 20)


def test_the_words_of_an_action_are_read_as_words_where_there_are_several_recordings():
    data = terc.Trajectories.concat([of_words(0), of_words(1)])
    assert _interleaved(data, "source").action_labels == data.action_labels
    assert terc.select(data).kept == ("x_0", "x_1")


def test_what_is_known_of_the_columns_is_known_of_several_recordings():
    gaps = np.where(np.arange(600) % 3 == 0, np.nan, np.arange(600) * 7 % 11)
    frame = pd.DataFrame({"x": gaps, "gear": list("abc") * 200, "step": np.arange(600), "a": [0, 1] * 300})
    one = terc.Trajectories.from_frame(
        frame.assign(ep=frame.step // 20), action="a", episode="ep", missing="indicator"
    )
    data = terc.Trajectories.concat([one, one])
    together = _interleaved(data, "_source")
    assert together.groups == one.groups == (("x", "x_missing"),) and together.notes == one.notes
    assert dict(together.levels) == {"gear": ("a", "b", "c"), "_source": (0, 1)} and together.source is None
    changed = terc.Trajectories.concat([one, one._with(actions=1 - one.actions)])
    assert "id-like" in [note.code for note in terc.select(changed).notes]


def test_a_single_source_is_a_plain_selection():
    one = policy(0, [1.5, 0, 0, 0])
    assert terc.select(terc.Trajectories.concat([one]), estimator="plugin").kept == ("x_0",)


def test_all_policies_of_one_recording_are_doubted():
    found = terc.select(policy(0, [0] * 4), estimator="plugin", policies="all")
    assert found.notes[0].code == "one-policy"


def test_policies_are_any_or_all():
    with pytest.raises(UnknownNameError, match="'most'"):
        terc.select(terc.Trajectories.concat([policy(0, [0] * 4)] * 2), policies="most")


def test_where_policies_share_no_variable_none_is_called_redundant_given_what_is_removed():
    bits = [policy(k, weights, copy=True) for k, weights in enumerate(([1.5, 0, 0, 0], [0, 1.5, 0, 0]))]
    data = terc.Trajectories.concat(bits)
    found = terc.select(data, estimator="plugin", policies="all")
    assert found.kept == ()
    rows = {row.name: row for row in found.verdicts}
    one, copy = sorted((rows["x_0"], rows["x_3"]), key=lambda row: len(row.given))
    assert (one.reason, one.given) == ("needed by some", ())
    assert (
        copy.reason == "redundant given what some need"
        and copy.given == (one.name,)
        and rows["x_2"].reason == "irrelevant"
    )
    said = "kept: some of the policies need some of them, but no variable is needed by all."
    assert " ".join(str(found).split()).startswith(f"None of the 4 variables {said}")
    assert f"redundant given {one.name}, needed by some" in str(found)
