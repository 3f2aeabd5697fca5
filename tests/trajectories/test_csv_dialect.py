"""The same steps in every way in which people write tables as text."""

import csv

import numpy as np
import pandas as pd
import pytest

import terc
from terc.errors import BadTypeError, BadValueError, DataFileError
from terc.trajectories.csv_dialect import Dialect

N = 60
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame({"ep": np.arange(N) // 10, "x": RNG.normal(size=N).round(3), "a": np.arange(N) % 2})
ROLES = {"action": "a", "episode": "ep"}
WAYS = {
    "plain.csv": {},
    "semicolons.csv": {"sep": ";"},
    "decimal_commas.csv": {"sep": ";", "decimal": ","},
    "bars.csv": {"sep": "|"},
    "tabs.csv": {"sep": "\t"},
    "tabs.tsv": {"sep": "\t"},
    "packed.csv.gz": {},
    "windows.csv": {"lineterminator": "\r\n", "encoding": "utf-8-sig"},
    "quoted_commas.csv": {"decimal": ",", "quoting": csv.QUOTE_ALL},
    "spaces.csv": {"sep": " "},
    "spreadsheet.csv": {"sep": "\t", "encoding": "utf-16"},
}


@pytest.mark.parametrize("name", WAYS)
def test_every_way_reads_the_same(name, tmp_path):
    FRAME.to_csv(tmp_path / name, index=False, **WAYS[name])
    assert terc.load(tmp_path / name, **ROLES) == terc.Trajectories.from_frame(FRAME, **ROLES)


def test_a_spreadsheet_that_names_its_separator_and_names_with_spaces(tmp_path):
    text = FRAME.rename(columns={"x": " x", "a": " a "}).to_csv(index=False, sep=";", decimal=",")
    (tmp_path / "steps.csv").write_text("sep=;\n" + text, encoding="utf8")
    assert terc.load(tmp_path / "steps.csv", **ROLES) == terc.Trajectories.from_frame(FRAME, **ROLES)


@pytest.mark.parametrize(
    ("above", "line"),
    [
        ("Pump 7,,\n", r"the line \['Pump 7', '', ''\] does not name its columns; lines above"),
        (None, "holds numbers such as '[-.0-9]+', not names; add a header line"),
    ],
)
def test_the_first_line_is_no_header(above, line, tmp_path):
    text = FRAME[["ep", "a", "x"]].to_csv(index=False, header=above is not None)
    (tmp_path / "steps.csv").write_text((above or "") + text, encoding="utf8")
    with pytest.raises(DataFileError, match=line):
        terc.load(tmp_path / "steps.csv", **ROLES)


def test_numbers_with_a_few_strange_cells_are_no_labels():
    texts = FRAME.x.astype(str)
    for strange, line in (
        ("-", r"holds numbers, and '-' in 6 step\(s\).*empty these cells"),
        (None, "as text"),
    ):
        frame = FRAME.assign(x=texts.mask(FRAME.index % 10 == 0, strange) if strange else texts)
        with pytest.raises(BadTypeError, match=line):
            terc.Trajectories.from_frame(frame, **ROLES)
        assert terc.Trajectories.from_frame(frame, nominal=["x"], **ROLES).nominal == {"x"}
    codes = FRAME.assign(x=[f"{k % 12:02d}" for k in range(N)])
    assert terc.Trajectories.from_frame(codes, **ROLES).nominal == {"x"}


@pytest.mark.parametrize(
    ("number", "decimal"),
    [("{:,.2f}", "."), ("{:,.0f}", ","), ("{:,.2f}", ","), ("{:,.3f}", ".")],
)
@pytest.mark.parametrize("sign", ["", "'", "\u202f"])
def test_signs_between_thousands_that_can_be_nothing_else(number, decimal, sign, tmp_path):
    numbers = 37.25 * np.arange(N)
    signs = {",": sign or (set(",.") - {decimal}).pop(), ".": decimal}
    texts = ["".join(signs.get(c, c) for c in number.format(value)) for value in numbers]
    half = [f"{k / 2:.1f}".replace(".", decimal) for k in range(N)]
    pd.DataFrame({"a": np.arange(N) % 2, "half": half, "x": texts}).to_csv(
        tmp_path / "steps.csv", index=False, sep=";"
    )
    read = terc.load(tmp_path / "steps.csv", action="a")
    wanted = [float(number.format(value).replace(",", "")) for value in numbers]
    assert read.states[:, 1].tolist() == wanted and read.states[3, 0] == 1.5


@pytest.mark.parametrize("space", [" ", "\u00a0", "\u202f"])
def test_spaces_between_thousands_make_no_lists(space, tmp_path):
    rows = [f"1{space}{100 + k};0,5;{k % 2}" for k in range(150)] + ["950;0,5;0"]
    (tmp_path / "steps.csv").write_text("\n".join(["x;y;a", *rows]), encoding="utf8")
    read = terc.load(tmp_path / "steps.csv", action="a")
    assert read.names == ("x", "y") and read.states[[0, 149, 150], 0].tolist() == [1100, 1249, 950]


def test_a_cell_that_is_empty_among_thousands(tmp_path):
    (tmp_path / "steps.csv").write_text("a;x\n" + "1;1.234,5\n0;\n1;2,5\n" * 10, encoding="utf8")
    with pytest.raises(ValueError, match=r"'x' \(10 empty\)"):
        terc.load(tmp_path / "steps.csv", action="a")
    filled = terc.load(tmp_path / "steps.csv", action="a", missing="indicator")
    assert filled.states[:2].tolist() == [[1234.5, 0], [1234.5, 1]]


@pytest.mark.parametrize("date", ["%d.%m.%Y %H:%M", "%d/%m/%Y %H:%M:%S", "%m/%d/%Y", "%d-%m-%Y, %H:%M:%S.%f"])
def test_dates_that_do_not_begin_with_the_year(date, tmp_path):
    days = pd.date_range("2026-01-20 06:00", periods=N, freq="27h" if "H" in date else "1D")
    FRAME.assign(when=days.strftime(date)).sample(frac=1, random_state=0).to_csv(
        tmp_path / "steps.csv", index=False, sep=";"
    )
    read = terc.load(tmp_path / "steps.csv", action="a", sort="when", drop="ep")
    assert read.states[:, 0].tolist() == FRAME.x.tolist()
    with pytest.raises(BadTypeError, match="column 'when' holds dates or durations; order the steps by it"):
        terc.load(tmp_path / "steps.csv", sort="ep", **ROLES)


def test_dates_that_could_be_either_are_not_sorted_by(tmp_path):
    days = pd.date_range("2026-01-01", periods=12).strftime("%d/%m/%Y")
    FRAME.iloc[:12].assign(when=days).to_csv(tmp_path / "steps.csv", index=False)
    with pytest.raises(BadTypeError, match=r"text such as '01/01/2026', whose order is not that of time"):
        terc.load(tmp_path / "steps.csv", sort="when", **ROLES)


@pytest.mark.parametrize("separator", [",", ";"])
def test_thousands_are_no_decimals(separator, tmp_path):
    frame = FRAME.assign(x=[f"{37 * k:,}" for k in range(N)])
    frame.to_csv(tmp_path / "steps.csv", index=False, sep=separator)
    with pytest.raises(BadTypeError, match=r"as text, such as '1,[0-9]+'; write them like 1234.5"):
        terc.load(tmp_path / "steps.csv", **ROLES)
    (tmp_path / "three.csv").write_text("a;x\n" + "".join(f"{k % 2};{1 + k},125\n" for k in range(N)))
    assert terc.load(tmp_path / "three.csv", action="a").states[1, 0] == 2.125


def test_a_header_that_is_longer_than_the_first_look(tmp_path):
    frame = pd.DataFrame(
        RNG.normal(size=(12, 900)).round(3), columns=[f"välve {'x' * 70} {k}" for k in range(900)]
    )
    frame.assign(a=np.arange(12) % 2).to_csv(tmp_path / "wide.csv", index=False, sep=";", decimal=",")
    np.testing.assert_allclose(terc.load(tmp_path / "wide.csv", action="a").states, frame, atol=1e-6)


def test_letters_of_windows(tmp_path):
    frame = FRAME.rename(columns={"x": "Außen [°C]"}).assign(a="größer")
    frame.to_csv(tmp_path / "steps.csv", index=False, encoding="cp1252")
    data = terc.load(tmp_path / "steps.csv", **ROLES)
    assert data.names == ("Außen [°C]",) and data.action_labels == ("größer",)
    assert [note.code for note in data.notes] == ["encoding"]


def test_comments_above_the_header(tmp_path):
    (tmp_path / "steps.csv").write_text("# pump 3\n# 2024\n" + FRAME.to_csv(index=False), encoding="utf8")
    assert terc.load(tmp_path / "steps.csv", **ROLES).names == ("x",)


def test_an_index_without_a_name_is_no_variable(tmp_path):
    FRAME.to_csv(tmp_path / "steps.csv")
    data = terc.load(tmp_path / "steps.csv", **ROLES)
    assert data.names == ("x",) and "a column without a name labels the rows" in data.notes[0].text


@pytest.mark.parametrize("name", ["steps.feather", "steps.jsonl"])
def test_other_files_of_frames(name, tmp_path):
    write = {"steps.feather": FRAME.to_feather, "steps.jsonl": lambda path: path.write_text(
        FRAME.to_json(orient="records", lines=True), encoding="utf8")}  # fmt: skip
    write[name](tmp_path / name)
    assert terc.load(tmp_path / name, **ROLES) == terc.Trajectories.from_frame(FRAME, **ROLES)
    (tmp_path / name).write_bytes(b"\x00broken")
    with pytest.raises(DataFileError, match="cannot be read, it may be damaged"):
        terc.load(tmp_path / name, **ROLES)


def test_a_ragged_line_far_from_the_beginning(tmp_path):
    (tmp_path / "steps.csv").write_text("x,a\n" + "1,0\n" * 300_000 + "2,1,5\n")
    with pytest.raises(DataFileError, match=r"cannot be read.*Expected 2 columns, got 3"):
        terc.load(tmp_path / "steps.csv", action="a")


@pytest.mark.parametrize(
    "lines",
    [
        ["speed,mode,act", "n/a,idle,0", "1.5,run,1"],  # a value is missing
        ["speed,mode,act", "fast,idle,0", "slow,run,1"],  # words all the way
        ["mode,act", "idle,left", "run,right"],
        ["speed,side,act", "0.,left,0.", "1.5,right,1."],  # numbers as Fortran and R write them
        ["speed,act", "inf,0", "1.5,1"],
        ["speed,act", "fast,0", "1.5,1"],  # a strange cell beside a number: answered elsewhere
    ],
)
def test_words_below_the_header_that_are_no_units(lines):
    assert Dialect.of("\n".join(lines)).units == ()


def test_units_below_the_header():
    lines = ["t;level [m];valve;mode", ";m;%;", "1;0,5;3;auto", "2;0,7;4;auto"]
    assert Dialect.of("\n".join(lines)).units == ("m", "%")


def test_a_name_with_other_ends_of_lines_comes_back(tmp_path):
    data = terc.Trajectories([[0.5], [1.5]], [0, 1], names=["\t\x85"])
    data.save(tmp_path / "steps.csv")
    assert terc.load(tmp_path / "steps.csv") == data


@pytest.mark.parametrize("decimal", [".", ","])
@pytest.mark.parametrize("separator", [";", "\t", "|"])
@pytest.mark.parametrize("name", ["e,f", "level, m", "a, b, c"])
def test_a_comma_in_a_name_separates_nothing(name, separator, decimal, tmp_path):
    text = FRAME.rename(columns={"x": name}).to_csv(index=False, sep=separator, decimal=decimal)
    (tmp_path / "steps.csv").write_text(text.replace('"', ""), encoding="utf8")
    data = terc.load(tmp_path / "steps.csv", **ROLES)
    assert data.names == (name,) and data.states[:, 0].tolist() == FRAME.x.tolist()


@pytest.mark.parametrize("name", ["e;f", "a | b", "a b"])
def test_another_sign_in_a_name_separates_nothing(name, tmp_path):
    text = FRAME.rename(columns={"x": name}).to_csv(index=False)
    (tmp_path / "steps.csv").write_text(text.replace('"', ""), encoding="utf8")
    assert terc.load(tmp_path / "steps.csv", **ROLES).names == (name,)


def test_of_two_signs_that_fit_alike_the_one_with_more_cells_separates(tmp_path):
    (tmp_path / "steps.csv").write_text(
        "id|name,x,y\n" + "".join(f"1|foo,{k / 10},{k % 2}\n" for k in range(60))
    )
    assert terc.load(tmp_path / "steps.csv", action="y").names == ("id|name", "x")


def test_a_sign_by_which_a_header_is_one_long_cell_separates_nothing():
    names = ["a", "b;c", *(f"column_{k}" for k in range(12_000))]
    row = ",".join("0" for _ in names)
    assert Dialect.of("\n".join([",".join(names), row, row])).separator == ","


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize(("first", "last"), [(2**63 + 4096, ""), (2**70, ""), (2**53, "0.5")])
def test_large_whole_numbers_keep_their_digits(first, last, large, tmp_path, monkeypatch):
    monkeypatch.setattr("terc.trajectories.csv_table.LARGE_FILE", 0 if large else 1 << 28)
    cells = [*(str(first + k // 2) for k in range(6)), last or str(first + 3)]
    text = "".join(f"{k % 2},{cell},{k / 10}\n" for k, cell in enumerate(cells))
    (tmp_path / "steps.csv").write_text("a,e,x\n" + text)
    with pytest.raises(BadValueError, match="column 'e' holds whole numbers beyond"):
        terc.load(tmp_path / "steps.csv", action="a")
    assert terc.load(tmp_path / "steps.csv", action="a", episode="e").n_episodes == 4


def test_large_numbers_that_lose_nothing_are_numbers(tmp_path):
    cells = ["1e+300", "2.5", str(2**70), "-1e17"]
    text = "".join(f"{k % 2},{cell}\n" for k, cell in enumerate(cells))
    (tmp_path / "steps.csv").write_text("a,x\n" + text)
    assert terc.load(tmp_path / "steps.csv", action="a").states[:, 0].tolist() == [float(c) for c in cells]
