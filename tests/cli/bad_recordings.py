"""Bad and odd recordings of any length, each with the words of the one line that answers it."""

import datetime
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq


@dataclass(frozen=True)
class Recordings:
    """Recordings of `n` steps, four row groups each."""

    n: int

    @property
    def plain(self):
        steps = np.arange(self.n)
        return {
            "speed": np.linspace(0, 1, self.n) ** 2,
            "angle": np.sin(steps),
            "act": steps % 3,
            "episode": steps // (self.n // 10),
        }

    @property
    def days(self):
        begin = datetime.datetime(2024, 1, 1)
        return [begin + datetime.timedelta(hours=i) for i in range(self.n)]

    def parquet(self, **changes):
        def write(folder):
            table = pa.table(
                self.plain
                | {name: made(self.n) if callable(made) else made for name, made in changes.items()}
            )
            pq.write_table(table, folder / "steps.parquet", row_group_size=self.n // 4)
            return folder / "steps.parquet"

        return write

    def lines(self, header, *rows):
        """A .csv of plain rows, in which `rows` come last."""

        def write(folder):
            plain = ["1,0", "2,1"] * (self.n // 2) if len(rows) else []
            content = "\n".join([header, *plain, *rows]) + "\n"
            return text(content)(folder)

        return write

    def arrays(self, **values):
        def write(folder):
            np.savez(folder / "steps.npz", act=np.zeros(self.n), **values)
            return folder / "steps.npz"

        return write

    def parts(self, *changes):
        def write(folder):
            for k, changed in enumerate(changes):
                pq.write_table(pa.table(changed(self.plain)), folder / f"part-{k}.parquet")
            return folder

        return write

    def damaged(self, cut=None, flip=None):
        """A file cut short, or with one row group overwritten."""

        def write(folder):
            path = self.parquet()(folder)
            content = bytearray(path.read_bytes())
            if cut is not None:
                content = content[:cut]
            if flip is not None:
                begin = pq.ParquetFile(path).metadata.row_group(flip).column(0).dictionary_page_offset
                content[begin : begin + 400] = b"\xff" * 400
            path.write_bytes(content)
            return path

        return write

    def one_bad_part(self, folder):
        self.parts(dict, dict)(folder)
        (folder / "part-1.parquet").write_bytes(b"PAR1 not really")
        return folder

    def with_gap(self, name, value=None):
        values = [value if i == 7 else v for i, v in enumerate(self.plain[name].tolist())]
        return self.parquet(**{name: pa.array(values)})

    def described(self, folder):
        """Saved by terc, and then a column was taken out."""
        import terc

        path, plain = folder / "steps.parquet", self.plain
        states = np.column_stack([plain["speed"], plain["angle"]])
        terc.Trajectories(states, plain["act"], names=["speed", "angle"]).save(path)
        pq.write_table(pq.read_table(path).drop_columns(["angle"]), path)
        return path


def text(content, name="steps.csv"):
    def write(folder):
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return folder / name

    return write


def array_alone(folder):
    np.save(folder / "steps.npy", np.zeros(3))
    return (folder / "steps.npy").rename(folder / "steps.npz")


def no_arrays(folder):
    import h5py

    h5py.File(folder / "steps.hdf5", "w").close()
    return folder / "steps.hdf5"


def cases(n):
    """Name -> how the file is made, further words of the command, and words of the answer."""
    made = Recordings(n)
    parquet, arrays, with_gap = made.parquet, made.arrays, made.with_gap
    return {
        "no file": (lambda folder: folder / "none.parquet", "", "there is no file"),
        "another kind": (text("x", "steps.xlsx"), "", "should end in one of .parquet, .csv, .npz, .hdf5"),
        "empty folder": (lambda folder: folder, "", "holds no recording; wanted files"),
        "empty file": (text(b"", "steps.parquet"), "", "cannot be read, it may be damaged"),
        "half a file": (made.damaged(cut=900), "", "cannot be read, it may be damaged"),
        "a damaged row group": (
            made.damaged(flip=2),
            "--episode episode",
            f"is damaged: row group 3 of 4 ({n // 4:,} steps) cannot be read",
        ),
        "a damaged part": (made.one_bad_part, "", "part-1.parquet cannot be read, it may be damaged"),
        "parts with other columns": (
            made.parts(dict, lambda plain: {"sped": plain.pop("speed"), **plain}),
            "",
            "have different columns: part-1.parquet lacks ['speed'] and has ['sped'] besides",
        ),
        "parts of other kinds": (
            made.parts(dict, lambda plain: plain | {"speed": ["fast"] * n}),
            "",
            "hold different kinds of values",
        ),
        "no action named": (
            parquet(),
            "--action",
            "name the column of the actions, action=... (--action). Available: ",
        ),
        "wrong action": (
            parquet(),
            "--action acts",
            "no column named 'acts'. Did you mean 'act'? Available: speed, angle, act, ",
        ),
        "closest name": (parquet(), "--episode Epsiode", "Did you mean 'episode'?"),
        "wrong reward": (parquet(), "--reward pay", "no column named 'pay'"),
        "wrong sort": (parquet(), "--sort time", "no column named 'time'"),
        "wrong drop": (parquet(), "--drop sped", "no column named 'sped'. Did you mean 'speed'? Available: "),
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
        "reward as variable": (
            parquet(reward=np.ones(n)),
            "",
            "'reward' would be known only after the action",
        ),
        "done as variable": (
            parquet(terminated=np.zeros(n, bool)),
            "",
            "ends of episodes with done= (--done)",
        ),
        "next state as variable": (
            parquet(next_obs_0=np.ones(n), next_obs_1=np.ones(n)),
            "",
            "'next_obs_0', 'next_obs_1' would be known only after the action",
        ),
        "dates": (
            parquet(when=made.days),
            "",
            "column 'when' holds dates or durations; order the steps by it with sort= (--sort), leave",
        ),
        "two columns of dates": (
            parquet(a_day=made.days, b_day=made.days),
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
            "missing: no way named 'mean'. Available: refuse, indicator",
        ),
        "gaps in the action": (with_gap("act"), "--missing indicator", "actions: cannot use missing"),
        "gaps in the episodes": (with_gap("episode"), "--episode episode", "episodes: cannot use missing"),
        "infinite": (with_gap("speed", float("inf")), "--missing indicator", "'speed' (1 infinite)"),
        "interleaved": (
            parquet(episode=np.arange(n) % 4),
            "--episode episode",
            "sort= (--sort COLUMN; the episode",
        ),
        "ends that are none": (parquet(), "--done angle", "done: column 'angle' should be true or false"),
        "text as reward": (
            parquet(pay=["much"] * n),
            "--reward pay",
            "rewards: wanted numbers, got text such as 'much'",
        ),
        "no steps asked": (parquet(), "--steps 0", "steps must be a whole number of at least 1, got 0"),
        "steps in words": (parquet(), "--steps many", "--steps: wanted a whole number or all, got 'many'"),
        "too few steps": (
            Recordings(20).parquet(),
            "--episode episode",
            "select: 20 steps cannot support a test",
        ),
        "ragged": (made.lines("speed,act", "2,1,5"), "", "Expected 2 columns, got 3"),
        "a line of units": (
            text("when,speed,act\n,m/s,\n" + "3,1.5,0\n4,2.5,1\n" * (n // 2)),
            "--sort when",
            "the line below the header holds ['m/s'], such as units, where the lines after it hold numbers",
        ),
        "header only": (made.lines("speed,act"), "", "wanted at least one step, got none"),
        "names twice": (made.lines("speed,speed,act"), "", "these come more than once: ['speed']"),
        "only a column without name": (made.lines(",act", "0,0"), "", "no variable is left"),
        "no text": (text(b"speed,act\n\x81\x8d,0\n"), "", "steps.csv cannot be read, it may be damaged"),
        "pickled": (
            arrays(x=np.array([{}] * n)),
            "",
            "holds pickled objects, which can run any code",
        ),
        "lengths": (arrays(x=np.zeros(n + 1)), "", f"x: wanted one for each of the {n} steps, got {n + 1}"),
        "images": (
            arrays(x=np.zeros((n, 8, 8), np.uint8)),
            "",
            f"'x' has shape ({n}, 8, 8); wanted [n] or [n, d], one row per step: no images, and episodes",
        ),
        "an array alone": (array_alone, "", "is a single array, not an .npz file"),
        "no arrays": (no_arrays, "", "steps.hdf5 holds no array"),
        "no hdf5": (text(b"nothing", "steps.h5"), "", "steps.h5 cannot be read, it may be damaged"),
        "uneven lists": (
            parquet(x=[*[[1.0, 2.0]] * 9, [1.0]] * (n // 10)),
            "",
            "whose lists differ in length; wanted 2 each",
        ),
        "structures": (parquet(x=[{"a": ["b"]}] * n), "", "column 'x.a' holds list<"),
        "large numbers": (
            parquet(key=2**60 + np.arange(n)),
            "",
            "column 'key' holds whole numbers beyond 2**53",
        ),
        "a column taken out": (
            made.described,
            "--action action",
            "steps.parquet was saved with ['angle'], which it no longer holds",
        ),
    }


def arguments(path, options):
    """The words of `terc select`; an option --action without a column stands for none at all."""
    if options == "--action":
        return ["select", str(path)]
    return ["select", str(path), *options.split(), *([] if "--action" in options else ["--action", "act"])]
