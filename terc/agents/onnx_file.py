"""Policies in ONNX files, ours and anybody's: a network from states to actions, or to a score for each."""

from pathlib import Path
from typing import Any

import numpy as np

from terc.agents.function_policy import FunctionPolicy
from terc.errors import BadTypeError, DataFileError, MissingExtraError
from terc.trajectories.columns import one_line

KINDS = {"tensor(float)": np.float32, "tensor(double)": np.float64}


def load_onnx(path: Path) -> FunctionPolicy:
    """The policy of a file whose one input are states `[n, d]`; its first output acts.

    Nothing in such a file is executed but arithmetic, so that it needs no `allow_pickle`.
    """
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingExtraError("load_policy: .onnx needs: pip install 'terc[export]'.") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    try:
        session = onnxruntime.InferenceSession(path, sess_options=options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the runtime has its own many ways to call a file damaged
        raise DataFileError(f"load_policy: {path.name} cannot be read ({one_line(error)}).") from error
    inputs = session.get_inputs()
    if len(inputs) != 1 or inputs[0].type not in KINDS or len(inputs[0].shape) != 2:
        found = [f"{one.name} {one.type} {one.shape}" for one in inputs]
        raise BadTypeError(
            f"load_policy: {path.name} wants {found}, not states [n, d] alone; pass a function states -> "
            "actions that runs it."
        )
    name, kind = inputs[0].name, KINDS[inputs[0].type]

    def asked(states: Any) -> Any:
        rows = np.asarray(states, kind)
        found = session.run(None, {name: rows.reshape(-1, rows.shape[-1])})[0]
        return found if rows.ndim > 1 else found[0]

    return FunctionPolicy(asked, scores=True)
