"""Every experiment of the paper at toy size: it runs, is resumed, and says what it measured."""

import json

import pytest

from terc.errors import BadValueError, DataFileError, UnknownNameError
from terc.paper.claims import DIFFERS, LONGEST, PLURAL
from terc.paper.experiment import Expected, Experiment, do_all
from terc.paper.gains import PI, PRINTED, Gains
from terc.paper.page import WHO
from terc.paper.run import EXPERIMENTS, PLACES, TOGETHER, experiments_named, reproduce
from terc.paper.scale import FULL, QUICK, scale_named
from terc.paper.summary import GROUPS
from terc.paper.worlds import family
from terc.store import Store


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("paper")
    events = []
    made = reproduce(scale="toy", out=folder / "run", n_jobs=1, progress=events.append)
    return made, events, folder


def test_every_experiment_makes_claims_and_pictures(toy):
    made, _, _ = toy
    assert made.experiments == tuple(EXPERIMENTS)
    assert [place.name for place in made.places] == [name for name in PLACES if name != "Fig. 7"]
    assert all(place.pictures for place in made.places if place.name.startswith(("Fig", "Table")))
    sides = [side for claim in made.claims for side in claim.sides.values()]
    assert {side.verdict for side in sides} <= set(PLURAL)
    assert all(side.who and side.method for side in sides)
    assert all(len(cell) <= LONGEST for side in sides for cell in (side.found, side.who))
    assert all(claim.statement.endswith(".") and len(claim.statement) <= LONGEST for claim in made.claims)
    assert {side.method for side in sides} <= {method for group in GROUPS.values() for method in group}


def test_every_difference_as_printed_names_its_cause(toy):
    made, _, _ = toy
    differ = [c for c in made.claims if c.printed and c.printed.verdict == DIFFERS]
    assert differ
    assert [c.statement for c in differ if not c.printed.cause] == []


def test_progress_counts_every_task(toy):
    made, (first, *events), folder = toy
    assert not first.finished and first.number == 1
    assert [event.number for event in events] == list(range(1, len(events) + 1))
    assert all(event.finished for event in events)
    shares = [event.share for event in events]
    assert shares == sorted(shares) and shares[0] > 0 and shares[-1] <= 1
    assert len(Store(folder / "run", "paper").keys()) == len(events)


def test_the_page_is_one_file_with_everything(toy):
    made, _, folder = toy
    page = made.page.read_text(encoding="utf8")
    assert page.count("<svg") == sum(len(place.pictures) for place in made.places)
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org", "")
    saved = json.loads((folder / "run" / "claims.json").read_text(encoding="utf8"))
    assert len(saved["claims"]) == len(made.claims)
    assert sum(saved["made_by"].values()) == len(Store(folder / "run", "paper").keys())


def test_the_document_names_every_claim_and_every_picture_is_there(toy):
    _, _, folder = toy
    names = ["synthetic", "prisoners"]
    made = reproduce(names, scale="toy", out=folder / "run", docs=folder / "docs", n_jobs=1)
    text = (folder / "docs" / "reproduction.md").read_text(encoding="utf8")
    rows = [line for line in text.splitlines() if line.startswith("| ") and "**" in line]
    shipped = json.loads((folder / "docs" / "reproduction.json").read_text(encoding="utf8"))
    assert len(rows) == len(made.claims) == len(shipped["claims"])
    assert str(folder) not in json.dumps(shipped), "no path of this machine"
    assert all(line.replace(r"\|", "").count("|") == 4 for line in rows)
    assert text.count(WHO) == len(made.claims)
    for place in made.places:
        for picture in place.pictures:
            assert f"images/reproduction/{picture.key}.svg" in text
            assert (folder / "docs" / "images" / "reproduction" / f"{picture.key}.svg").stat().st_size > 500


def test_a_second_call_does_nothing_again_and_says_the_same(toy):
    made, _, folder = toy
    events = []
    again = reproduce(["condition-1"], scale="toy", out=folder / "run", n_jobs=1, progress=events.append)
    assert events
    assert all(event.kept_from_before for event in events)
    assert again.claims == tuple(claim for claim in made.claims if claim.place == "Fig. 11")


def test_what_is_lost_is_done_again_with_the_same_result(toy):
    made, _, folder = toy
    lost = folder / "run" / "tasks" / "synthetic" / "four_redundant" / "0" / "mine.json"
    lost.write_text('{"fingerprint": "cut off')
    events = []
    again = reproduce(["synthetic"], scale="toy", out=folder / "run", n_jobs=1, progress=events.append)
    assert [event.task for event in events if not event.kept_from_before] == [
        "Four Redundant Variables, data set 1: TERC as printed"
    ]
    assert [c for c in again.claims if c.place == "Fig. 1"] == [c for c in made.claims if c.place == "Fig. 1"]


