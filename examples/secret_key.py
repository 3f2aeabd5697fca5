"""Which of 25 keys does an expert of the Secret Key Game look at? Three of them make the secret.

In each game the 25 keys are numbers from 0 to 10, and the expert's guess is the height at zero of the
parabola through three of them. The other 22 are decoys. The data come from `make_secret_key_data.py`.
"""

from pathlib import Path

import terc

DATA = Path(__file__).parent / "data" / "secret_key.parquet"


def main() -> None:
    """Load the recorded games, select, print."""
    data = terc.load(DATA)
    print(f"{data}\n")
    selection = terc.select(data, seed=0)
    print(selection)


if __name__ == "__main__":
    main()
