import json
import subprocess
import sys
import warnings
from dataclasses import replace

import numpy as np
import pytest

import terc
from terc.cli.main import main
from terc.errors import TercWarning
from terc.progress import reporting
from terc.selection.result import Interval, Note, Selection, Verdict

NAMES = ["a", "b", "x, y", "two\nlines", "größe=1"]


def answer(names):
    return Selection(
        tuple(
            Verdict(name, 0.5, 0.4, 0.6, 0.01, 0.0, i == 0, "needed" if i == 0 else "irrelevant")
            for i, name in enumerate(names)
        ),
        retained=Interval(1.0, 0.9, 1.0),
    )


@pytest.fixture
def asked(monkeypatch):
    """What the command asked of `terc.select`, which is replaced by a quick answer."""
    calls = []

    def fake(data, **settings):
        calls.append((data, settings))
        return answer(data.names)

    monkeypatch.setattr(terc, "select", fake, raising=False)
    return calls


@pytest.fixture
def steps(tmp_path):
    rng = np.random.default_rng(0)
    data = terc.Trajectories(
        rng.integers(0, 2, (400, 5)),
        rng.integers(0, 2, 400),
        names=NAMES,
        episodes=np.repeat(np.arange(40), 10),
    )
    data.save(tmp_path / "steps.parquet")
    return tmp_path / "steps.parquet"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "plain.csv"
    path.write_text(
        "a,b,u,v,ep\n" + "".join(f"{i % 2},{i % 3},{i % 2},{i % 5},{i // 10}\n" for i in range(40))
    )
    return path


