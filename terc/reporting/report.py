"""`terc.report`: the offline HTML page of a selection, a comparison or a run."""

from collections.abc import Mapping
from pathlib import Path

from terc.checks import called_rightly
from terc.errors import BadValueError
from terc.selection.result import Selection


@called_rightly
def report(
    source: Selection | Mapping[str, Selection] | str | Path | object, path: str | Path | None = None
) -> Path:
    """Write a report as one HTML file that opens offline; an existing one is replaced whole.

    Args:
        source: A Selection, a comparison (method -> Selection), a run, the path of a run folder (see
            `terc.reporting.material` for its files) or of a saved selection.
        path: Where to write; if not given `report.html`, beside what was read from disk, else here.
    """
    from terc.reporting.material import gather
    from terc.reporting.page import page
    from terc.trajectories.files import write_text_atomically

    material = gather(source)
    target = Path(path) if path is not None else (material.folder or Path()) / "report.html"
    if target.is_dir():
        raise BadValueError(f"report: path must be a file, got the folder {str(target)!r}; add a name.")
    write_text_atomically(target, page(material))
    return target
