"""What is shown fits the terminal; what goes elsewhere stays as it is."""

import sys

import pytest
from example_data import cart_pole, copies

from terc.cli import doctor
from terc.cli.main import main
from terc.cli.terminal import room, show, wrapped
from terc.selection.printing import table


@pytest.fixture
def shown(monkeypatch, capsys):
    """What a call prints on a terminal of 80 columns, or into a pipe."""

    def call(function, *, terminal):
        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
        function()
        return capsys.readouterr().out

    return call


@pytest.mark.parametrize("selection", [cart_pole(), copies()])
def test_a_selection_fits_and_loses_no_word(shown, selection):
    narrow = shown(lambda: show(table(selection, room(96))), terminal=True)
    assert max(map(len, narrow.splitlines())) <= 80
    assert narrow.split() == str(selection).split()
    assert shown(lambda: show(table(selection, room(96))), terminal=False) == f"{selection}\n"


def test_the_doctor_fits(shown, monkeypatch):
    monkeypatch.setattr(doctor.sys, "executable", "/usr/bin/python3")

    def called():
        with pytest.raises(SystemExit):
            main(["doctor"])

    narrow, wide = shown(called, terminal=True), shown(called, terminal=False)
    assert max(map(len, narrow.splitlines())) <= 80 < max(map(len, wide.splitlines()))
    assert narrow.split() == wide.split()


def test_json_is_never_wrapped(shown):
    text = '{"a": "' + "word " * 40 + '"}'
    assert shown(lambda: show(text, as_json=True), terminal=True) == f"{text}\n"
    assert shown(lambda: show(text), terminal=True).count("\n") > 1
    assert shown(lambda: show(text), terminal=False) == f"{text}\n"


def test_names_paths_and_empty_lines_stay_whole():
    path = "/a-very-long/path-with-hyphens/" + "x" * 60
    assert wrapped(f"saved in {path}\n\nend", 40).splitlines() == ["saved in", f"  {path}", "", "end"]
