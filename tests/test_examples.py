from pathlib import Path

import terc
from terc import synthetic

EXAMPLES = Path(__file__).parent.parent / "examples"


def test_the_shipped_secret_key_data_are_what_the_script_makes():
    data = terc.load(EXAMPLES / "data" / "secret_key.parquet")
    assert data == synthetic.secret_keys(10_000, seed=2, keys=25).data
    assert (EXAMPLES / "data" / "secret_key.parquet").stat().st_size < 500_000


def test_examples_are_short():
    for path in EXAMPLES.glob("*.py"):
        assert len(path.read_text(encoding="utf8").splitlines()) < 60, path.name
