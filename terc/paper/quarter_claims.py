"""What the paper reads from the quarters of training, each reading as a question to our numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from terc.paper.claims import Claim
from terc.paper.quarters import gain, quarter_selections, share
from terc.selection.result import Selection
from terc.store import Store

Stages = Mapping[str, Selection]


@dataclass(frozen=True)
class QuarterReading:
    """One reading.

    Attributes:
        statement: What the paper reads, in our words.
        names: The variables whose gains are quoted.
        holds: Whether our numbers say so.
    """

    statement: str
    names: tuple[str, ...]
    holds: Callable[[Stages], bool]


def _rises(stages: Stages, names: Sequence[str], first: str, later: Sequence[str]) -> bool:
    return all(gain(stages[stage], [name]) > gain(stages[first], [name]) for name in names for stage in later)


CART = ("cart_position", "cart_velocity")
MOTION = ("x", "y", "x_velocity", "y_velocity")
# Gymnasium calls the cosine x and the sine y; the paper is taken to do the same.
SWING, UPRIGHT = ("sin_angle", "angular_velocity"), "cos_angle"
LEGS = ("left_leg_contact", "right_leg_contact")
READINGS: dict[str, tuple[QuarterReading, ...]] = {
    "cart-pole": (
        QuarterReading(
            "in the first quarter the actions depend on the angular velocity alone",
            ("pole_velocity", "pole_angle", *CART),
            lambda s: s["1"].kept == ("pole_velocity",),
        ),
        QuarterReading(
            "position and velocity of the cart count more in the second quarter than in the first",
            CART,
            lambda s: _rises(s, CART, "1", ("2",)),
        ),
        QuarterReading(
            "in the fourth quarter the position counts less than before",
            ("cart_position",),
            lambda s: gain(s["4"], ["cart_position"]) < gain(s["3"], ["cart_position"]),
        ),
        QuarterReading(
            "the expert depends more on the angle, less on the other three, than the fourth quarter",
            ("pole_angle", "pole_velocity", *CART),
            lambda s: (
                gain(s["expert"], ["pole_angle"]) > gain(s["4"], ["pole_angle"])
                and all(gain(s["expert"], [n]) < gain(s["4"], [n]) for n in ("pole_velocity", *CART))
            ),
        ),
    ),
    "lunar-lander": (
        QuarterReading(
            "in the first quarter the actions depend on the angle of the lander",
            ("angle", "angular_velocity"),
            lambda s: "angle" in s["1"].kept,
        ),
        QuarterReading(
            "position and speed count more in the second and third quarter",
            MOTION,
            lambda s: min(gain(s["2"], MOTION), gain(s["3"], MOTION)) > gain(s["1"], MOTION),
        ),
        QuarterReading(
            "in the last quarter and for the expert the contact of the legs counts more (share of all gains)",
            LEGS,
            lambda s: (
                min(share(s["4"], LEGS), share(s["expert"], LEGS))
                > max(share(s[q], LEGS) for q in ("1", "2", "3"))
            ),
        ),
    ),
    "pendulum": (
        QuarterReading(
            "in the first quarter all gains are negligible",
            ("cos_angle", "sin_angle", "angular_velocity"),
            lambda s: not s["1"].kept,
        ),
        QuarterReading(
            "in the second and third quarter y and the angular velocity count more",
            SWING,
            lambda s: _rises(s, SWING, "1", ("2", "3")),
        ),
        QuarterReading(
            "x counts more and more in the third and fourth quarter",
            (UPRIGHT,),
            lambda s: gain(s["4"], [UPRIGHT]) > gain(s["3"], [UPRIGHT]) > gain(s["2"], [UPRIGHT]),
        ),
    ),
}


def quarter_claims(store: Store, world: str, where: str) -> list[Claim]:
    """The paper's readings of one world, each with the gains that decide it."""
    stages = quarter_selections(store, f"{world}/0")
    return [
        Claim.checked(
            where,
            f"{world.replace('-', ' ').title()}: {reading.statement}.",
            _quoted(stages, reading.names),
            reading.holds(stages),
            "One agent of ours; another may go another way.",
        )
        for reading in READINGS[world]
    ]


def _quoted(stages: Stages, names: Sequence[str]) -> str:
    """Gains by stage, a star where the variable is kept."""

    def one(name: str) -> str:
        values = (f"{max(0.0, s[name].gain):.3f}{'*' * s[name].kept}" for s in stages.values())
        return f"{name} {' '.join(values)}"

    return f"gains in quarters 1 to 4 and expert (* kept): {'; '.join(one(name) for name in names)}"
