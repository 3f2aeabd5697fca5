"""`terc.report`, the run folder, the doubts, the notebook and the command line."""

import json
from dataclasses import asdict, replace

import example_data
import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from markupsafe import Markup
from typer.testing import CliRunner

import terc
from terc.errors import BadTypeError, BadValueError, DataFileError
from terc.reporting import captions, selection_html
from terc.reporting.doubts import doubts
from terc.reporting.material import Material, gather, read_run_folder
from terc.reporting.render import escape, prose, variable
from terc.selection.result import Interval, Note, Selection


def write_run(folder):
    """A run folder as the pipeline writes it, by the schema."""
    folder.mkdir(exist_ok=True)
    example_data.cart_pole().save(folder / "selection.json")
    config = {"environment": "CartPole-v1", "noise": 3, "goal": 475, "versions": {"terc": "0.1.0"}}
    files = {
        "config.json": config,
        "comparison.json": {"selections": {k: s.to_dict() for k, s in example_data.comparison().items()}},
        "inference.json": {"rows": [asdict(t) for t in example_data.inference()]},
        "summary.json": {"verdict": example_data.verdict().to_dict()},
        "ablation.json": example_data.ablation().to_dict(),
        "frontier.json": example_data.front().to_dict(),
        "learning.json": example_data.learning().to_dict(),
    }
    for name, record in files.items():
        (folder / name).write_text(json.dumps(record))
    rows = [
        {"state": state, "seed": seed, "step": int(step), "return": float(value)}
        for state, (steps, returns) in example_data.curves().items()
        for seed, run in enumerate(returns)
        for step, value in zip(steps, run, strict=True)
    ]
    pyarrow.parquet.write_table(pa.Table.from_pylist(rows), folder / "curves.parquet")
    return folder


def test_a_run_folder_is_read_as_it_was_written(tmp_path):
    material = read_run_folder(write_run(tmp_path))
    assert material.title == "CartPole-v1 with 3 noise variables"
    assert material.selection == example_data.cart_pole()
    assert list(material.inference) == example_data.inference()
    assert material.comparison == example_data.comparison()
    assert material.learning == example_data.learning()
    steps, returns = material.curves["reduced (4)"]
    np.testing.assert_allclose(steps, example_data.curves()["reduced (4)"][0])
    np.testing.assert_allclose(returns, example_data.curves()["reduced (4)"][1])


def test_a_run_folder_becomes_a_report_in_its_place(tmp_path):
    folder = write_run(tmp_path)
    path = terc.report(folder)
    assert path == folder / "report.html"
    first = path.read_text(encoding="utf8")
    for title in (
        "The smaller agent is as good.",
        "What unplugging does",
        "How few variables give the return",
        "Is it faster?",
        "Methods compared",
    ):
        assert title in first

    class Run:
        def __init__(self, folder):
            self.folder = folder

    assert gather(Run(folder)).selection == example_data.cart_pole()


@pytest.mark.parametrize("name", ["selection.json", "comparison.json", "inference.json", "learning.json"])
@pytest.mark.parametrize("content", ["{", "[1]", '{"verdicts": 3}', '{"1": {}}'])
def test_a_broken_file_is_named(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    with pytest.raises(DataFileError, match=f"{name}.*does not hold what a run writes"):
        read_run_folder(tmp_path)


def test_a_broken_parquet_file_is_named(tmp_path):
    (tmp_path / "curves.parquet").write_bytes(b"PAR1 nonsense")
    with pytest.raises(DataFileError, match=r"curves\.parquet"):
        read_run_folder(tmp_path)


def test_what_is_not_a_run_is_refused(tmp_path):
    with pytest.raises(DataFileError, match="there is no folder"):
        terc.report(tmp_path / "nowhere")
    with pytest.raises(DataFileError, match="holds no results of a run"):
        terc.report(tmp_path)
    with pytest.raises(BadTypeError, match="wanted a Selection, a mapping"):
        terc.report(3, tmp_path / "r.html")
    with pytest.raises(BadTypeError, match="maps names to Selections"):
        terc.report({"terc": 3}, tmp_path / "r.html")
    with pytest.raises(BadValueError, match="the comparison is empty"):
        terc.report({}, tmp_path / "r.html")
    with pytest.raises(BadValueError, match="holds no variables"):
        terc.report(Selection(()), tmp_path / "r.html")
    with pytest.raises(BadValueError, match="must be a file, got the folder"):
        terc.report(example_data.cart_pole(), tmp_path)
    with pytest.raises(DataFileError, match="cannot write"):
        terc.report(example_data.cart_pole(), tmp_path / "no" / "r.html")
    assert list(tmp_path.iterdir()) == []


def test_a_saved_selection_becomes_a_report_beside_it_the_same_every_time(tmp_path):
    example_data.copies().save(tmp_path / "mine.json")
    assert terc.report(tmp_path / "mine.json") == tmp_path / "report.html"
    first = (tmp_path / "report.html").read_bytes()
    assert terc.report(str(tmp_path / "mine.json")).read_bytes() == first


def words(material):
    return {str(d.words): d.check for d in doubts(material)}


def doubted(selection, **parts):
    return " ".join(w for w, check in words(Material(selection=selection, **parts)).items() if check)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"n_steps": 300}, "Only 300 steps for 7 variables"),
        ({"n_episodes": 4}, "Only 4 episodes"),
        ({"n_episodes": 1}, "All steps count as one episode"),
        ({"retained": Interval(0.9, 0.8, 0.95)}, "as little as 80.0 %"),
        ({"information": 0.01}, "explain only 1.5 % of the entropy of the action"),
        ({"action_entropy": 0.0}, "hardly ever changes"),
        (
            {"notes": (Note("doubt", "x", "Condition 1 is violated by a pair."),)},
            "Condition 1 is violated by a pair",
        ),
    ],
)
def test_each_doubt_is_raised_by_its_cause_and_only_by_it(change, said):
    assert said in doubted(replace(example_data.cart_pole(), **change))
    assert doubted(example_data.cart_pole()) == ""


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        ({"retained": Interval(0.9, 0.8, 0.95)}, "wide-share", "as little as"),
        ({"information": 0.01}, "little-explained", "explain only"),
        ({"action_entropy": 0.0}, "nothing-to-learn", "hardly ever changes"),
    ],
)
def test_what_the_selection_doubts_itself_is_not_doubted_twice(change, code, said):
    selection = replace(example_data.cart_pole(), **change)
    noted = replace(selection, notes=(Note("doubt", code, "In its own words."),))
    assert said in doubted(selection)
    assert said not in doubted(noted) and "In its own words." in doubted(noted)


