import subprocess
import sys

import numpy as np
import onnxruntime
import pytest
from example_networks import NAMES, network, some_states

from terc.agents import NetworkPolicy, TabularPolicy
from terc.agents.function_policy import FunctionPolicy
from terc.agents.policy import PolicySpec
from terc.errors import BadTypeError
from terc.exporting.numpy_policy import load_source, numpy_source
from terc.exporting.onnx_policy import onnx_bytes

LABELS = {"labels": [[1, 1, 1], [-1, 0, 1]]}
KINDS = [{}, {"activation": "tanh"}, {"scaled": False}, {"continuous": True}, LABELS]
KINDS += [{"continuous": True, "squash": True}]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_exported_actions_are_the_policys_on_10_000_states(kind, seed):
    policy, states = network(seed, **kind), some_states(seed + 1)
    if not kind.get("scaled", True):
        states = states - np.float32([1e6, 0.0, -3.0])
    if "labels" in kind:
        states[:, 1] = np.rint(states[:, 1])
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


DRAWN = {
    "one choice": (PolicySpec(None, 3, n_actions=3), {"first_action": 5}),
    "choices": (PolicySpec(None, 3, levels=(2, 3)), {}),
    "numbers": (PolicySpec(None, 3, action_size=2), {"log_std": np.float32([-1, -2])}),
}


@pytest.mark.parametrize("name", DRAWN)
def test_a_policy_that_draws_is_exported_so(name, seed):
    """Of one state, 20,000 times: actions as often, or as wide, as the policy's own."""
    spec, options = DRAWN[name]
    rng = np.random.default_rng(seed)
    width = spec.n_actions or spec.action_size or sum(spec.levels)
    layers = ((rng.normal(size=(3, width)).astype(np.float32), np.zeros(width, np.float32)),)
    bounds = np.float32([[-9, -9], [9, 9]]) if spec.action_size else None
    policy = NetworkPolicy(spec, layers, bounds=bounds, drawn=True, **options)
    states = np.repeat(rng.uniform(-0.5, 0.5, (1, 3)).astype(np.float32), 20_000, axis=0)
    expected = policy.act(states, rng=rng)
    plain = load_source(numpy_source(policy, NAMES, range(3), "test"))(states)
    session = onnxruntime.InferenceSession(onnx_bytes(policy, NAMES, "test"))
    (from_onnx,) = session.run(None, {"states": states})
    for found in (plain, from_onnx):
        assert found.shape == expected.shape
        for moment in (np.mean, np.std):
            np.testing.assert_allclose(moment(found, axis=0), moment(expected, axis=0), atol=0.04)


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
