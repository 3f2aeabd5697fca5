"""Bad and odd recordings: each is answered in one line that names what to do, and exit code 2."""

import datetime
import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import terc
from terc.cli.main import main

N = 200
PLAIN = {
    "speed": np.linspace(0, 1, N) ** 2,
    "angle": np.sin(np.arange(N)),
    "act": np.arange(N) % 3,
    "episode": np.arange(N) // 20,
}


def parquet(**changes):
    def write(folder):
        pq.write_table(pa.table(PLAIN | changes), folder / "steps.parquet", row_group_size=50)
        return folder / "steps.parquet"

    return write


def text(content, name="steps.csv"):
    def write(folder):
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return folder / name

    return write


def arrays(**values):
    def write(folder):
        np.savez(folder / "steps.npz", **values)
        return folder / "steps.npz"

    return write


def parts(*tables):
    def write(folder):
        for k, table in enumerate(tables):
            pq.write_table(pa.table(table), folder / f"part-{k}.parquet")
        return folder

    return write


def damaged(cut=None, flip=None):
    """A file cut short, or with one row group overwritten."""

    def write(folder):
        path = parquet()(folder)
        content = bytearray(path.read_bytes())
        if cut is not None:
            content = content[:cut]
        if flip is not None:
            begin = pq.ParquetFile(path).metadata.row_group(flip).column(0).dictionary_page_offset
            content[begin : begin + 400] = b"\xff" * 400
        path.write_bytes(content)
        return path

    return write


def one_bad_part(folder):
    parts(PLAIN, PLAIN)(folder)
    (folder / "part-1.parquet").write_bytes(b"PAR1 not really")
    return folder


def array_alone(folder):
    np.save(folder / "steps.npy", np.zeros(3))
    return (folder / "steps.npy").rename(folder / "steps.npz")


def no_arrays(folder):
    import h5py

    h5py.File(folder / "steps.hdf5", "w").close()
    return folder / "steps.hdf5"


def with_gap(name, value=None):
    values = [value if i == 7 else v for i, v in enumerate(np.asarray(PLAIN[name]).tolist())]
    return parquet(**{name: pa.array(values)})


