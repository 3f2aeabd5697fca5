"""A policy written as a file that runs without `terc` and without torch."""

from collections.abc import Sequence
from pathlib import Path

from terc.agents.policy import Policy
from terc.exporting.numpy_policy import numpy_source
from terc.exporting.onnx_policy import onnx_bytes
from terc.plurals import some
from terc.trajectories.files import write_atomically

SUFFIX = {"numpy": ".py", "onnx": ".onnx"}


def write_policy_file(
    path: Path, form: str, policy: Policy, variables: Sequence[str], columns: Sequence[int], *, made: str
) -> None:
    """Write a network or, as numpy, a table."""
    where = f"for {policy.spec.environment} " if policy.spec and policy.spec.environment else ""
    title = f"Policy {where}on {some(len(variables), 'variable')}, {made} by terc."
    if form == "onnx":
        content = onnx_bytes(policy, variables, title)
    else:
        content = numpy_source(policy, variables, columns, title).encode("utf8")
    write_atomically(path, lambda sink: sink.write(content))