def ends(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        main([str(one) for one in arguments])
    output = capsys.readouterr()
    return caught.value.code, output.out, output.err


def test_a_saved_file_needs_no_further_word(asked, steps, capsys):
    code, out, err = ends(["select", steps], capsys)
    assert (code, err) == (0, "")
    assert "1 of 5 variables kept" in out
    data, settings = asked[0]
    assert data == terc.load(steps)
    assert settings == {
        "estimator": "auto",
        "method": "sequential",
        "alpha": 0.05,
        "n_jobs": 1,
        "seed": 0,
        "error_rate": "family",
        "target": "actions",
        "policies": "any",
        "steps": None,
        "progress": True,
    }


def test_every_option_reaches_select(asked, steps, capsys):
    arguments = "--estimator plugin --method naive --alpha 0.01 --min-effect 0.5 --seed 7 --jobs 3 --keep a"
    arguments += " --keep b --backend serial --error-rate discovery"
    names = [
        "--order",
        "b,a",
        "--order",
        "x, y",
        "--cost",
        "größe=1=2.5",
        "--group",
        "a,b",
        "--group",
        "x, y",
    ]
    code, _, err = ends(
        ["select", steps, *arguments.split(), *names, "--nominal", "b", "--drop", "two\nlines"], capsys
    )
    assert (code, err) == (0, "")
    data, settings = asked[0]
    assert data.names == ("a", "b", "x, y", "größe=1")
    assert data.nominal == {"b"}
    assert settings["estimator"] == "plugin"
    assert settings["method"] == "naive"
    assert settings["alpha"] == 0.01
    assert settings["min_effect"] == 0.5
    assert settings["order"] == ["b", "a", "x, y"]
    assert settings["costs"] == {"größe=1": 2.5}
    assert settings["groups"] == [["a", "b"], ["x, y"]]
    assert settings["keep"] == ["a", "b"]
    assert settings["n_jobs"] == 3
    assert settings["backend"] == "serial"
    assert settings["error_rate"] == "discovery"
    assert settings["seed"] == 7


def test_columns_of_a_plain_file(asked, table, capsys):
    code, _, _ = ends(["select", table, "--action", "u", "--action", "v", "--episode", "ep"], capsys)
    data, _ = asked[0]
    assert code == 0
    assert data.names == ("a", "b")
    assert data.n_episodes == 4
    assert len(data.action_labels) == 10


def test_random_order(asked, steps, capsys):
    ends(["select", steps, "--order", "random"], capsys)
    assert asked[0][1]["order"] == "random"


def test_json_is_all_there_is_on_stdout_and_strict(asked, steps, capsys):
    code, out, err = ends(["select", steps, "--json"], capsys)
    assert (code, err) == (0, "")
    record = json.loads(out, parse_constant=lambda token: pytest.fail(f"{token} is not JSON"))
    assert record["kept"] == ["a"]
    assert record["information"] is None
    assert [verdict["name"] for verdict in record["verdicts"]] == NAMES


def test_doubts_are_on_the_terminal_and_in_the_json(monkeypatch, steps, capsys):
    doubt = Note("doubt", "low-share", "the kept variables hold only 60 % of the information.")
    monkeypatch.setattr(terc, "select", lambda data, **_: replace(answer(data.names), notes=(doubt,)))
    assert "doubt: the kept variables hold only 60 %" in ends(["select", steps], capsys)[1]
    record = json.loads(ends(["select", steps, "--json"], capsys)[1])
    assert record["notes"] == [{"kind": "doubt", "code": "low-share", "text": doubt.text}]


def test_out_writes_the_result_for_people_and_machines(asked, steps, tmp_path, capsys):
    folder = tmp_path / "new" / "folder"
    code, out, _ = ends(["select", steps, "--out", folder], capsys)
    assert code == 0
    assert "variables kept" in out
    assert out.endswith(f"saved in {folder}; a page of it: terc report {folder}\n")
    assert terc.Selection.load(folder / "selection.json").kept == ("a",)
    import pandas as pd

    frame = pd.read_csv(folder / "selection.csv")
    assert frame["name"].tolist() == NAMES
    assert frame["kept"].tolist() == [True, False, False, False, False]


def test_an_answer_that_cannot_be_written_is_shown(asked, steps, tmp_path, capsys):
    (tmp_path / "out" / "selection.json").mkdir(parents=True)
    code, out, err = ends(["select", steps, "--out", tmp_path / "out", "--json"], capsys)
    assert (code, json.loads(out)["verdicts"][0]["name"]) == (2, "a")
    assert err.count("\n") == 1 and "cannot write" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["{table}"],
            "name the column of the actions, action=... (--action). Available: a, b, u, v, ep",
        ),
        (["{table}", "--action", "w"], "no column named 'w'. Available: a, b, u, v, ep"),
        (["{table}", "--action", "u", "--episode", "e"], "no column named 'e'"),
        (["{table}", "--action", "u", "--episode", "b"], "starts again at row 3"),
        (["{table}", "--action", "u", "--nominal", "w"], "no variable named 'w'"),
        (["{table}", "--action", "u", "--drop", "w"], "no column named 'w'"),
        (["{steps}", "--order", "a,c"], "--order: no variable named 'c'"),
        (["{steps}", "--keep", "c"], "--keep: no variable named 'c'"),
        (["{steps}", "--group", "a,c"], "--group: no variable named 'c'"),
        (["{steps}", "--cost", "c=1"], "--cost: no variable named 'c'"),
        (["{steps}", "--cost", "a"], "--cost: wanted name=number, got 'a'"),
        (["{steps}", "--cost", "a=cheap"], "--cost: wanted name=number, got 'a=cheap'"),
        (["{steps}", "--cost", "a=1", "--cost", "a=2"], "--cost: 'a' comes twice"),
        (["{steps}", "--out", "{steps}"], "--out: cannot make the folder"),
        (["missing.parquet"], "there is no file missing.parquet"),
        (["notes.doc"], "should end in one of .parquet, .csv, .npz"),
        (["minari:no/such-v0"], "no readable Minari data set 'no/such-v0'"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    arguments, message, asked, steps, table, capsys, monkeypatch, tmp_path
):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    arguments = [one.format(steps=steps, table=table) for one in arguments]
    code, out, err = ends(["select", *arguments], capsys)
    assert code == 2
    assert out == ""
    assert err.startswith("terc: ")
    assert err.count("\n") == 1
    for part in message.split(".* "):
        assert part in err
    assert not asked


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--estimator", "tarot"], "no estimator named 'tarot'. Available: "),
        (["--method", "guess"], "no method named 'guess'. Available: "),
        (["--alpha", "7"], "alpha"),
        (["--min-effect", "-1"], "min_effect"),
        (["--jobs", "0"], "n_jobs: wanted at least 1 worker"),
        (["--seed", "-3"], "select: seed must be a whole number of at least 0, got -3"),
    ],
)
def test_settings_that_select_itself_refuses(arguments, message, steps, capsys):
    code, out, err = ends(["select", steps, *arguments], capsys)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_damaged_file(tmp_path, capsys):
    (tmp_path / "steps.parquet").write_bytes(b"PAR1 and nothing more")
    code, out, err = ends(["select", tmp_path / "steps.parquet", "--action", "a"], capsys)
    assert (code, out) == (2, "")
    assert "cannot be read, it may be damaged" in err
    assert err.count("\n") == 1


