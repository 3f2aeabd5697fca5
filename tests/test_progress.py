"""What is shown of a long call: a bar on a terminal, lines elsewhere, nothing when quiet."""

import re
import sys
from types import SimpleNamespace

import pytest

from terc import progress_display
from terc.progress import Event, quietly, reporting
from terc.progress_display import Watched, listening, listening_until_stopped


def tasks(count):
    return [
        Event(f"task {k}", k, count, 1, 1, finished=True, cpu_seconds=7.0 * k) for k in range(1, count + 1)
    ]


@pytest.fixture(params=[False, True], ids=["pipe", "terminal"])
def stderr(request, monkeypatch, capsys):
    """What stood on stderr, which is a terminal or not."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: request.param)
    return lambda: capsys.readouterr().err


def test_work_that_is_done_side_by_side_shows_its_own_cpu_time(stderr):
    with listening() as tell:
        for event in tasks(3):
            tell(event)
    assert "[2/3] task 2: 14.0 s of CPU" in stderr()


def test_a_task_by_itself_shows_the_time_since_it_began(stderr, monkeypatch):
    seconds = [0.0]
    monkeypatch.setattr(progress_display, "time", SimpleNamespace(monotonic=lambda: seconds[0]))
    with listening() as tell:
        seconds[0] = 100.0
        tell(Event("train", 1, 2))
        seconds[0] = 105.0
        tell(Event("train", 1, 2, 1, 1, finished=True))
    assert "[1/2] train: 5.0 s" in stderr()


def test_the_bar_says_the_time_that_passed_then_the_time_left(monkeypatch, capsys):
    seconds = [0.0]
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(progress_display, "time", SimpleNamespace(monotonic=lambda: seconds[0]))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    with reporting(True) as report:
        report(0, 4, "all variables")
        seconds[0] = 3.0
        report(3, 4, "all variables")
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().err)
    assert re.search(r"3 of 4, all variables +0:00:03, 0:00:01 left", plain)
    assert "-:--:--" not in plain
    with reporting(True) as report:
        report(0, 4, "all variables")
        seconds[0] = 6.0
        report(3, 4, "words that are far too long for a terminal that has eighty columns only, " * 2)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().err)
    assert re.search(r"3 of 4, words that .*… +0:00:03, 0:00:01 left", plain)  # one line, the times whole


def test_quiet_means_quiet(stderr):
    with quietly(), listening() as tell, reporting(True) as report:
        tell(tasks(1)[0])
        report(1, 2, "half")
    assert stderr() == ""
    with quietly(False), listening() as tell:
        tell(tasks(1)[0])
    assert "task 1" in stderr()


def test_a_line_comes_when_it_is_time(monkeypatch, capsys):
    waits = iter([False, False, True])
    beats = []

    class Thread:
        def __init__(self, target, daemon):
            self.target = target

        def start(self):
            beats.append(self.target)

        def join(self):
            pass

    stop = SimpleNamespace(wait=lambda seconds: next(waits), set=lambda: None)
    monkeypatch.setattr(progress_display, "threading", SimpleNamespace(Thread=Thread, Event=lambda: stop))
    with reporting(True) as report:
        report(1, 4, "eliminating")
        beats[0]()
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2 and lines[0].startswith("1 of 4, eliminating; 0 s")


def test_the_time_that_is_left():
    seconds = [0.0]
    watched = Watched(lambda: seconds[0])
    assert watched.line() == ""
    watched.see(Event("train", 1, 4))
    seconds[0] = 30.0
    assert watched.line() == "[1/4] train; 30 s"
    watched.see(Event("train", 1, 4, 3, 4))
    assert watched.line() == "[1/4] train: 3 of 4; 30 s, about 10 s left"
    seconds[0] = 40.0
    watched.see(Event("train", 1, 4, 1, 1, finished=True))
    assert watched.line() == "1 of 4 tasks; 40 s, about 120 s left"
    seconds[0] = 600.0
    assert watched.line() == "1 of 4 tasks; 10 min"  # the second lasts longer than the first: who knows


def test_the_time_that_is_left_knows_that_tasks_differ_in_length():
    seconds = [0.0]
    watched = Watched(lambda: seconds[0])
    watched.see(Event("old", 1, 64, finished=True, kept_from_before=True, share=0.2))
    seconds[0] = 60.0
    watched.see(Event("long", 2, 64, finished=True, share=0.6))
    assert watched.line() == "2 of 64 tasks; 60 s, about 60 s left"


def test_what_was_done_before_does_not_count_for_the_time_that_is_left():
    seconds = [10.0]
    watched = Watched(lambda: seconds[0])
    for number in (1, 2, 5):
        seconds[0] += 1.0
        watched.see(Event("old", number, 7, 1, 1, finished=True, kept_from_before=True))
        assert watched.line() == f"{number} of 7 tasks; {seconds[0] - 10:.0f} s"
    seconds[0] = 23.0
    watched.see(Event("new", 6, 7, 1, 1, finished=True))
    assert watched.line() == "6 of 7 tasks; 13 s, about 13 s left"


def test_ctrl_c_says_how_to_go_on(capsys):
    with pytest.raises(KeyboardInterrupt), listening_until_stopped("go on with: terc run --out r"):
        raise KeyboardInterrupt
    assert capsys.readouterr().err == "terc: what is finished is kept; go on with: terc run --out r\n"
