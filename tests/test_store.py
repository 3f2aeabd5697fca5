"""One store for every command: what counts as done, and what is done again."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import terc
from terc import fingerprint
from terc.errors import BadValueError, DataFileError
from terc.fingerprint import code_digest, import_name, module_digest
from terc.store import Store, Task


def write(store, key, **options):
    (store / f"{key}.txt").write_text(json.dumps(options))
    return len(options)


@pytest.fixture(params=["whole", "relative"])
def store(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = Store(tmp_path / "store" if request.param == "whole" else Path("store"), "run")
    made.prepare({"seed": 0}, fixed=["seed"])
    return made


def task(key="a", needs=(), **options):
    return Task(key, key, write, options, needs, (f"{key}.txt",))


def test_a_task_is_done_once(store):
    assert not store.is_done(task(x=1))
    store.do(task(x=1))
    assert store.is_done(task(x=1))
    assert (store["a"], store.keys(), store.seconds("a") >= 0) == (1, ["a"], True)


def test_other_options_and_a_changed_file_undo_it(store):
    store.do(task(x=1))
    assert not store.is_done(task(x=2))
    (store / "a.txt").write_text("half")
    assert not store.is_done(task(x=1))
    store.do(task(x=1))
    (store / "a.txt").unlink()
    assert not store.is_done(task(x=1))


def test_what_a_task_needs_is_a_part_of_it(store):
    first = task(x=1)
    second = task("b", (first,))
    assert not store.is_done(second)
    store.do(first)
    store.do(second)
    assert store.is_done(second)
    store.do(task(x=2))
    assert not store.is_done(task("b", (task(x=2),)))


def test_a_need_that_is_done_again_with_the_same_outcome_changes_nothing(store):
    first = task(x=1)
    second = task("b", (first,))
    store.do(first)
    store.do(second)
    store.do(first)
    assert store.is_done(second)


def test_a_damaged_record_has_not_happened(store):
    store.do(task(x=1))
    (store / "tasks" / "a.json").write_text('{"fingerprint": "cut off')
    assert not store.is_done(task(x=1))
    with pytest.raises(DataFileError, match="lacks the task a; run the same command again"):
        store["a"]


def test_a_checkpoint_of_other_options_is_not_continued(store):
    seen = []

    def interrupted(store, key, **options):
        place = store.unfinished(key) / "checkpoint"
        seen.append(place.exists())
        place.write_text("")
        raise KeyboardInterrupt

    for x in (1, 1, 2):
        with pytest.raises(KeyboardInterrupt):
            store.do(Task("a", "a", interrupted, {"x": x}))
    assert seen == [False, True, False]
    store.do(task(x=2))
    assert not store.unfinished("a").exists()


def test_code_counts_and_comments_do_not(tmp_path, monkeypatch):
    monkeypatch.setattr(fingerprint, "ROOT", tmp_path)
    (tmp_path / "two.py").write_text("VALUE = 1\n")

    def seen(text):
        (tmp_path / "one.py").write_text(text)
        code_digest.cache_clear()
        fingerprint._read.cache_clear()
        return code_digest("terc.one")

    before = seen('"""Words."""\nfrom terc.two import VALUE\n')
    assert seen('"""Other words."""\n\nfrom terc.two import VALUE  # why\n') == before
    assert seen('"""Words."""\nfrom terc.two import VALUE as value\n') != before
    (tmp_path / "two.py").write_text("VALUE = 2\n")
    assert seen('"""Words."""\nfrom terc.two import VALUE\n') != before
    code_digest.cache_clear()


def test_code_with_a_set_has_the_same_digest_in_every_process():
    command = "from terc.fingerprint import code_digest; print(code_digest('terc.records', 'terc.checks'))"
    seen = [
        subprocess.run(
            [sys.executable, "-c", command], env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True
        ).stdout
        for seed in ("1", "2")
    ]
    assert seen[0] == seen[1] != b""


def test_names_that_another_process_can_ask_for():
    assert import_name(json.dumps) == "json:dumps"
    assert import_name(Store) == "terc.store:Store"
    assert import_name(lambda: 1) is None
    assert import_name(Store) and import_name(object()) is None
    assert module_digest("json") != module_digest("json.decoder")
    assert module_digest("no_such_module") == ""


def test_one_process_at_a_time(store):
    other = Store(store.path, "run")
    with (
        store.locked(),
        pytest.raises(BadValueError, match="run: another process is working in"),
        other.locked(),
    ):
        pass
    with other.locked():
        pass


def test_settings_that_are_not_fixed_may_change(store):
    assert store.prepare({"seed": 0, "calls": 5}, fixed=["seed"]) == ()
    store.prepare({"seed": 0}, fixed=["seed"])
    with pytest.raises(BadValueError, match="seed: 0 there, 1 here.. Use those, or give another"):
        store.prepare({"seed": 1}, fixed=["seed"])


def test_a_damaged_config_is_one_sentence(store):
    (store / "config.json").write_text("{half")
    with pytest.raises(DataFileError, match="config.json cannot be read"):
        store.prepare({"seed": 0}, fixed=["seed"])


def test_parts_keep_the_same_tasks_apart_and_are_cleared_with_the_whole(store):
    first, second = store.within("one"), store.within("two")
    first.do(task(x=1))
    assert first.is_done(task(x=1)) and not second.is_done(task(x=1)) and not store.is_done(task(x=1))
    assert (first / "a.txt").is_file() and store.keys() == ["one/a"] and first.keys() == ["a"]
    together = task("b", needs=(task("one/a"),))
    store.do(together)
    assert store.is_done(together)
    first.do(task(x=2))
    assert not store.is_done(together)
    store.prepare({"seed": 0}, fixed=["seed"], restart=True)
    assert not (first / "a.txt").exists() and store.keys() == []


def test_the_version_of_terc_is_that_of_the_code_that_runs(monkeypatch):
    monkeypatch.setattr(terc, "__version__", "9.9")
    assert fingerprint.versions()["terc"] == "9.9"
