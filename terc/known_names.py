"""Names of the columns of common Gymnasium environments, whose spaces have none."""

from collections.abc import Sequence

Names = tuple[str, ...]


def _angles_and_velocities(first: Sequence[str], joints: Sequence[str], root: Sequence[str]) -> Names:
    """MuJoCo's usual order: root positions, joint angles, root velocities, joint velocities."""
    return (*first, *(f"{one}_angle" for one in joints), *root, *(f"{one}_velocity" for one in joints))


def _parts(first: str, last: str) -> Names:
    """Every combination of a word of `first` and one of `last`."""
    return tuple(f"{one}_{other}" for one in first.split() for other in last.split())


_ROOT_2D = ("torso_height", "torso_angle")
_ROOT_2D_VELOCITY = ("forward_velocity", "vertical_velocity", "torso_angular_velocity")
_LEGS = _parts("right left", "thigh leg foot")
_CHEETAH = _parts("back front", "thigh shin foot")
_ANT_NAMES = _angles_and_velocities(
    ("torso_height", *_parts("torso_orientation", "w x y z")),
    _parts("front_left front_right back_left back_right", "hip ankle"),
    _parts("torso_velocity torso_angular_velocity", "x y z"),
)
_ARM = (
    *_parts("shoulder", "pan lift"),
    "upper_arm_roll",
    "elbow",
    "forearm_roll",
    *_parts("wrist", "flex roll"),
)
_LANDER = (
    *("x", "y", "x_velocity", "y_velocity", "angle", "angular_velocity"),
    *_parts("left_leg right_leg", "contact"),
)
_WALKER = (
    *["hull_angle", "hull_angular_velocity", "horizontal_velocity", "vertical_velocity"],
    *_parts("leg_1 leg_2", "hip_angle hip_velocity knee_angle knee_velocity contact"),
    *(f"lidar_{k}" for k in range(10)),
)

KNOWN_NAMES: dict[str, tuple[Names, ...]] = {
    "CartPole": (("cart_position", "cart_velocity", "pole_angle", "pole_velocity"),),
    "MountainCar": (("position", "velocity"),),
    "MountainCarContinuous": (("position", "velocity"),),
    "Acrobot": (
        ("cos_angle_1", "sin_angle_1", "cos_angle_2", "sin_angle_2", *_parts("angular_velocity", "1 2")),
    ),
    "Blackjack": (("player_sum", "dealer_card", "usable_ace"),),
    "Pendulum": (("cos_angle", "sin_angle", "angular_velocity"),),
    "LunarLander": (_LANDER,),
    "LunarLanderContinuous": (_LANDER,),
    "BipedalWalker": (_WALKER,),
    "BipedalWalkerHardcore": (_WALKER,),
    "InvertedPendulum": (("cart_position", "pole_angle", "cart_velocity", "pole_velocity"),),
    "InvertedDoublePendulum": tuple(
        (
            *("cart_position", *_parts("sin_angle cos_angle", "1 2")),
            *("cart_velocity", *_parts("angular_velocity", "1 2")),
            *constraint,
        )
        for constraint in (("constraint_force",), _parts("constraint_force", "0 1 2"))
    ),
    "Reacher": tuple(
        (
            *_parts("cos_angle sin_angle", "1 2"),
            *("target_x", "target_y", *_parts("angular_velocity", "1 2")),
            *_parts("fingertip_to_target", axes),
        )
        for axes in ("x y", "x y z")
    ),
    "Pusher": (_angles_and_velocities((), _ARM, ()) + _parts("fingertip object goal", "x y z"),),
    "Swimmer": (
        _angles_and_velocities(
            ("front_angle",), ("rotor_1", "rotor_2"), ("x_velocity", "y_velocity", "front_angular_velocity")
        ),
    ),
    "Hopper": (_angles_and_velocities(_ROOT_2D, ("thigh", "leg", "foot"), _ROOT_2D_VELOCITY),),
    "HalfCheetah": (_angles_and_velocities(_ROOT_2D, _CHEETAH, _ROOT_2D_VELOCITY),),
    "Walker2d": (_angles_and_velocities(_ROOT_2D, _LEGS, _ROOT_2D_VELOCITY),),
    "Ant": (_ANT_NAMES, (*_ANT_NAMES, *(f"contact_force_{k}" for k in range(78)))),
}
"""Environment -> the names of its columns, once for each number of columns that is known."""


def known_names(environment: str, columns: int) -> Names | None:
    """Names of the columns of an environment (without its version), if there are as many.

    Example:
        >>> known_names("Pendulum", 3), known_names("Pendulum", 4)
        (('cos_angle', 'sin_angle', 'angular_velocity'), None)
    """
    # One environment's versions differ in length at times; the list then holds one entry per length.
    return next((names for names in KNOWN_NAMES.get(environment, ()) if len(names) == columns), None)
