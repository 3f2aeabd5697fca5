import numpy as np
import pandas as pd
import pytest

import terc
from terc.errors import BadTypeError, BadValueError

X = np.arange(300.0)[:, None]


def test_actions_that_are_numbers_but_for_a_cell_are_refused():
    torque = np.linspace(-1, 1, 300).round(3).astype(str)
    torque[7] = "-"
    with pytest.raises(BadTypeError, match=r"'action_0' holds numbers, and '-' in 1 step\(s\).*as words"):
        terc.Trajectories(X, torque)
    few = np.array(["0", "1"] * 150)
    few[:40] = "?"
    with pytest.raises(BadTypeError, match=r"holds numbers, and '\?' in 40 step\(s\)"):
        terc.Trajectories(X, few)
    assert terc.Trajectories(X, few, action_kind="discrete").action_labels == ("0", "1", "?")


def test_a_header_in_the_middle_of_whole_numbers_is_refused():
    level = np.array(["0", "1", "2"] * 100, dtype="U5")
    level[150] = "level"
    with pytest.raises(BadTypeError, match=r"holds numbers, and 'level' in 1 step\(s\).*nominal="):
        terc.Trajectories(level[:, None], np.arange(300) % 2, names=["level"])
    assert terc.Trajectories(level[:, None], np.arange(300) % 2, names=["level"], nominal=["level"]).levels


def test_codes_of_which_some_are_numbers_stay_labels():
    gear = np.array(["1", "2", "3"] * 100)
    gear[:3] = "R"
    assert terc.Trajectories(gear[:, None], gear).action_labels == ("1", "2", "3", "R")
    item = np.array(["none", "1", "2"] * 100)
    assert terc.Trajectories(item[:, None], item).action_labels == ("1", "2", "none")
    seat = np.array([f"{k}a" for k in range(30)] * 10)
    assert len(terc.Trajectories(seat[:, None], np.arange(300) % 2).levels["x_0"]) == 30


def test_numbers_with_a_unit_are_refused():
    share = [f"{k} %" for k in range(300)]
    with pytest.raises(BadTypeError, match="numbers with '%' behind them, such as '0 %'.*nominal="):
        terc.Trajectories(np.array(share)[:, None], np.arange(300) % 2)


def test_an_action_that_never_comes_back_is_refused():
    with pytest.raises(BadValueError, match="actions: column 'action_0' has 300 different labels in 300"):
        terc.Trajectories(X, [f"a{k}b" for k in range(300)])


@pytest.mark.parametrize("sign", ["-", "+", ""])
def test_plain_numbers_that_came_as_text_are_made_numbers(sign):
    table = pd.DataFrame({"x": [f"{sign}{k / 8}" for k in range(300)], "a": np.arange(300) % 2})
    with pytest.raises(BadTypeError, match=r"as text, such as .*; make numbers of them \(pandas.to_numeric"):
        terc.Trajectories.from_frame(table, action="a")
    table["x"] = pd.to_numeric(table.x)
    assert terc.Trajectories.from_frame(table, action="a").states[8, 0] == float(f"{sign}1")
    with pytest.raises(BadTypeError, match=r"actions: .* holds numbers as text.* \.astype\(float\)"):
        terc.Trajectories(X, [f"{k / 8}" for k in range(300)])


def test_points_that_may_stand_between_thousands_are_written_otherwise():
    texts = [f"{37 * k:,}".replace(",", ".") for k in range(300)]
    with pytest.raises(BadTypeError, match=r"as text, such as '1\.036'; write them like 1234.5"):
        terc.Trajectories(np.array(texts)[:, None], np.arange(300) % 2)
