"""A policy of a run as a file that runs without `terc` and without torch: ONNX, or Python with numpy."""

from pathlib import Path

from terc.agents.policy import Policy
from terc.checks import if_given, one_of
from terc.errors import DataFileError
from terc.exporting.policy_file import SUFFIX, write_policy_file
from terc.pipeline import files
from terc.pipeline.config import RunConfig
from terc.pipeline.smaller import offered, read_smaller
from terc.pipeline.training import Agent, read_trained
from terc.returns.distilled import Distilled
from terc.selection.result import Selection
from terc.store import Store

STATES = ("smallest", "reduced", "distilled", "full")


def export(
    folder: str | Path, to: str = "numpy", *, state: str | None = None, out: str | Path | None = None
) -> Path:
    """Write the best agent of a run as a file of its own.

    Args:
        folder: Of a run.
        to: "numpy" (one .py with the weights in it; `from policy_reduced import act`) or "onnx".
        state: "smallest" (of the frontier, where it is the answer of the run), "reduced" (retrained on the
            kept variables), "distilled" (taught by the full agent) or "full"; the first of these that the
            run made.
        out: File to write; if not given, `policy_<state>.py` or `.onnx` in the run folder.
    """
    one_of(sorted(SUFFIX))("export", "form", to)
    place = Store(Path(folder), "export")
    saved = place.read_json("config.json")
    if saved is None or not (place / files.SELECTION).is_file():
        raise DataFileError(f"export: {folder} holds no run with a selection; give the folder of a run.")
    config, selection = RunConfig.from_dict(saved), Selection.load(place / files.SELECTION)
    shown, policy = _best(place, state, config.seeds)
    names = selection.names if shown == "full" else selection.kept
    if isinstance(policy, Distilled):
        names, policy = policy.variables, policy.network
    columns = tuple(map(selection.names.index, names))
    target = Path(out) if out is not None else place / f"policy_{shown}{SUFFIX[to]}"
    write_policy_file(target, to, policy, names, columns, made="exported")
    return target


def _best(place: Store, state: str | None, count: int) -> tuple[str, Policy]:
    """The agent with the highest mean return on its fresh episodes, among those that are trained."""
    if_given(one_of(STATES))("export", "state", state)
    distilled, smallest = read_smaller(place)
    taught = {"distilled": distilled, "smallest": smallest}
    if state is None and offered(distilled, smallest) is distilled:
        del taught["smallest"]
    for shown in (state,) if state is not None else STATES:
        if (small := taught.get(shown)) is not None:
            return shown, small
        agents = [Agent(shown, number) for number in range(count)]
        found = [read_trained(place, agent) for agent in agents if (place / agent.record_file).is_file()]
        if found:
            return shown, max(found, key=lambda one: float(one[1].returns.mean()))[0]
    raise DataFileError(
        f"export: {place.path} holds no trained agent{f' on the {state} state' if state else ''} yet."
    )