def test_variables_near_the_threshold_are_named():
    assert "wind" in doubted(example_data.copies())
    assert "46,000 steps" in doubted(example_data.copies())
    first, *others = example_data.copies().verdicts
    far = replace(first, undecided=True, steps_needed=None)
    assert "would decide" not in doubted(replace(example_data.copies(), verdicts=(far, *others)))
    noted = (Note("doubt", "undecided", "undecided whether wind is needed."),)
    assert doubted(replace(example_data.copies(), notes=noted)).count("wind") == 1
    rows = example_data.cart_pole().verdicts
    near = replace(example_data.cart_pole(), verdicts=(replace(rows[0], low=0.001), *rows[1:]))
    assert "reaches down to chance" in doubted(near)
    gone = replace(
        example_data.cart_pole(), verdicts=(*rows[:6], replace(rows[6], low=0.01, high=0.02, gain=0.015))
    )
    assert "above chance: not sure enough, given how many were tested" in doubted(gone)
    assert "too small to count" in captions.gains(gone)
    nothing = replace(example_data.cart_pole(), verdicts=rows[4:])
    assert "Nothing was kept" in doubted(nothing)


def test_why_nothing_was_kept_goes_by_the_reasons(tmp_path):
    rows = example_data.cart_pole().verdicts[4:]
    some = replace(rows[0], reason="needed by some")
    other = replace(rows[1], reason="redundant given what some need", given=(some.name,))
    whole = replace(example_data.cart_pole(), config={"target": "reward"})
    selection = replace(whole, verdicts=(some, other, rows[2]))
    page = terc.report(selection, tmp_path / "r.html").read_text(encoding="utf8")
    assert "kept: some of the policies need some of them, but no variable is needed by all." in page
    assert 'value="needed-by-some"' in page and 'data-state="removed needed-by-some"' in page
    assert "carried by others that some of the policies need" in page
    assert "bears on" not in page and "independent of all variables" not in page
    none = replace(selection, verdicts=(rows[2],))
    page = terc.report(none, tmp_path / "r.html").read_text(encoding="utf8")
    assert "kept: no evidence that any of them bears on the reward." in page
    assert "</bdi>, needed by some" in selection_html(selection)


def test_one_redundant_variable_is_spoken_of_in_the_singular():
    whole = example_data.cart_pole()
    kept, gone = whole.verdicts[0], whole.verdicts[-1]
    twin = replace(gone, reason="redundant", given=(kept.name,))
    one, two = (
        " ".join(words(Material(selection=replace(whole, verdicts=(kept, *rows)))))
        for rows in ((twin,), (twin, replace(twin, name="other")))
    )
    assert "not because it carries none" in one and "may keep it and" in one
    assert "not because they carry none" in two and "may keep them and" in two


@pytest.mark.parametrize(
    "target, subject",
    [("reward", "the reward"), ("next", "the next values"), ("end", "the end of the episode")],
)
def test_the_page_of_another_target_speaks_of_that(target, subject, tmp_path):
    """What predicts a reward is nothing for an agent to read, so there is no code for one either."""
    selection = replace(example_data.cart_pole(), config={"target": target})
    page = terc.report(selection, tmp_path / "r.html").read_text(encoding="utf8")
    said = (
        f"uncertainty of {subject} by",
        f"information about {subject} was",
        f"What says something about {subject}<",
    )
    said += f"sure sign that they carry information about {subject}", f"entropy of {subject} (nats)"
    assert [words for words in said if words not in page] == []
    assert "SelectVariables" not in page and "The answer is about the policy" not in page
    assert "the action still" not in page and "never tries is not seen" in page
    of_the_action = terc.report(example_data.cart_pole(), tmp_path / "a.html").read_text(encoding="utf8")
    assert "What says something about the action<" in of_the_action and "SelectVariables" in of_the_action


