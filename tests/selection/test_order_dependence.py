"""The documented example: sequential depends on the order, minimal does not."""

import runpy
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "order_dependence.py"


def test_the_example_shows_both(capsys):
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    rows = [line[25:].split(maxsplit=0) for line in lines[1:7]]
    ends = {row[0][:12].strip() for row in rows}
    smallest = {row[0][12:].strip() for row in rows}
    assert ends == {"x3", "x1 x2"}
    assert smallest == {"x3"}
    assert "Condition 1 is violated by ({x3}, {x1, x2})." in lines


def test_the_example_is_short():
    assert len(EXAMPLE.read_text().splitlines()) < 60