DAYS = [datetime.datetime(2024, 1, 1) + datetime.timedelta(hours=i) for i in range(N)]
BAD = {
    "no file": (lambda folder: folder / "none.parquet", "", "there is no file"),
    "another kind": (text("x", "steps.txt"), "", "should end in one of .parquet, .csv, .npz, .hdf5"),
    "empty folder": (lambda folder: folder, "", "holds no .parquet file"),
    "empty file": (text(b"", "steps.parquet"), "", "cannot be read, it may be damaged"),
    "half a file": (damaged(cut=900), "", "cannot be read, it may be damaged"),
    "a damaged row group": (
        damaged(flip=2),
        "--episode episode",
        "is damaged: row group 3 of 4 (50 steps) cannot be read",
    ),
    "a damaged part": (one_bad_part, "", "part-1.parquet cannot be read, it may be damaged"),
    "parts with other columns": (
        parts(PLAIN, {k: v for k, v in PLAIN.items() if k != "speed"} | {"sped": PLAIN["speed"]}),
        "",
        "have different columns: part-1.parquet lacks ['speed'] and has ['sped'] besides",
    ),
    "parts of other kinds": (
        parts(PLAIN, PLAIN | {"speed": ["fast"] * N}),
        "",
        "hold different kinds of values",
    ),
    "no action named": (
        parquet(),
        "--action=",
        "name the column of the actions, action=... (--action); there is",
    ),
    "wrong action": (
        parquet(),
        "--action acts",
        "no column named 'acts'. There is ['speed', 'angle', 'act', ",
    ),
    "closest name": (parquet(), "--episode Epsiode", "Did you mean 'episode'?"),
    "wrong reward": (parquet(), "--reward pay", "no column named 'pay'"),
    "wrong sort": (parquet(), "--sort time", "no column named 'time'"),
    "wrong drop": (parquet(), "--drop sped", "no column named 'sped'. There is"),
    "wrong ignore": (parquet(), "--ignore debug_*", "ignore: no column named 'debug_*'"),
    "wrong nominal": (parquet(), "--nominal sped", "nominal: no variable named 'sped'"),
    "wrong done": (parquet(), "--done end", "no column named 'end'"),
    "two roles": (parquet(), "--episode act", "a column can have only one role"),
    "action ignored": (parquet(), "--ignore act", "a column can have only one role"),
    "nothing left": (
        parquet(),
        "--ignore *",
        "no variable is left beside ['act', 'speed', 'angle', 'episode']",
    ),
    "reward as variable": (parquet(reward=np.ones(N)), "", "'reward' would be known only after the action"),
    "done as variable": (parquet(terminated=np.zeros(N, bool)), "", "ends of episodes with done= (--done)"),
    "next state as variable": (
        parquet(next_obs_0=np.ones(N), next_obs_1=np.ones(N)),
        "",
        "'next_obs_0', 'next_obs_1' would be known only after the action",
    ),
    "dates": (
        parquet(when=DAYS),
        "",
        "column 'when' holds dates or durations; order the steps by it, sort= (--sort)",
    ),
    "two columns of dates": (
        parquet(a_day=DAYS, b_day=DAYS),
        "",
        "each of the columns 'a_day', 'b_day' holds",
    ),
    "gaps": (
        with_gap("speed"),
        "",
        "'speed' (1 empty); drop those steps, fill them, or say missing='indicator'",
    ),
    "NaN": (with_gap("speed", float("nan")), "", "'speed' (1 NaN)"),
    "unknown way": (
        parquet(),
        "--missing mean",
        "missing: no way named 'mean'. There is ['refuse', 'indicator']",
    ),
    "gaps in the action": (with_gap("act"), "--missing indicator", "actions: cannot use missing"),
    "gaps in the episodes": (with_gap("episode"), "--episode episode", "episodes: cannot use missing"),
    "infinite": (with_gap("speed", float("inf")), "--missing indicator", "'speed' (1 infinite)"),
    "an empty column": (
        parquet(void=pa.array([None] * N, pa.float64())),
        "--missing indicator",
        "column 'void' is empty in every step; leave it out",
    ),
    "interleaved": (
        parquet(episode=np.arange(N) % 4),
        "--episode episode",
        "sort= (--sort COLUMN; the episode",
    ),
    "ends that are none": (parquet(), "--done angle", "done: column 'angle' should be true or false"),
    "text as reward": (
        parquet(pay=["much"] * N),
        "--reward pay",
        "rewards: wanted numbers, got text such as 'much'",
    ),
    "no steps asked": (parquet(), "--steps 0", "steps: wanted at least 1, or 'all', got 0"),
    "steps in words": (parquet(), "--steps many", "--steps: wanted a whole number or all, got 'many'"),
    "too few steps": (parquet(), "--steps 20 --episode episode", "select: 20 steps cannot support a test"),
    "ragged": (text("speed,act\n1,0\n2,1,5\n"), "", "Expected 2 columns, got 3"),
    "header only": (text("speed,act\n"), "", "wanted at least one step, got none"),
    "names twice": (text("speed,speed,act\n1,2,0\n"), "", "these come more than once: ['speed']"),
    "only a column without name": (text(",act\n0,0\n1,1\n"), "", "no variable is left"),
    "not UTF-8": (text("größe,act\n1,0\n".encode("latin-1")), "", "steps.csv"),
    "pickled": (
        arrays(act=np.zeros(3), x=np.array([{}, {}, {}])),
        "",
        "holds pickled objects, which can run any code",
    ),
    "lengths": (arrays(act=np.zeros(3), x=np.zeros(4)), "", "x: wanted one for each of the 3 steps, got 4"),
    "images": (
        arrays(act=np.zeros(3), x=np.zeros((3, 8, 8))),
        "",
        "'x' has shape (3, 8, 8); wanted [n] or [n, d]",
    ),
    "an array alone": (array_alone, "", "is a single array, not an .npz file"),
    "no arrays": (no_arrays, "", "steps.hdf5 holds no array"),
    "no hdf5": (text(b"nothing", "steps.h5"), "", "steps.h5 cannot be read, it may be damaged"),
    "uneven lists": (
        parquet(x=[[1.0, 2.0]] * (N - 1) + [[1.0]]),
        "",
        "whose lists differ in length; wanted 2 each",
    ),
    "structures": (parquet(x=[{"a": ["b"]}] * N), "", "column 'x.a' holds list<"),
    "large numbers": (parquet(key=2**60 + np.arange(N)), "", "column 'key' holds whole numbers beyond 2**53"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_recording_is_one_line(name, tmp_path, capsys):
    make, options, words = BAD[name]
    arguments = ["select", str(make(tmp_path)), *options.split()]
    if "--action" not in options:
        arguments += ["--action", "act"]
    if options == "--action=":
        arguments.pop()
    with pytest.raises(SystemExit) as end:
        main(arguments)
    out, err = capsys.readouterr()
    assert (end.value.code, out) == (2, "")
    assert err.startswith("terc: ") and err.count("\n") == 1
    assert words in err


@pytest.mark.parametrize("command", ["select", "compare"])
def test_the_options_of_both_commands(command, tmp_path, monkeypatch, capsys):
    seen = []

    def fake(data, *_arguments, **_settings):
        seen.append(data)
        raise terc.TercError("seen.")

    monkeypatch.setattr(terc, command, fake, raising=False)
    table = {
        **PLAIN,
        "when": DAYS,
        "pay": np.ones(N),
        "debug_a": np.ones(N),
        "debug_b": np.ones(N),
        "x, y": np.arange(N) % 2,
        "hole": pa.array([None, 1.0] * (N // 2)),
        "env": np.arange(N) % 2,
    }
    options = (
        "--action act --reward pay --ignore debug_*,angle --drop episode --sort when --episode env "
        "--missing indicator --steps all --nominal speed"
    )
    with pytest.raises(SystemExit):
        main([command, str(parquet(**table)(tmp_path)), *options.split(), "--drop", "x, y"])
    assert capsys.readouterr().err == "terc: seen.\n"
    (data,) = seen
    assert data.names == ("speed", "hole", "hole_missing")
    assert data.rewards.tolist() == [1] * N
    assert data.n_episodes == 2
    assert data.nominal == {"speed"}
    assert data.groups == (("hole", "hole_missing"),)


def test_a_long_recording_is_sampled_unless_all_is_asked_for(tmp_path, monkeypatch, capsys):
    from terc.cli import data_options

    monkeypatch.setattr(data_options, "DEFAULT_STEPS", 60)
    path = parquet()(tmp_path)
    lengths = [
        len(data_options.DataOptions(["act"], "episode", steps=steps).load(str(path), seed=0))
        for steps in (None, "100", "all")
    ]
    assert lengths == [60, 100, N]


def test_no_value_of_a_large_file_is_read_to_answer_a_wrong_name(tmp_path, monkeypatch, capsys):
    path = parquet()(tmp_path)
    monkeypatch.setattr(pq.ParquetFile, "read_row_group", lambda *_a, **_k: pytest.fail("read"))
    with pytest.raises(SystemExit):
        main(["select", str(path), "--action", "act", "--episode", "epsode"])
    assert "Did you mean 'episode'?" in capsys.readouterr().err


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".npz"])
def test_a_full_disk_loses_nothing(suffix, tmp_path):
    """A limit on the size of files, as a full disk would set it, in a process of its own."""
    path = tmp_path / f"steps{suffix}"
    small = terc.Trajectories(np.zeros((3, 1)), [0, 1, 0])
    small.save(path)
    before = path.read_bytes()
    script = (
        "import resource, signal, numpy as np, terc\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "data = terc.Trajectories(np.random.default_rng(0).normal(size=(20_000, 5)), np.arange(20_000) % 2)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))\n"
        f"try: data.save({str(path)!r})\n"
        "except terc.TercError as error: print(error)\n"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert found.stdout.count("\n") == 1, found.stderr
    assert found.stdout.startswith(f"cannot write {path} (")
    assert path.read_bytes() == before
    assert terc.load(path) == small
    assert sorted(os.listdir(tmp_path)) == sorted(
        [path.name] + [f"{path.name}.terc.json"] * (suffix == ".csv")
    )
