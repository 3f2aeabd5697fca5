"""Bad and odd recordings: each is answered in one line that names what to do, and exit code 2."""

import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cli.bad_recordings import Recordings, arguments, cases

import terc
from terc.cli.main import main

N = 200
BAD = cases(N)
PLAIN, DAYS, parquet = Recordings(N).plain, Recordings(N).days, Recordings(N).parquet


@pytest.mark.parametrize("name", BAD)
def test_a_bad_recording_is_one_line(name, tmp_path, capsys):
    make, options, words = BAD[name]
    with pytest.raises(SystemExit) as end:
        main(arguments(make(tmp_path), options))
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
        "next_obs": np.arange(N) % 7,
    }
    options = (
        "--action act --reward pay --ignore debug_*,angle --drop episode --sort when --episode env "
        "--missing indicator --steps all --nominal speed --seen next_obs"
    )
    with pytest.raises(SystemExit):
        main([command, str(parquet(**table)(tmp_path)), *options.split(), "--drop", "x, y"])
    assert capsys.readouterr().err == "terc: seen.\n"
    (data,) = seen
    assert data.names == ("speed", "hole", "hole_missing", "next_obs")
    assert data.rewards.tolist() == [1] * N
    assert data.n_episodes == 2
    assert data.nominal == {"speed"}
    assert data.groups == (("hole", "hole_missing"),)


def test_a_long_recording_is_sampled_unless_all_is_asked_for(tmp_path, monkeypatch, capsys):
    from terc.cli import data_options

    monkeypatch.setattr(data_options, "DEFAULT_STEPS", 60)
    path = parquet()(tmp_path)
    lengths = [
        len(data_options.DataOptions(["act"], ["episode"], steps=steps).load(str(path), seed=0))
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
