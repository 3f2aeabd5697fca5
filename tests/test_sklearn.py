"""The scikit-learn selector: its contract as scikit-learn checks it, frames, pipelines."""

import runpy
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import terc
from terc.entropy.predictive import PredictiveEstimator
from terc.errors import BadTypeError, BadValueError, TercWarning, UnknownNameError
from terc.networks.stack import Training
from terc.predictors.counts import Counts
from terc.predictors.linear import Linear
from terc.predictors.network import Network
from terc.sklearn import TercSelector

N = 800
SMALL = PredictiveEstimator(
    (Counts(), Linear(), Network(training=Training(hidden=4, epochs=1, fewest_updates=3)))
)


@pytest.fixture(scope="module")
def bits():
    """X of four bits and y, "left" or "right" by the XOR of the second and the fourth."""
    x = np.random.default_rng(0).integers(0, 2, (N, 4))
    return x, np.where(x[:, 1] ^ x[:, 3], "left", "right")


# scikit-learn checks with 10 to 150 rows, too few for a test: a warning. No check is expected to fail.
@pytest.mark.filterwarnings("ignore:.*cannot support a test")
@parametrize_with_checks([TercSelector(SMALL)])
def test_scikit_learn_is_content(estimator, check):
    check(estimator)


def test_too_few_rows_are_a_warning_with_the_number_needed(bits):
    x, y = bits
    with pytest.warns(TercWarning, match=r"50 steps cannot support .* at least 100 are needed"):
        TercSelector().fit(x[:50], y[:50])


def test_the_selection_is_that_of_select(bits):
    x, y = bits
    data = terc.Trajectories(x, y, names=["x0", "x1", "x2", "x3"])
    plain = terc.select(data, alpha=0.01, keep=["x0"], seed=5)
    mine = TercSelector(alpha=0.01, keep=["x0"], random_state=5).fit(x, y).selection_
    assert mine.verdicts == plain.verdicts
    assert mine.kept == ("x0", "x1", "x3")


def test_support_transform_and_back(bits):
    x, y = bits
    selector = TercSelector()
    small = selector.fit_transform(x, y)
    assert selector.get_support().tolist() == [False, True, False, True]
    assert selector.get_support(indices=True).tolist() == [1, 3]
    np.testing.assert_array_equal(small, x[:, [1, 3]])
    back = selector.inverse_transform(small)
    np.testing.assert_array_equal(back, x * [0, 1, 0, 1])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
@pytest.mark.parametrize("output", ["pandas", "polars"])
def test_frames_in_and_out(bits, frame, output):
    x, y = bits
    table = frame({name: column for name, column in zip("abcd", x.T, strict=True)})
    selector = TercSelector().set_output(transform=output).fit(table, y)
    assert selector.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert selector.n_features_in_ == 4
    assert selector.get_feature_names_out().tolist() == ["b", "d"]
    small = selector.transform(table)
    assert type(small).__module__.startswith(output)
    assert list(small.columns) == ["b", "d"]
    np.testing.assert_array_equal(np.asarray(small["d"]), x[:, 3])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_columns_of_text_are_labels(frame):
    rng = np.random.default_rng(1)
    colour = rng.choice(["red", "green", "blue"], N)
    table = frame({"noise": rng.standard_normal(N).round(), "colour": colour})
    selector = TercSelector().fit(table, np.where(colour == "green", 1, 0))
    assert selector.get_feature_names_out().tolist() == ["colour"]


def test_a_column_of_text_still_needs_its_y():
    table = pd.DataFrame({"colour": ["red", "green"] * 100})
    with pytest.raises(ValueError, match="requires y to be passed"):
        TercSelector().fit(table, None)


def test_codes_can_be_declared_labels():
    rng = np.random.default_rng(2)
    codes = np.stack([rng.integers(0, 7, N), rng.integers(0, 2, N)], 1)
    selector = TercSelector(nominal=["x0"]).fit(codes, np.isin(codes[:, 0], [1, 5]))
    assert selector.get_support().tolist() == [True, False]


