import sys
from types import SimpleNamespace

import pytest

from terc.cli.run_progress import run_progress
from terc.progress import Event


def tasks(count):
    return [
        Event(f"task {k}", k, count, 1, 1, finished=True, cpu_seconds=7.0 * k) for k in range(1, count + 1)
    ]


@pytest.mark.parametrize("terminal", [False, True])
def test_work_that_is_done_side_by_side_shows_its_own_cpu_time(terminal, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    with run_progress("") as tell:
        for event in tasks(3):
            tell(event)
    assert "[2/3] task 2: 14.0 s of CPU" in capsys.readouterr().err


@pytest.mark.parametrize("terminal", [False, True])
def test_a_stage_by_itself_shows_the_time_since_it_began(terminal, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    clock = SimpleNamespace(monotonic=iter(range(0, 1000, 5)).__next__)
    monkeypatch.setattr("terc.cli.run_progress.time", clock)
    with run_progress("") as tell:
        tell(Event("train", 1, 2))
        tell(Event("train", 1, 2, 1, 1, finished=True))
    assert "[1/2] train: 5.0 s" in capsys.readouterr().err
