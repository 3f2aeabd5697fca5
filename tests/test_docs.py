import importlib
import re
from pathlib import Path

import terc

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
    for document in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", document.read_text(encoding="utf8")):
            if not target.startswith("http"):
                assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf8").splitlines()) < 120


def test_every_page_is_in_the_navigation():
    listed = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf8")))
    assert listed == {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")}


def test_every_code_of_a_note_is_explained():
    page = (ROOT / "docs" / "reference" / "notes.md").read_text(encoding="utf8")
    code = re.compile(r"""["'](?:doubt|fact)["'],\s*["']([a-z0-9-]+)["']""")
    for path in (ROOT / "terc").rglob("*.py"):
        for found in code.findall(path.read_text(encoding="utf8")):
            assert f"`{found}`" in page, f"{path.name}: the note {found} is not on docs/reference/notes.md"


def test_the_version_is_one():
    assert f'version = "{terc.__version__}"' in (ROOT / "pyproject.toml").read_text(encoding="utf8")
    assert f"version: {terc.__version__}" in (ROOT / "CITATION.cff").read_text(encoding="utf8")
    assert f"## {terc.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf8")


def test_the_parts_of_pages_are_made_of_the_files_of_results(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    monkeypatch.syspath_prepend(ROOT / "website")
    hooks = importlib.import_module("hooks")
    for path in [*(ROOT / "docs" / "evidence").glob("*.md"), ROOT / "docs" / "baselines.md"]:
        page = hooks.filled(path.read_text(encoding="utf8"))
        assert "|---|" in page.replace(" ", "") or "Not measured yet" in page, path.name
    commands = hooks.filled("<!-- commands -->")
    assert "## terc select" in commands
    assert "`--min-effect NUMBER`" in commands
    assert hooks.included("README.md", "Which tool for what").lstrip().startswith("| you want")
