import re
import subprocess
import sys

import pytest
from typer.main import get_command

import terc
from terc.cli.main import app, main


def ends(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    output = capsys.readouterr()
    return caught.value.code, output.out, output.err


@pytest.mark.parametrize("command", sorted(get_command(app).commands))
def test_every_command_speaks_to_machines(command):
    parameters = get_command(app).commands[command].params
    assert "--json" in [flag for one in parameters for flag in one.opts]


def test_version(capsys):
    assert ends(["--version"], capsys) == (0, f"terc {terc.__version__}\n", "")


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"], ["select", "--help"]])
def test_help(arguments, capsys):
    code, out, err = ends(arguments, capsys)
    assert code == 0
    assert "select" in out
    assert err == ""


@pytest.mark.parametrize("command", ["", *get_command(app).commands])
def test_help_speaks_of_no_types_and_loses_no_text(command, capsys):
    out = ends([*command.split(), "--help"], capsys)[1]
    assert not re.search(r"[<>{}]|\[\[|list\[|bool", out)
    # What looks like markup would be swallowed.
    commands = get_command(app).commands
    shown = commands[command].params if command else []
    assert not [one.name for one in shown if re.search("[<>]", one.help or "")]
    assert not re.search(r"\[[\d.]+[];]", out), "a default is written [default: ...]"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["frobnicate"], "No such command 'frobnicate'"),
        (["play"], "No such command 'play'. Available: select, compare, run, ablate,"),
        (["--frobnicate"], "No such option: --frobnicate"),
        (["select"], "Missing argument 'FILE"),
        (["compare", "a.csv", "b.csv"], "unexpected extra argument"),
        (["select", "a.csv", "--alpha", "much"], "terc: --alpha: wanted a number, got 'much'."),
        (["select", "a.csv", "--seed", "1.5"], "terc: --seed: wanted a whole number, got '1.5'."),
        (["select", "a.csv", "--action"], "requires an argument"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_2(arguments, message, capsys):
    code, out, err = ends(arguments, capsys)
    assert code == 2
    assert out == ""
    assert err.startswith("terc: ")
    assert message in err
    assert err.count("\n") == 1


def test_the_installed_command_and_the_module_are_the_same():
    done = subprocess.run(
        [sys.executable, "-m", "terc.cli.main", "select", "no\nsuch.csv"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == "terc: load: there is no file no such.csv.\n"


def test_a_reader_that_stops_early_gets_no_traceback():
    process = subprocess.Popen(
        [sys.executable, "-m", "terc.cli.main", "select", "--help"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait() == 1
    process.stderr.close()
