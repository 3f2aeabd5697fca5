"""A real browser, and the pages to open in it."""

import os
import shutil
from dataclasses import replace

import example_data
import pytest

from terc.reporting import report
from terc.reporting.material import Material
from terc.selection.result import Note

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "quo\"te's & `ticks`",
    "line\nbreak",
    "שלום",
    "\u202eevil",
    "</svg></title></style>-->]]>{{7*7}}${x}",
]
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="session")
def browser():
    """Debian's Chromium. Where it is missing the tests are skipped, but not in continuous integration."""
    found = [shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome")]
    path = next((p for p in found if p), None)
    if path is None:
        reason = "no Chromium on this machine: install it (apt-get install chromium) to test the report"
        if os.environ.get("CI", "").lower() in ("1", "true"):
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield chromium
        chromium.close()


class Opened:
    """A page with everything it asked for, said or tried."""

    def __init__(self, browser, path, width=1280, scheme="light"):
        self.context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        self.page = self.context.new_page()
        self.requests, self.complaints = [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", self._dialog)
        self.page.goto(path.as_uri())

    def _dialog(self, dialog):
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()


@pytest.fixture
def open_page(browser):
    opened = []

    def open_one(path, **options):
        opened.append(Opened(browser, path, **options))
        return opened[-1]

    yield open_one
    for one in opened:
        one.context.close()


def renamed(selection, names):
    """The selection with its first variables renamed everywhere."""
    new = {v.name: (names[i] if i < len(names) else v.name) for i, v in enumerate(selection.verdicts)}
    rows = tuple(
        replace(v, name=new[v.name], given=tuple(new[g] for g in v.given)) for v in selection.verdicts
    )
    steps = tuple(replace(s, tried=tuple(new[t] for t in s.tried)) for s in selection.steps)
    return replace(selection, verdicts=rows, steps=steps)


def everything():
    """A report with all its parts."""
    return Material(
        title="CartPole-v1 with 3 noise variables",
        selection=example_data.cart_pole(),
        comparison=example_data.comparison(),
        curves=example_data.curves(),
        learning=example_data.learning(),
        verdict=example_data.verdict(),
        ablation=example_data.ablation(),
        frontier=example_data.front(),
        agent="agents/distilled.npz",
        inference=example_data.inference(),
        config={"environment": "CartPole-v1", "goal": 475, "train": {"steps": 300_000}, "seed": 0},
    )


def hostile():
    """A report whose every name, label and note tries to break out."""
    first = replace(example_data.cart_pole().verdicts[0], kept=False, reason="redundant", given=("theta",))
    selection = replace(example_data.cart_pole(), verdicts=(first, *example_data.cart_pole().verdicts[1:]))
    evil = renamed(selection, HOSTILE)
    bad = HOSTILE[0]
    evil = replace(
        evil,
        notes=(Note("doubt", bad, bad), Note("fact", bad, HOSTILE[6])),
        method=bad,
        estimator=bad,
        config={bad: bad},
        timings={bad: 1.0},
    )
    return Material(
        title=bad,
        selection=evil,
        comparison={bad: evil, HOSTILE[1]: evil},
        curves=dict(zip(HOSTILE, example_data.curves().values(), strict=False)),
        learning=replace(
            example_data.learning(), states=(replace(example_data.learning()["full"], state=bad),)
        ),
        verdict=replace(
            example_data.verdict(), headline=bad, smaller=(bad,), doubts=(Note("doubt", bad, HOSTILE[1]),)
        ),
        ablation=replace(
            example_data.ablation(),
            rows=(replace(example_data.ablation().rows[0], name=bad, variables=(bad,)),),
        ),
        inference=[replace(t, state=bad, runtime=HOSTILE[1]) for t in example_data.inference()],
        config={bad: {HOSTILE[6]: bad}, "versions": {bad: bad}},
    )


SOURCES = {
    "everything": everything,
    "hostile": hostile,
    "copies": example_data.copies,
    "many": lambda: example_data.secret_keys(300),
    "history": example_data.prisoners,
    "comparison": example_data.comparison,
}


class Pages(dict):
    """Name -> path of a report, each written when first asked for."""

    def __init__(self, folder):
        self.folder = folder

    def __missing__(self, name):
        self[name] = report(SOURCES[name](), self.folder / f"{name}.html")
        return self[name]


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    return Pages(tmp_path_factory.mktemp("reports"))


@pytest.fixture(scope="session")
def hostile_names():
    return HOSTILE
