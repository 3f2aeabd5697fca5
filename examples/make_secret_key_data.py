"""Writes examples/data/secret_key.parquet: 10,000 expert guesses in the Secret Key Game with 25 keys."""

from pathlib import Path

from terc import synthetic

PATH = Path(__file__).parent / "data" / "secret_key.parquet"


def main() -> None:
    """Draw the games and save them; same seed, same file."""
    game = synthetic.secret_keys(10_000, seed=2, keys=25)
    game.data.save(PATH)
    print(f"{game.data} in {PATH.name}, {PATH.stat().st_size / 1000:.0f} kB; the answer is {game.answers}")


if __name__ == "__main__":
    main()
