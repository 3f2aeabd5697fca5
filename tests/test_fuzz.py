"""Odd and hostile input: a result or a `TercError`. At length: benchmarks/fuzz.py."""

import importlib
import io
import json
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import terc
from terc import untrusted

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
ROLES = {"action": ["a"], "episode": None, "rewards": None, "progress": None, "probabilities": [], "drop": []}


@pytest.fixture
def fuzz(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module("fuzz")


@pytest.mark.parametrize(
    ("name", "examples"), [("frames", 8), ("arrays", 40), ("files", 40), ("commands", 12), ("plays", 12)]
)
def test_odd_input_ends_well(name, examples, fuzz):
    fuzz.check(name, examples=examples, seed=20)


def test_a_property_that_does_not_hold_is_found(fuzz, monkeypatch):
    monkeypatch.setitem(fuzz.PROPERTIES, "broken", lambda data: 1 / data.draw(fuzz.st.integers(0, 3)))
    with pytest.raises(ZeroDivisionError):
        fuzz.check("broken", examples=50, seed=0)


def write_npz(path, header_shape, values):
    """An .npz whose array says that it has `header_shape`."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": header_shape}
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("observations.npy", header.getvalue() + values)


@pytest.mark.parametrize("shape", [(10**12, 8), (3, 2), (2**40, 2**40), (1,)])
def test_an_array_that_is_not_as_long_as_it_says_takes_no_memory(shape, tmp_path):
    write_npz(tmp_path / "lie.npz", shape, b"\0" * 80)
    with pytest.raises(terc.TercError, match=r"says that it has [\d,]+ bytes, and has 80"):
        terc.load(tmp_path / "lie.npz", action="observations_0")
    with pytest.raises(terc.TercError, match="says that it has"):
        terc.agents.load_policy(tmp_path / "lie.npz")


def test_an_array_that_unpacks_to_more_than_the_memory_is_refused(tmp_path, monkeypatch):
    write_npz(tmp_path / "bomb.npz", (10_000, 10), bytes(800_000))
    assert (tmp_path / "bomb.npz").stat().st_size < 5000
    monkeypatch.setattr(untrusted, "memory", lambda: 900_000.0)
    with pytest.raises(terc.TercError, match="more than the memory of this machine"):
        terc.load(tmp_path / "bomb.npz", action="observations_0")


@pytest.mark.parametrize(
    "said",
    [
        "[" * 100_000,
        "null",
        "3",
        "{}",
        '{"format": 1}',
        json.dumps(
            {"format": 1, "names": ["x"], "roles": {**ROLES, "episode": 7}, "action_kind": "discrete"}
        ),
        json.dumps({"format": 1, "names": [1], "roles": ROLES, "action_kind": "discrete", "levels": {}}),
        json.dumps(
            {"format": 1, "names": ["x"], "roles": ROLES, "action_kind": "discrete", "levels": {"x": 5}}
        ),
        json.dumps(
            {"format": 1, "names": ["x"], "roles": ROLES, "action_kind": "discrete", "levels": {"a": ["p"]}}
        ),
    ],
)
def test_a_file_that_describes_itself_wrongly_is_one_sentence(said, tmp_path):
    table = pa.table({"x": [1.0, 2.0, 3.0], "a": [0, 1, 0]}).replace_schema_metadata({"terc": said})
    pq.write_table(table, tmp_path / "lying.parquet")
    with pytest.raises(terc.TercError) as caught:
        terc.load(tmp_path / "lying.parquet")
    assert "\n" not in str(caught.value)


def test_json_of_any_depth_is_read_or_refused(tmp_path):
    (tmp_path / "selection.json").write_text('{"verdicts":' * 100_000, encoding="utf8")
    for read in (terc.Selection.load, terc.report):
        with pytest.raises(terc.TercError):
            read(tmp_path / "selection.json")


def test_thousands_of_columns_are_read_and_a_wrong_name_is_answered_shortly(tmp_path):
    wide = tmp_path / "wide.csv"
    columns = [f"c{j}" for j in range(5_000)]
    wide.write_text(f"{','.join(columns)},a\n" + f"{','.join(['1'] * len(columns))},0\n" * 2, encoding="utf8")
    assert len(terc.load(wide, action="a").names) == len(columns)
    with pytest.raises(terc.TercError) as caught:
        terc.load(wide, action="zzz")
    assert len(str(caught.value)) < 1000


def test_names_of_any_length_and_letters_are_printed_and_reported(tmp_path):
    names = ["<script>alert(1)</script>", "a\x1b[31m", "\u202eb", "=cmd()", "x" * 100_000, "\r\ny"]
    bits = np.random.default_rng(0).integers(0, 2, (200, 7))
    data = terc.Trajectories(bits[:, :6], bits[:, 0], names=names, episodes=np.arange(200) // 10)
    selection = terc.select(data, estimator="plugin")
    assert selection.kept == (names[0],)
    printed = str(selection)
    assert "\x1b" not in printed and "\u202e" not in printed
    assert max(map(len, printed.splitlines())) < 200
    page = terc.report(selection, tmp_path / "report.html").read_text(encoding="utf8")
    assert names[0] not in page


def test_an_empty_table_with_episodes_is_refused():
    with pytest.raises(terc.TercError, match="at least one step"):
        terc.Trajectories.from_frame(pd.DataFrame({"a": [], "e": [], "x": []}), action="a", episode="e")


def test_names_that_are_no_list_are_refused():
    with pytest.raises(terc.TercError, match="wanted a list of names"):
        terc.Trajectories(np.zeros((3, 2)), [0, 1, 0], names=np.array(0.0))


def test_damaged_hdf5_and_policies_are_one_sentence(tmp_path, fuzz):
    h5py = pytest.importorskip("h5py")
    del h5py
    for name, load in (("steps.hdf5", terc.load), ("agent.policy.npz", terc.agents.load_policy)):
        sound = tmp_path / name
        fuzz.write_sound(sound)
        content = sound.read_bytes()
        for place in range(0, len(content), max(len(content) // 60, 1)):
            sound.write_bytes(content[:place] + b"\xff\x00\xff" + content[place + 3 :])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    load(sound)
                except terc.TercError as error:
                    assert "\n" not in str(error)
