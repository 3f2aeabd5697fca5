import importlib
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf8")
TREE = ARCHITECTURE.split("```")[1]


def rooms():
    return sorted(path.parent.name for path in (ROOT / "terc").glob("*/__init__.py"))


def test_the_tree_shows_every_room():
    missing = [room for room in rooms() if f"  {room}/" not in TREE]
    assert not missing, f"docs/architecture.md does not show {missing}"


def test_every_file_in_the_tree_exists():
    room = ""
    for line in TREE.splitlines():
        entry = re.match(r"  (\w+)/", line)
        room = entry.group(1) if entry else room
        for name in re.findall(r"[\w.]+\.py\b", line):
            assert list((ROOT / "terc").glob(f"{name}")) or (ROOT / "terc" / room / name).exists(), name


def test_links_in_the_documents_lead_somewhere():
    for document in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)\)", document.read_text(encoding="utf8")):
            if not target.startswith("http"):
                assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_the_example_in_the_readme_says_what_it_prints(capsys):
    code = (ROOT / "README.md").read_text(encoding="utf8").split("```python\n")[1].split("```")[0]
    exec(compile(code, "README.md", "exec"), {})
    promised = re.search(r"print\(selection.kept\)\s+# (.*)", code).group(1)
    assert capsys.readouterr().out.startswith(f"{promised}\n")


def test_the_table_of_methods_is_that_of_the_recorded_outcomes(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    benchmark = importlib.import_module("baselines")
    page = (ROOT / "docs" / "baselines.md").read_text(encoding="utf8")
    assert benchmark.table(benchmark.read(benchmark.CACHE)) in page
