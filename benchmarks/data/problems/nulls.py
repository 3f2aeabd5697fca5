"""Nulls: actions that depend on none of the columns, however alike the two move."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from problems.series import in_order, runs
from terc.arrays import Floats
from terc.checks import one_of
from terc.seeding import generator
from terc.synthetic.columns import at_least, by_odds, draw, labelled
from terc.synthetic.labelled import Labelled
from terc.synthetic.series import smooth

COLUMNS = ("independent", "ar", "walk", "trend", "constant")


def nulls(  # noqa: PLR0913  (each is one property of the null; all but the size are keywords)
    n: int = 5_000,
    *,
    seed: int = 0,
    columns: str = "mixed",
    episodes: int = 60,
    effect: float = 0.0,
    drift: float = 0.0,
    slow: float = 0.0,
    continuous: bool = False,
    tails: float = 0.0,
    count: int = 12,
) -> Labelled:
    """`count` columns and an action that knows nothing of them.

    Args:
        columns: "independent", "ar" (each step keeps 0.99), "walk" (random walks from each episode's
            beginning), "trend" (a slope of its own in each episode), "constant" (within an episode), or
            "mixed": these by turns.
        effect: Spread of an unrecorded effect of the episode on the action's log-odds (or mean).
        drift: Spread of a slow drift across episodes of the action, and of another one of each column.
        slow: Share that the action's own unrecorded cause keeps of the step before; 0 for none.
        tails: Degrees of freedom of Student's t from which the number is drawn; 0 for a normal.
    """
    one_of((*COLUMNS, "mixed"))("nulls", "columns", columns)
    at_least("nulls", "episodes", episodes, 1)
    rng = generator(seed)
    length = -(-n // episodes)
    total, numbers = runs(n, length)
    kinds = COLUMNS if columns == "mixed" else (columns,)
    series = [_column(kinds[k % len(kinds)], length, total, rng=rng) for k in range(count)]
    states = np.column_stack([in_order(values, n) for values in series])
    score = effect * rng.standard_normal(total)[numbers]
    if slow:
        score += 1.5 * in_order(smooth((length, total, 1), slow, rng=rng), n)[:, 0]
    if drift:
        drifts = smooth((total, 1, count + 1), 0.97, rng=rng)[numbers, 0]
        score += drift * drifts[:, 0]
        states += drift * states.std(axis=0) * drifts[:, 1:]
    luck = rng.standard_t(tails, n) if tails else rng.standard_normal(n)
    actions = score + luck if continuous else draw(by_odds(score), rng=rng)
    names = [f"noise_{k}" for k in range(count)]
    return labelled(dict(zip(names, states.T, strict=True)), actions, (), rng=rng, episodes=numbers)


def _column(kind: str, length: int, episodes: int, *, rng: np.random.Generator) -> Floats:
    """One column `[length, episodes]` of a kind."""
    if kind == "independent":
        return rng.standard_normal((length, episodes))
    if kind == "ar":
        return smooth((length, episodes, 1), 0.99, rng=rng)[:, :, 0]
    if kind == "walk":
        return np.cumsum(rng.standard_normal((length, episodes)), axis=0)
    if kind == "trend":
        slope = 1 + rng.standard_normal(episodes)
        return np.linspace(0, 4, length)[:, None] * slope + 0.3 * rng.standard_normal((length, episodes))
    return np.tile(rng.standard_normal(episodes), (length, 1))


def _case(columns: str, episodes: int, **settings: Any) -> tuple[str, Callable[..., Labelled]]:
    """A name that says what is in it, and the data set."""
    words = {
        "effect": "effect",
        "drift": "drift",
        "slow": "slow action",
        "continuous": "continuous action",
        "tails": "heavy tails",
    }
    said = [columns, f"{episodes} episode{'s' if episodes > 1 else ''}", *(words[key] for key in settings)]
    return ", ".join(said), partial(nulls, columns=columns, episodes=episodes, **settings)


NULLS: dict[str, Callable[..., Labelled]] = dict(
    [
        *(_case("independent", episodes) for episodes in (12, 60)),
        *(_case("independent", episodes, effect=1.0) for episodes in (30, 200)),
        *(_case("ar", episodes, effect=1.0) for episodes in (12, 60)),
        *(_case("ar", episodes) for episodes in (30, 200)),
        *(_case("walk", episodes) for episodes in (12, 60)),
        *(_case("walk", episodes, effect=1.0) for episodes in (30, 200)),
        *(_case("trend", episodes, effect=1.0) for episodes in (12, 60)),
        *(_case("trend", episodes) for episodes in (30, 200)),
        *(_case("constant", episodes) for episodes in (12, 30, 60, 200)),
        *(_case("constant", episodes, effect=1.0) for episodes in (12, 60, 200)),
        *(_case("mixed", episodes) for episodes in (12, 60)),
        *(_case("mixed", episodes, effect=1.0) for episodes in (12, 30, 60, 200)),
        *(_case(columns, 1, slow=0.95) for columns in ("independent", "ar", "walk", "trend")),
        *(_case("mixed", episodes, drift=1.0) for episodes in (12, 30, 60, 200)),
        _case("ar", 30, slow=0.97),
        _case("walk", 60, slow=0.97),
        _case("ar", 60, effect=1.0, continuous=True),
        _case("independent", 200, continuous=True),
        _case("mixed", 60, continuous=True, tails=2.0),
    ]
)
"""42 null data sets by name: the right answer of each is to keep nothing."""

NULLS_SET_ASIDE: dict[str, Callable[..., Labelled]] = dict(
    [
        _case("independent", 60, effect=1.0),
        _case("ar", 200, effect=1.0),
        _case("constant", 30, effect=1.0),
        _case("trend", 12, slow=0.97),
        _case("walk", 1),
        _case("constant", 60, drift=1.0),
        _case("constant", 12, effect=1.0, continuous=True),
        _case("mixed", 30, effect=1.0, continuous=True),
        _case("walk", 30, drift=1.0, continuous=True),
        _case("mixed", 200, slow=0.97),
    ]
)
"""Ten more, for final tables: never tune on these."""