def test_the_doubts_of_the_run_are_those_of_the_page():
    found = example_data.verdict()
    assert "A better agent may read others." in doubted(example_data.cart_pole(), verdict=found)
    assert doubted(example_data.cart_pole(), verdict=replace(found, doubts=())) == ""


def test_an_agent_that_has_not_learned_is_a_warning_at_the_top(tmp_path):
    note = Note("doubt", "not-learned", "the agent is no better than random actions")
    found = replace(example_data.verdict(), as_good=None, headline="no verdict", doubts=(note,))
    path = terc.report(Material(selection=example_data.cart_pole(), verdict=found), tmp_path / "r.html")
    page = path.read_text(encoding="utf8")
    assert page.index("The agent is no better than random actions.") < page.index("<h1>No verdict.</h1>")


def test_the_page_of_a_selection_begins_with_its_doubts(tmp_path):
    leak = Note("doubt", "leak", "'current' follows the action up to noise.")
    path = terc.report(replace(example_data.cart_pole(), notes=(leak,)), tmp_path / "r.html")
    page = path.read_text(encoding="utf8")
    assert page.count("follows the action up to noise") == 2
    assert page.index("follows the action up to noise") < page.index("<h2>Kept")
    assert "1 thing to doubt" in page
    quiet = terc.report(replace(example_data.cart_pole(), notes=()), tmp_path / "quiet.html")
    assert 'class="doubts first-doubts"' not in quiet.read_text(encoding="utf8")


def test_the_path_of_no_removal_is_said_in_words(tmp_path):
    stays = tuple(s for s in example_data.cart_pole().steps if not s.removed)[:1]
    path = terc.report(replace(example_data.cart_pole(), steps=stays), tmp_path / "r.html")
    said = "1 test, from top to bottom; none of them removed a variable."
    assert said in path.read_text(encoding="utf8")


def test_notebooks_get_a_fragment_without_script(hostile_names):
    rows = zip(example_data.cart_pole().verdicts, hostile_names, strict=True)
    selection = replace(example_data.cart_pole(), verdicts=tuple(replace(v, name=n) for v, n in rows))
    html = selection._repr_html_()
    assert html == selection_html(selection)
    assert "<script" not in html
    assert "<img" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert r"line\nbreak" in html
    assert "\u202e" not in html
    many = selection_html(example_data.secret_keys(300))
    assert "and 260 more" in many
    assert len(many) < 60_000


def test_text_is_escaped_unless_it_is_markup():
    assert escape("<b>") + escape(Markup("<i>")) == "&lt;b&gt;<i>"
    assert escape("a\x00\u202e\ud800") == "a\\x00\\u202e\\ud800"
    assert variable("a\nb") == '<bdi class="variable">a\\nb</bdi>'
    assert prose("`a<b` & `") == "`a&lt;b` &amp; `"


def test_surrogates_and_control_characters_can_be_written(tmp_path):
    rows = example_data.cart_pole().verdicts
    bad = replace(example_data.cart_pole(), verdicts=(replace(rows[0], name="\ud800\x00\x1b"), *rows[1:]))
    text = terc.report(bad, tmp_path / "r.html").read_text(encoding="utf8")
    assert r"\ud800\x00\x1b" in text


def test_an_unfinished_report_never_replaces_a_whole_one(tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("whole")
    monkeypatch.setattr("terc.reporting.page._settings", lambda material: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        terc.report(example_data.cart_pole(), path)
    assert path.read_text() == "whole"


def test_the_command_writes_the_report_and_prints_where(tmp_path):
    import typer

    from terc.cli.report import report

    app = typer.Typer()
    app.command()(report)
    example_data.cart_pole().save(tmp_path / "selection.json")
    result = CliRunner().invoke(app, [str(tmp_path)])
    assert result.exit_code == 0
    assert result.stdout.strip() == str(tmp_path / "report.html")
    result = CliRunner().invoke(app, [str(tmp_path), "--out", str(tmp_path / "other.html"), "--json"])
    assert json.loads(result.stdout) == {"report": str(tmp_path / "other.html")}
    assert (tmp_path / "other.html").exists()
    failed = CliRunner().invoke(app, [str(tmp_path / "nowhere")])
    assert isinstance(failed.exception, DataFileError)


def test_a_variable_that_is_removed_twice_is_explained():
    once = example_data.cart_pole()
    assert "comes back" not in captions.path(replace(once, steps=once.steps[:1]))
    step = next(step for step in once.steps if step.removed)
    assert "comes back and is tested again" in captions.path(replace(once, steps=(step, step)))
