"""The files of results are measured again from the beginning, and nothing is lost on the way."""

import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def measurements(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("measurements")


def script(path, text):
    path.write_text(text)
    return f"python {path}"


def test_every_command_names_a_benchmark(measurements):
    for scripts, rooms in measurements.COMMANDS.values():
        for one in scripts.split(" && "):
            assert (ROOT / "benchmarks" / one.split()[0]).is_file()
        assert all((ROOT / room).is_dir() for room in rooms)


def test_what_is_measured_again_begins_anew_and_keeps_the_old_until_it_is_whole(measurements, tmp_path):
    results, adds = tmp_path / "speed.json", tmp_path / "adds.py"
    results.write_text("old")
    lines = f"open({str(results)!r}, 'a').write('new ')\n"
    command = f"{script(adds, lines)} && {script(tmp_path / 'fails.py', 'raise SystemExit(3)')}"
    with pytest.raises(Exception, match="exit status 3"):
        measurements.measure_again(results, command)
    assert (tmp_path / "speed.json.old").read_text() == "old" and results.read_text() == "new "
    measurements.measure_again(results, f"{sys.executable} {adds}")
    assert results.read_text() == "new new " and not (tmp_path / "speed.json.old").exists()
