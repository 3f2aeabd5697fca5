"""Registers our environments with Gymnasium by name; their code is imported when one is made."""

import sys


def register() -> None:
    """Register `terc/SecretKey-v0` and `terc/TitForNTats-v0` with Gymnasium; calling it again does nothing.

    Example:
        >>> import gymnasium
        >>> register()
        >>> gymnasium.make("terc/SecretKey-v0", keys=25).action_space
        Discrete(81)
    """
    import gymnasium

    known = {
        "terc/SecretKey-v0": ("secret_key:SecretKey", None),
        "terc/TitForNTats-v0": ("prisoners_dilemma:TitForNTats", 1000),
    }
    for name, (place, longest) in known.items():
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point=f"terc.environments.{place}",
                vector_entry_point=f"terc.environments.{place}Vector",
                max_episode_steps=longest,
            )


def register_if_gymnasium_is_loaded() -> None:
    """Register the environments now, unless that would mean to import Gymnasium."""
    if hasattr(sys.modules.get("gymnasium"), "registry"):
        register()
