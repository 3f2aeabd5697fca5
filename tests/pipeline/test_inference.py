import numpy as np
import pytest
from example_networks import network, some_states

from terc.figures.inference_times import InferenceTime
from terc.pipeline.inference import Inference, runtimes, time_policies


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


@pytest.mark.parametrize("labels", [None, [[1, 1, 1], [-1, 0, 1]]])
@pytest.mark.parametrize("name", ["torch", "onnxruntime", "numpy"])
def test_what_is_timed_acts_like_the_policy(name, labels):
    pytest.importorskip(name)
    policy = network(0, labels=labels)
    states = some_states(3, 200)
    states[:, 1] = np.rint(states[:, 1])
    # torch leaves the cut at +-clip out: take states within it
    states = states[(np.abs((states - policy.center) / policy.scale) < 2).all(axis=1)]
    answer = runtimes(policy)[name](np.ascontiguousarray(states))
    actions = np.asarray(answer[0] if isinstance(answer, list) else answer)
    offset = policy.first_action if name == "torch" else 0
    assert np.mean(actions + offset == policy.act(states)) > 0.97
