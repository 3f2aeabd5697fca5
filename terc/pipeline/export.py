"""A policy of a run as a file that runs without `terc` and without torch: ONNX, or Python with numpy."""

from pathlib import Path

from terc.agents.policy import Policy, load_policy
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
            kept variables), "distilled" (taught by the full agent) or "full". If not given, the one of the
            run's verdict where that is as good, else the first of these that the run made.
        out: File to write; if not given, `policy_<state>.py` or `.onnx` in the run folder.
    """
    one_of(sorted(SUFFIX))("export", "form", to)
    place = Store(Path(folder), "export")
    saved = place.read_json("config.json")
    if saved is None and (place / files.SELECTION).is_file():
        raise DataFileError(
            f"export: {folder} holds a selection and no agent; give the folder of a `terc run`, or distill "
            "your agent onto it (`terc distill --selection`)."
        )
    if saved is None or not (place / files.SELECTION).is_file():
        raise DataFileError(f"export: {folder} holds no run with a selection; give the folder of a run.")
    config, selection = RunConfig.from_dict(saved), Selection.load(place / files.SELECTION)
    if_given(one_of(STATES))("export", "state", state)
    found = _best(place, state, config.seeds)
    if found is None:
        raise DataFileError(f"export: {folder} holds no {_missing(state, config, selection)}")
    shown, policy = found
    names = selection.names if shown == "full" else selection.kept
    if isinstance(policy, Distilled):
        names, policy = policy.variables, policy.network
    columns = tuple(map(selection.names.index, names))
    target = Path(out) if out is not None else place / f"policy_{shown}{SUFFIX[to]}"
    write_policy_file(target, to, policy, names, columns, made="exported")
    return target


def _best(place: Store, state: str | None, count: int) -> tuple[str, Policy] | None:
    """The agent of the verdict, if that is as good; of several that were trained the one that returns most.

    A model that was given to the run is exported only where the full agent is asked for.
    """
    distilled, smallest = read_smaller(place)
    taught = {"distilled": distilled, "smallest": smallest}
    offer = offered(distilled, smallest)
    if state is None and offer is not None and offer.as_good:
        return next((name, small) for name, small in taught.items() if small is offer)
    if state is None and offer is distilled:
        del taught["smallest"]
    for shown in (state,) if state is not None else STATES:
        if (small := taught.get(shown)) is not None:
            return shown, small
        agents = [Agent(shown, number) for number in range(count)]
        found = [read_trained(place, agent) for agent in agents if (place / agent.record_file).is_file()]
        if found:
            return shown, max(found, key=lambda one: float(one[1].returns.mean()))[0]
    if state == "full" and (place / files.MODEL).is_file():
        return state, load_policy(place / files.MODEL)
    return None


def _missing(state: str | None, config: RunConfig, selection: Selection) -> str:
    """Why there is no such agent, and the way to one."""
    kept, full = selection.kept, "or take the full agent (--state full)"
    some = 0 < len(kept) < len(selection.names)
    if state == "full":
        return "form of its model without pickle; export the model with its own library."
    if state == "reduced" and some and not config.retrains:
        return f"retrained agent; repeat its `terc run` with --retrain, {full}."
    if some and state != "smallest":
        return f"{state or 'smaller'} agent yet; repeat its `terc run`, which continues."
    why = "" if some else f": {'every' if kept else 'no'} variable was kept"
    if config.frontier:
        return f"smaller agent{why}, and its frontier confirmed no smaller set; raise tolerance, {full}."
    return f"smaller agent{why}; repeat its `terc run` with --frontier, which tries fewer variables, {full}."
