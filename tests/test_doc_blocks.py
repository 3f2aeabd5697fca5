"""Every block of code and every command of README and site runs, small, and prints what it says."""

import doctest
import re
import shlex
import warnings
from pathlib import Path

import pytest
import typer
from doc_blocks import blocks

from terc.cli.main import app, main

ROOT = Path(__file__).parent.parent
PAGES = ["README.md", *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))]
SAME = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def page(name):
    return blocks((ROOT / name).read_text(encoding="utf8"))


@pytest.mark.parametrize("name", [name for name in PAGES if page(name)])
def test_the_page_runs(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    world = {"__name__": "page"}
    for block in page(name):
        for package in block.said.get("needs", "").split():
            pytest.importorskip(package)
        if "shown" in block.said:
            could_run(block)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if block.language == "sh":
                for line in lines(block.as_run):
                    command(line)
            else:
                exec(compile(block.as_run, name, "exec"), world)
        printed = capsys.readouterr().out
        if block.prints is not None:
            assert doctest.OutputChecker().check_output(block.prints, printed, SAME), printed


def lines(code):
    return [line for line in code.replace("\\\n", " ").splitlines() if line.strip()]


def command(line):
    """Run what is ours; of the rest, see that it is there."""
    words = shlex.split(line, comments=True)
    if words[0] == "terc":
        with pytest.raises(SystemExit) as ended:
            main(words[1:])
        assert ended.value.code == 0, line
    else:
        exists(words)


def could_run(block):
    if block.language == "python":
        compile(block.code, "page", "exec")
        return
    for words in map(shlex.split, lines(block.code)):
        if words[0] != "terc":
            exists(words)
            continue
        known = typer.main.get_command(app).commands[words[1]]
        options = {name for one in known.params for name in (*one.opts, *one.secondary_opts)}
        assert {word for word in words if word.startswith("--")} <= options, words


def exists(words):
    if words[0] == "make":
        assert f"\n{words[1]}:" in (ROOT / "Makefile").read_text(encoding="utf8"), words
    elif words[0] == "pip":
        extras = re.findall(r"terc\[(\w+)\]", " ".join(words))
        listed = (ROOT / "pyproject.toml").read_text(encoding="utf8")
        assert all(f"\n{extra} = [" in listed for extra in extras), words
    else:
        assert words[0] == "python", words
        assert (ROOT / words[1]).exists(), words


def test_every_block_says_its_language():
    for name in PAGES:
        known = {"python", "sh", "setup"}
        assert {block.language for block in page(name)} <= known, name


def test_a_block_that_prints_something_else_is_found(tmp_path):
    (block,) = blocks("```python\nprint(1)\n```\n\n```text\n2\n```\n")
    assert (block.code, block.prints) == ("print(1)\n", "2\n")
    (block,) = blocks("<!-- small: 10 -> 2; a -> b -->\n```sh\nterc a 10\n```\n")
    assert block.as_run == "terc b 2\n"
