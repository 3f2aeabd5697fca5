"""The columns of common Gymnasium environments, in words; per environment one entry for each known length."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Names = tuple[str, ...]


def _angles_and_velocities(first: Sequence[str], joints: Iterable[str], root: Sequence[str]) -> Names:
    """MuJoCo's usual order: root positions, joint angles, root velocities, joint velocities."""
    joints = tuple(joints)
    angles = tuple(f"{joint}_angle" for joint in joints)
    velocities = tuple(f"{joint}_velocity" for joint in joints)
    return (*first, *angles, *root, *velocities)


_ROOT_2D = ("torso_height", "torso_angle")
_ROOT_2D_VELOCITY = ("forward_velocity", "vertical_velocity", "torso_angular_velocity")
_LEGS = ("right_thigh", "right_leg", "right_foot", "left_thigh", "left_leg", "left_foot")
_CHEETAH = ("back_thigh", "back_shin", "back_foot", "front_thigh", "front_shin", "front_foot")
_ANT = tuple(
    f"{leg}_{joint}"
    for leg in ("front_left", "front_right", "back_left", "back_right")
    for joint in ("hip", "ankle")
)
_ANT_ROOT = ("torso_height", *(f"torso_orientation_{axis}" for axis in "wxyz"))
_ANT_ROOT_VELOCITY = tuple(
    f"torso_{kind}_{axis}" for kind in ("velocity", "angular_velocity") for axis in "xyz"
)
_ANT_NAMES = _angles_and_velocities(_ANT_ROOT, _ANT, _ANT_ROOT_VELOCITY)
_ARM = (
    "shoulder_pan",
    "shoulder_lift",
    "upper_arm_roll",
    "elbow",
    "forearm_roll",
    "wrist_flex",
    "wrist_roll",
)

_LANDER = (
    "x",
    "y",
    "x_velocity",
    "y_velocity",
    "angle",
    "angular_velocity",
    "left_leg_contact",
    "right_leg_contact",
)
_WALKER = (
    "hull_angle",
    "hull_angular_velocity",
    "horizontal_velocity",
    "vertical_velocity",
    *(
        f"{leg}_{part}"
        for leg in ("leg_1", "leg_2")
        for part in ("hip_angle", "hip_velocity", "knee_angle", "knee_velocity", "contact")
    ),
    *(f"lidar_{k}" for k in range(10)),
)

KNOWN_NAMES: dict[str, tuple[Names, ...]] = {
    "CartPole": (("cart_position", "cart_velocity", "pole_angle", "pole_velocity"),),
    "MountainCar": (("position", "velocity"),),
    "MountainCarContinuous": (("position", "velocity"),),
    "Acrobot": (
        (
            "cos_angle_1",
            "sin_angle_1",
            "cos_angle_2",
            "sin_angle_2",
            "angular_velocity_1",
            "angular_velocity_2",
        ),
    ),
    "Pendulum": (("cos_angle", "sin_angle", "angular_velocity"),),
    "LunarLander": (_LANDER,),
    "LunarLanderContinuous": (_LANDER,),
    "BipedalWalker": (_WALKER,),
    "BipedalWalkerHardcore": (_WALKER,),
    "InvertedPendulum": (("cart_position", "pole_angle", "cart_velocity", "pole_velocity"),),
    "InvertedDoublePendulum": tuple(
        (
            "cart_position",
            *("sin_angle_1", "sin_angle_2", "cos_angle_1", "cos_angle_2"),
            *("cart_velocity", "angular_velocity_1", "angular_velocity_2"),
            *constraint,
        )
        for constraint in (("constraint_force",), tuple(f"constraint_force_{k}" for k in range(3)))
    ),
    "Reacher": tuple(
        (
            *("cos_angle_1", "cos_angle_2", "sin_angle_1", "sin_angle_2", "target_x", "target_y"),
            *("angular_velocity_1", "angular_velocity_2"),
            *(f"fingertip_to_target_{axis}" for axis in axes),
        )
        for axes in ("xy", "xyz")
    ),
    "Pusher": (
        _angles_and_velocities((), _ARM, ())
        + tuple(f"{part}_{axis}" for part in ("fingertip", "object", "goal") for axis in "xyz"),
    ),
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
