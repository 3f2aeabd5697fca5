"""How soon a bad recording is answered: the cases of `tests/cli/bad_recordings.py`, as long files.

python benchmarks/bad_inputs.py                  500,000 steps; writes results/bad_inputs.json
python benchmarks/bad_inputs.py --rows 20000     shorter

Each is one `terc select` in a process of its own, from a cold start; CPU seconds of that process.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from measurements import RESULTS, ROOT, about

sys.path.insert(0, str(ROOT / "tests"))
OUT = RESULTS / "bad_inputs.json"


def measured(name: str, arguments: list[str], words: str) -> dict[str, Any]:
    """The answer to one command, and what it cost."""
    command = [sys.executable, "-m", "terc.cli.main", *arguments]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "OMP_NUM_THREADS": "1"}, capture_output=True, text=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    answered = done.returncode == 2 and done.stderr.count("\n") == 1 and words in done.stderr
    return {"input": name, "answered": answered, "cpu_seconds": round(seconds, 2)}


def main() -> None:
    """Measure every case and write the file."""
    from cli.bad_recordings import arguments, cases

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=500_000)
    rows, found, state = parser.parse_args().rows, [], about()
    for name, (make, typed, words) in cases(rows).items():
        with tempfile.TemporaryDirectory() as folder:
            found.append(measured(name, arguments(make(Path(folder)), typed), words))
        print(found[-1], flush=True)
    slowest = max(one["cpu_seconds"] for one in found)
    print(f"{sum(one['answered'] for one in found)} of {len(found)} answered; the slowest {slowest} CPU s")
    OUT.write_text(json.dumps({**state, "rows": rows, "outcomes": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