def test_interruption_is_one_line_and_exit_130(monkeypatch, steps, capsys):
    def interrupted(*_arguments, **_settings):
        raise KeyboardInterrupt

    monkeypatch.setattr(terc, "select", interrupted, raising=False)
    assert ends(["select", steps], capsys) == (130, "", "terc: interrupted.\n")


def test_a_real_interruption(steps):
    script = (
        "import signal, terc, terc.cli.main\n"
        "terc.select = lambda *a, **k: signal.raise_signal(signal.SIGINT)\n"
        f"terc.cli.main.main(['select', {str(steps)!r}])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "terc: interrupted.\n")


def test_warnings_are_short_notes_on_stderr(monkeypatch, steps, capsys):
    def warns(data, **_settings):
        warnings.warn("select: the action never changes.", TercWarning, stacklevel=2)
        warnings.warn("some library is old", FutureWarning, stacklevel=2)
        return answer(data.names)

    monkeypatch.setattr(terc, "select", warns, raising=False)
    code, _, err = ends(["select", steps], capsys)
    assert (code, err) == (0, "terc: note: select: the action never changes.\n")


def test_a_bar_on_a_terminal_only(monkeypatch, steps, capsys):
    def reports(data, *, progress, **_settings):
        with reporting(progress) as report:
            report(1, 3, "[bold]round 1")
            report(3, 3, "round 2")
        return answer(data.names)

    monkeypatch.setattr(terc, "select", reports, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    code, out, err = ends(["select", steps, "--json"], capsys)
    assert code == 0
    assert json.loads(out)["kept"] == ["a"]
    assert "3 of 3, round 2" in err
    code, out, err = ends(["select", steps, "--json", "--quiet"], capsys)
    assert (code, err) == (0, "")


def test_the_whole_way_on_an_exclusive_or(tmp_path, capsys):
    rng = np.random.default_rng(5)
    a, b, noise = rng.integers(0, 2, (3, 2000))
    data = terc.Trajectories(
        np.stack([a, b, noise], 1), a ^ b, names=["left", "right", "noise"], episodes=np.arange(2000) // 10
    )
    data.save(tmp_path / "steps.npz")
    code, out, err = ends(["select", tmp_path / "steps.npz", "--json"], capsys)
    assert (code, err) == (0, "")
    assert json.loads(out)["kept"] == ["left", "right"]


def test_several_recordings_and_another_target(tmp_path, capsys):
    def kept(*arguments):
        code, out, _ = ends(["select", *arguments, "--estimator", "plugin", "--json"], capsys)
        return json.loads(out)["kept"] if code == 0 else code

    rng = np.random.default_rng(0)
    for name in "ab":
        bits = rng.integers(0, 2, (400, 3))
        data = terc.Trajectories(
            bits,
            bits[:, 0] if name == "a" else bits[:, 1],
            episodes=np.arange(400) // 10,
            rewards=bits[:, 2] * 1.0,
        )
        data.save(tmp_path / f"{name}.parquet")
    files = [str(tmp_path / "a.parquet"), str(tmp_path / "b.parquet")]
    assert kept(*files) == kept(str(tmp_path)) == ["x_0", "x_1"]
    assert kept(*files, "--policies", "all") == []
    assert kept(*files, "--target", "reward") == ["x_2"]
