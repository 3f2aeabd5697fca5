import numpy as np
import pytest

import terc
from terc.errors import BadTypeError, BadValueError, DataFileError
from terc.trajectories.joined import load_all


def recording(actions, names=("x", "cell"), **more):
    states = {"x": np.arange(len(actions), dtype=float), "cell": np.array(["a", "b", "c"])[: len(actions)]}
    import pandas as pd

    return terc.Trajectories(pd.DataFrame({name: states[name] for name in names}), actions, **more)


def test_variables_in_another_order_and_other_labels_are_joined_by_name():
    one = recording([0, 1, 0], episodes=[0, 0, 1], rewards=[1.0, 2.0, 3.0])
    two = recording([1, 1], ("cell", "x"), episodes=[7, 8])
    both = terc.Trajectories.concat([one, two])
    assert both.names == ("x", "cell") and both.levels["cell"] == ("a", "b", "c")
    assert both.states[3:].tolist() == [[0, 0], [1, 1]]
    assert both.episodes.tolist() == [0, 0, 1, 2, 3] and both.source.tolist() == [0, 0, 0, 1, 1]
    assert both.rewards is None  # only one recording has them


def test_labelled_actions_keep_their_meaning():
    both = terc.Trajectories.concat([recording(["left", "up"]), recording(["up", "right"])])
    assert [both.action_labels[code] for code in both.actions] == ["left", "up", "up", "right"]


def test_a_recording_of_several_sources_keeps_them_apart():
    one = recording([0, 1])
    three = terc.Trajectories.concat([terc.Trajectories.concat([one, one]), one])
    assert three.source.tolist() == [0, 0, 1, 1, 2, 2]
    assert three.rows([2, 3, 4]).source.tolist() == [1, 1, 2]


@pytest.mark.parametrize("suffix", ["parquet", "csv", "npz"])
def test_a_file_keeps_the_source(tmp_path, suffix):
    both = terc.Trajectories.concat([recording([0, 1, 1]), recording([1, 0, 0])])
    both.save(tmp_path / f"steps.{suffix}")
    assert terc.load(tmp_path / f"steps.{suffix}") == both


def test_several_files_are_several_recordings_and_a_folder_is_one(tmp_path):
    for name, actions in (("b", [1, 1, 0]), ("a", [0, 1, 0])):
        recording(actions).save(tmp_path / f"{name}.parquet")
    assert load_all([str(tmp_path)], terc.load).source is None
    both = load_all([str(tmp_path / "a.parquet"), str(tmp_path / "b.parquet")], terc.load)
    assert both.actions.tolist() == [0, 1, 0, 1, 1, 0] and both.source.tolist() == [0, 0, 0, 1, 1, 1]
    assert load_all([str(tmp_path / "a.parquet")], terc.load).source is None


def test_what_does_not_fit_together_is_refused(tmp_path):
    concat = terc.Trajectories.concat
    one = recording([0, 1, 0])
    with pytest.raises(BadValueError, match="at least one"):
        concat([])
    with pytest.raises(BadTypeError, match="a single one"):
        concat(one)
    with pytest.raises(BadTypeError, match="got int at 1"):
        concat([one, 3])
    with pytest.raises(BadValueError, match=r"same variables.*\['cell'\]"):
        concat([one, recording([0, 1, 0], ("x",))])
    with pytest.raises(BadValueError, match="same kind of actions"):
        concat([one, recording([0.5, 0.1, 0.2])])
    with pytest.raises(DataFileError, match="holds no recording; wanted files"):
        load_all([str(tmp_path)], terc.load)
