"""The catalogue of kinds: one name per mechanism by which an action depends on variables.

`KINDS` may be looked at while a method is made. `KINDS_SET_ASIDE` is for final tables: never tune on it.
The split was made by name before anything was run.
"""

from collections.abc import Callable

from terc.synthetic import (
    contexts,
    controllers,
    encodings,
    frames,
    gates,
    policies,
    scales,
    torques,
    wiggles,
)
from terc.synthetic.labelled import Labelled


def _by_name(*kinds: Callable[..., Labelled]) -> dict[str, Callable[..., Labelled]]:
    return {kind.__name__: kind for kind in kinds}


KINDS = _by_name(
    wiggles.comb, wiggles.wave_torque, wiggles.room_and_place, wiggles.proxy_of_a_wiggle,
    frames.stacked_positions, frames.many_lags, frames.setpoint_error, frames.delayed_sensor,
    gates.rare_gate, gates.unbalanced_xor, gates.triple_sign, gates.same_label,
    encodings.label_and_one_hot, encodings.integer_labels, encodings.angle_twice,
    scales.units, scales.heavy_tails, scales.rounded_copy,
    policies.weak_network_input, policies.nearest_prototype, policies.soft_targets,
    controllers.lidar, controllers.deadband,
    torques.saturated_torque, torques.arm_with_stops, torques.spread_only, torques.multi_discrete,
    torques.many_levels, torques.coupled_torques,
    contexts.one_long_episode, contexts.few_long_episodes, contexts.context_per_episode,
    contexts.sticky_bits, contexts.unrecorded_mood, contexts.repeated_reference, contexts.alternating_arm,
    gates.many_weak, gates.comb_and_velocity,
    torques.air_resistance, torques.attitude, torques.second_sensors,
    encodings.places_and_light, contexts.own_turn, frames.tracked_or_none,
    wiggles.sum_modulo_one, encodings.bits_of_two_bytes,
    policies.last_action_recorded, policies.mate_that_follows,
)  # fmt: skip
"""48 kinds, 10,000 steps each by default."""

KINDS_SET_ASIDE = _by_name(
    wiggles.time_of_day, wiggles.tilted_stripes,
    frames.acceleration, frames.memory_lags,
    gates.mode_switch, gates.modular_sum, gates.deep_tree,
    encodings.many_level_label, encodings.packed_bits,
    scales.sum_beside_parts, scales.noisy_sensors,
    policies.ensemble_vote,
    controllers.nearest_target, controllers.thermostat,
    torques.thrusters, torques.two_humps, torques.shell,
    contexts.drifting_world, contexts.sensor_offset,
    gates.line_and_label, gates.switched_lines,
    wiggles.rings, policies.filtered_action,
)  # fmt: skip
"""23 kinds that nothing is tuned on."""