@pytest.mark.parametrize("shape", ["[n, 1]", "[n, 2]"])
def test_real_targets(shape):
    rng = np.random.default_rng(3)
    x = rng.standard_normal((N, 3))
    y = x[:, 1] + 0.5 * rng.standard_normal(N)
    y = y[:, None] if shape == "[n, 1]" else np.stack([y, rng.standard_normal(N)], 1)
    quick = PredictiveEstimator(
        (Counts(), Linear(), Network(training=Training(hidden=16, epochs=1, fewest_updates=100)))
    )
    assert TercSelector(quick).fit(x, y, episodes=np.arange(N)).get_support().tolist() == [False, True, False]


def test_in_a_pipeline_with_episodes_and_a_grid(bits):
    x, y = bits
    pipeline = Pipeline([("terc", TercSelector()), ("policy", LogisticRegression())])
    pipeline.fit(x, y, terc__episodes=np.repeat(np.arange(N // 8), 8))
    assert pipeline[:-1].get_feature_names_out().tolist() == ["x1", "x3"]
    assert pipeline["terc"].selection_.n_episodes == 100
    pipeline.fit(x, y, terc__groups=np.repeat(np.arange(N // 16), 16))
    assert pipeline["terc"].selection_.n_episodes == 50
    with pytest.raises(BadValueError, match="two words for the same"):
        TercSelector().fit(x, y, episodes=np.arange(N), groups=np.arange(N))
    search = GridSearchCV(pipeline, {"terc__method": ["naive", "sequential"]}, cv=2)
    assert search.fit(x, y).best_params_["terc__method"] in ("naive", "sequential")


def test_after_a_scaler_the_names_survive(bits):
    x, y = bits
    table = pd.DataFrame(1e6 + 1e-3 * x, columns=list("abcd"))
    pipeline = make_pipeline(StandardScaler(), TercSelector()).set_output(transform="pandas")
    assert list(pipeline.fit_transform(table, y).columns) == ["b", "d"]


def test_random_state(bits):
    x, y = bits
    drawn = TercSelector(random_state=np.random.RandomState(0)).fit(x, y)
    same = TercSelector(random_state=np.random.RandomState(0)).fit(x, y)
    assert drawn.selection_.config["seed"] == same.selection_.config["seed"] != 0
    global_state = np.random.get_state()[1].copy()  # noqa: NPY002  (that it is left alone is the point)
    with pytest.raises(BadTypeError, match="random_state must be a whole number, .* got Generator"):
        TercSelector(random_state=np.random.default_rng(0)).fit(x, y)
    fresh = TercSelector(random_state=None).fit(x, y).selection_.config["seed"]
    assert fresh != TercSelector(random_state=None).fit(x, y).selection_.config["seed"]
    np.testing.assert_array_equal(global_state, np.random.get_state()[1])  # noqa: NPY002


def test_settings_are_all_there_and_clone():
    settings = {"alpha": 0.1, "order": ["x1"], "costs": {"x0": 2.0}, "groups": [["x0", "x1"]], "n_jobs": 2}
    copy = clone(TercSelector("predictive", "naive", **settings))
    assert {key: copy.get_params()[key] for key in settings} == settings
    assert (copy.estimator, copy.method) == ("predictive", "naive")


def test_wrong_settings_speak_up_at_fit(bits):
    x, y = bits
    with pytest.raises(UnknownNameError, match="no estimator named 'forest'"):
        TercSelector("forest").fit(x, y)
    with pytest.raises(UnknownNameError, match="no variable named 'a'"):
        TercSelector(keep=["a"]).fit(x, y)


def test_nothing_kept_warns_and_leaves_no_column():
    rng = np.random.default_rng(4)
    x = rng.integers(0, 2, (N, 3))
    selector = TercSelector().fit(x, rng.integers(0, 2, N))
    with pytest.warns(UserWarning, match="No features were selected"):
        assert selector.transform(x).shape == (N, 0)


def test_the_example_runs(capsys):
    runpy.run_path(
        str(Path(__file__).parent.parent / "examples" / "sklearn_pipeline.py"), run_name="__main__"
    )
    said = capsys.readouterr().out
    assert "pole_angle" in said
    assert "kept" in said
