import subprocess
import sys

import numpy as np
import onnxruntime
import pytest

from terc.agents import NetworkPolicy, TabularPolicy
from terc.agents.function_policy import FunctionPolicy
from terc.agents.policy import PolicySpec
from terc.errors import BadTypeError, DataFileError
from terc.figures.inference_times import InferenceTime
from terc.pipeline.export import export
from terc.pipeline.inference import Inference, runtimes, time_policies
from terc.pipeline.numpy_policy import load_source, numpy_source
from terc.pipeline.onnx_policy import onnx_bytes

NAMES = ("a", "b", "c")


def network(seed, *, continuous=False, activation="relu", scaled=True, **ending):
    rng = np.random.default_rng(seed)
    sizes = (3, 32, 16, 2)
    layers = tuple(
        (rng.normal(size=(a, b)).astype(np.float32), rng.normal(size=b).astype(np.float32))
        for a, b in zip(sizes[:-1], sizes[1:], strict=True)
    )
    scaling = {"center": np.array([1e6, 0.0, -3.0]), "scale": np.array([5, 1, 0.1], np.float32), "clip": 2.0}
    ends = {"log_std": np.zeros(2, np.float32), "bounds": np.array([[-1, -2], [1, 2]], np.float32)}
    spec = PolicySpec(None, 3, action_size=2) if continuous else PolicySpec(None, 3, n_actions=2)
    options = (scaling if scaled else {}) | (ends if continuous else {"first_action": 5})
    return NetworkPolicy(spec, layers, activation, **options, **ending)


def some_states(seed, n=10_000):
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(n, 3)) * [5, 1, 0.1] + [1e6, 0.0, -3.0]).astype(np.float32)


KINDS = [
    {},
    {"activation": "tanh"},
    {"scaled": False},
    {"continuous": True},
    {"continuous": True, "squash": True},
]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_exported_actions_are_the_policys_on_10_000_states(kind, seed):
    policy, states = network(seed, **kind), some_states(seed + 1)
    if not kind.get("scaled", True):
        states = states - np.float32([1e6, 0.0, -3.0])
    expected = policy.act(states)
    plain = load_source(numpy_source(policy, NAMES, range(3), "test"))
    session = onnxruntime.InferenceSession(onnx_bytes(policy, NAMES, "test"))
    (from_onnx,) = session.run(None, {"states": states})
    assert len(np.unique(expected)) > 1
    np.testing.assert_array_equal(plain(states), expected)
    if kind.get("continuous"):
        np.testing.assert_allclose(from_onnx, expected, atol=1e-4)
    else:
        np.testing.assert_array_equal(from_onnx, expected)


def test_a_table_is_exported_too(seed):
    rng = np.random.default_rng(seed)
    spec = PolicySpec(None, 2, n_actions=3)
    policy = TabularPolicy(spec, (4, 5), (0, -2), rng.normal(size=(20, 3)), first_action=1)
    states = np.stack([rng.integers(0, 4, 10_000), rng.integers(-2, 3, 10_000)], axis=1)
    plain = load_source(numpy_source(policy, ("x", "y"), (0, 1), "test"))
    np.testing.assert_array_equal(plain(states), policy.act(states))
    with pytest.raises(BadTypeError, match="export it to numpy"):
        onnx_bytes(policy, ("x", "y"), "test")


def test_one_state_gives_one_action_and_a_wrong_shape_is_told():
    policy = network(0)
    plain = load_source(numpy_source(policy, NAMES, range(3), 'a "title" with \\ in it'))
    state = some_states(1, 1)
    assert plain(state[0]) == policy.act(state)[0]
    with pytest.raises(ValueError, match=r"wanted states \[n, 3\]"):
        plain(np.zeros((4, 2)))


def test_the_file_runs_where_neither_torch_nor_terc_is(tmp_path):
    policy, states = network(0), some_states(1, 50)
    (tmp_path / "policy.py").write_text(numpy_source(policy, NAMES, (0, 2, 4), "test"), encoding="utf8")
    np.save(tmp_path / "states.npy", states)
    script = (
        "import sys, numpy as np; sys.modules['torch'] = sys.modules['terc'] = None\n"
        "import policy; print(policy.VARIABLES, policy.COLUMNS, policy.act(np.load('states.npy')).tolist())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == f"{NAMES} (0, 2, 4) {policy.act(states).tolist()}"


def test_a_function_cannot_be_exported():
    with pytest.raises(BadTypeError, match="FunctionPolicy"):
        numpy_source(FunctionPolicy(len), NAMES, range(3), "test")


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(DataFileError, match="holds no run"):
        export(tmp_path)
    with pytest.raises(KeyError, match="no form named 'torch'"):
        export(tmp_path, "torch")


def test_times_of_two_policies_are_measured_in_every_runtime():
    pytest.importorskip("torch")
    policies = {"full": network(0), "reduced": network(1)}
    states = dict.fromkeys(policies, some_states(0, 10))
    found = time_policies(policies, states, calls=30)
    assert {(r.runtime, r.batch) for r in found.rows} == {
        (name, batch) for name in ("torch", "onnxruntime", "numpy") for batch in (1, 64)
    }
    assert all(0 < r.minimum <= r.low <= r.median <= r.high for r in found.rows)
    assert all(0 < one.low <= one.high for one in found.speed_up)
    assert len(found.speed_up) == 6 and found.missing == ()
    assert Inference.from_dict(found.to_dict()) == found


def test_numpy_is_the_reference_where_torch_was_not_timed():
    rows = (InferenceTime("full", "numpy", 1, 6.0), InferenceTime("reduced", "numpy", 1, 4.0))
    found = Inference(rows, missing=("torch",))
    assert (found.reference, found.gain()) == ("numpy", 1.5)
    assert Inference.from_dict(found.to_dict()).missing == ("torch",)


@pytest.mark.parametrize("name", ["torch", "onnxruntime", "numpy"])
def test_what_is_timed_acts_like_the_policy(name):
    pytest.importorskip(name)
    policy = network(0, continuous=False)
    states = some_states(3, 200)
    # torch leaves the cut at +-clip out: take states within it
    states = states[(np.abs((states - policy.center) / policy.scale) < 2).all(axis=1)]
    answer = runtimes(policy)[name](np.ascontiguousarray(states))
    actions = np.asarray(answer[0] if isinstance(answer, list) else answer)
    offset = policy.first_action if name == "torch" else 0
    assert np.mean(actions + offset == policy.act(states)) > 0.97