def test_figures_are_written_as_svg_and_pdf(toy):
    _, _, folder = toy
    drawn = folder / "figures"
    made = reproduce(["synthetic"], scale="toy", out=folder / "run", drawings=drawn, n_jobs=1)
    pictures = {picture.key for place in made.places for picture in place.pictures}
    assert {file.name for file in drawn.iterdir()} == {
        f"fig-1-{key}.{kind}" for key in pictures for kind in ("svg", "pdf")
    }


EVEN = Expected(4, 4.0, lambda _: 1.0)


def test_two_workers_find_what_one_finds(tmp_path):
    gains = [Gains(f"set/{k}", f"set {k}", family("two_triplets", 300, k), "synthetic") for k in range(2)]
    tasks = [one.task(method, scale_named("toy")) for one in gains for method in (PI, PRINTED)]
    experiment = Experiment("two", (lambda scale, store: tasks,), lambda *_: [], lambda *_: [])
    records = []
    for n_jobs in (1, 2):
        store, told = Store(tmp_path / str(n_jobs), "paper"), []
        do_all([experiment], scale_named("toy"), store, n_jobs=n_jobs, listen=told.append, expected=EVEN)
        begun, *ended = told
        assert (begun.task, begun.number, begun.finished) == (tasks[0].words, 1, False)
        assert sorted(event.task for event in ended) == sorted(task.words for task in tasks)
        assert [(event.number, event.share) for event in ended] == [(1, 0.25), (2, 0.5), (3, 0.75), (4, 1)]
        records.append([{**store[task.key], "timings": None} for task in tasks])
    assert records[0] == records[1]


def test_progress_counts_the_tasks_of_later_waves_from_the_start(tmp_path):
    gains = [Gains(f"set/{k}", f"set {k}", family("two_triplets", 300, k), "synthetic") for k in range(3)]
    tasks = [one.task(PI, scale_named("toy")) for one in gains]
    waves = (lambda *_: tasks[:2], lambda *_: tasks[2:])
    experiment, told = Experiment("two", waves, lambda *_: [], lambda *_: []), []
    store = Store(tmp_path, "paper")
    do_all([experiment], scale_named("toy"), store, n_jobs=1, listen=told.append, expected=EVEN)
    assert [(event.number, event.of) for event in told] == [(1, 4), (1, 4), (2, 4), (3, 3)]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("figure-5", "'figure-5'; Fig. 5 is made by: terc paper gym .or one of its worlds: cart-pole,"),
        ("Fig.10", "Fig. 10 is made by: terc paper prisoners"),
        ("table2", "Table 2 is made by: terc paper inference"),
        ("figure-99", "no experiment named 'figure-99'. Available: theory"),
    ],
)
def test_a_figure_is_answered_with_its_experiment(name, said):
    with pytest.raises(UnknownNameError, match=said):
        reproduce([name])


def test_every_figure_and_table_of_the_page_has_its_experiment():
    assert all(words.split()[0] in {**EXPERIMENTS, **TOGETHER} for _, words in PLACES.values())


def test_a_folder_of_another_scale_is_refused(toy):
    _, _, folder = toy
    with pytest.raises(BadValueError, match="other settings .scale: 'toy' there, 'quick' here"):
        reproduce(["synthetic"], scale="quick", out=folder / "run")


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(BadValueError, match="holds files but no config.json of terc paper"):
        reproduce(["synthetic"], scale="toy", out=tmp_path)
    (tmp_path / "paper.json").write_text("{}")
    with pytest.raises(BadValueError, match="from another version of terc and cannot be continued"):
        reproduce(["synthetic"], scale="toy", out=tmp_path)


def test_unknown_names_are_told():
    with pytest.raises(UnknownNameError, match="no experiment named 'atari'"):
        experiments_named(["atari"])
    assert [one.name for one in experiments_named(["gym"])] == ["cart-pole", "lunar-lander", "pendulum"]
    assert [one.name for one in experiments_named(["cart-pole"])] == ["cart-pole"]
    with pytest.raises(UnknownNameError, match="no scale named 'huge'"):
        reproduce(scale="huge")


def test_a_missing_task_is_one_sentence(tmp_path):
    with pytest.raises(DataFileError, match="lacks the task synthetic/0"):
        Store(tmp_path, "paper")["synthetic/0"]


def test_full_has_the_papers_counts():
    assert (FULL.mine_runs, FULL.data_sets, FULL.agents, FULL.permutations) == (10, 10, 5, 1000)
    assert FULL.mine_batch is None
    assert FULL.mine_updates is None
    assert QUICK.tats == FULL.tats == tuple(range(2, 11))
