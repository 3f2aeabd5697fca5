"""The catalogue of kinds: one name per mechanism by which an action depends on variables.

`KINDS` may be looked at while a method is made. `KINDS_SET_ASIDE` is for final tables: never tune on it.
The split was made by name before anything was run.
"""

from __future__ import annotations

from collections.abc import Callable

from terc.synthetic.blends import comb_and_velocity, line_and_label, many_weak, switched_lines
from terc.synthetic.contexts import (
    context_per_episode,
    drifting_world,
    few_long_episodes,
    one_long_episode,
    sensor_offset,
    sticky_bits,
    unrecorded_mood,
)
from terc.synthetic.controllers import deadband, lidar, nearest_target, thermostat
from terc.synthetic.encodings import (
    angle_twice,
    integer_labels,
    label_and_one_hot,
    many_level_label,
    packed_bits,
)
from terc.synthetic.frames import (
    acceleration,
    delayed_sensor,
    many_lags,
    memory_lags,
    setpoint_error,
    stacked_positions,
)
from terc.synthetic.gates import (
    deep_tree,
    mode_switch,
    modular_sum,
    rare_gate,
    same_label,
    triple_sign,
    unbalanced_xor,
)
from terc.synthetic.geometry import air_resistance, attitude, second_sensors
from terc.synthetic.labelled import Labelled
from terc.synthetic.policies import ensemble_vote, nearest_prototype, soft_targets, weak_network_input
from terc.synthetic.scales import heavy_tails, noisy_sensors, rounded_copy, sum_beside_parts, units
from terc.synthetic.torques import (
    arm_with_stops,
    coupled_torques,
    many_levels,
    multi_discrete,
    saturated_torque,
    shell,
    spread_only,
    thrusters,
    two_humps,
)
from terc.synthetic.wiggles import (
    comb,
    proxy_of_a_wiggle,
    room_and_place,
    tilted_stripes,
    time_of_day,
    wave_torque,
)

KINDS: dict[str, Callable[..., Labelled]] = {
    "comb": comb,
    "wave_torque": wave_torque,
    "room_and_place": room_and_place,
    "proxy_of_a_wiggle": proxy_of_a_wiggle,
    "stacked_positions": stacked_positions,
    "many_lags": many_lags,
    "setpoint_error": setpoint_error,
    "delayed_sensor": delayed_sensor,
    "rare_gate": rare_gate,
    "unbalanced_xor": unbalanced_xor,
    "triple_sign": triple_sign,
    "same_label": same_label,
    "label_and_one_hot": label_and_one_hot,
    "integer_labels": integer_labels,
    "angle_twice": angle_twice,
    "units": units,
    "heavy_tails": heavy_tails,
    "rounded_copy": rounded_copy,
    "weak_network_input": weak_network_input,
    "nearest_prototype": nearest_prototype,
    "soft_targets": soft_targets,
    "lidar": lidar,
    "deadband": deadband,
    "saturated_torque": saturated_torque,
    "arm_with_stops": arm_with_stops,
    "spread_only": spread_only,
    "multi_discrete": multi_discrete,
    "many_levels": many_levels,
    "coupled_torques": coupled_torques,
    "one_long_episode": one_long_episode,
    "few_long_episodes": few_long_episodes,
    "context_per_episode": context_per_episode,
    "sticky_bits": sticky_bits,
    "unrecorded_mood": unrecorded_mood,
    "many_weak": many_weak,
    "comb_and_velocity": comb_and_velocity,
    "air_resistance": air_resistance,
    "attitude": attitude,
    "second_sensors": second_sensors,
}
"""39 kinds, 10,000 steps each by default."""

KINDS_SET_ASIDE: dict[str, Callable[..., Labelled]] = {
    "time_of_day": time_of_day,
    "tilted_stripes": tilted_stripes,
    "acceleration": acceleration,
    "memory_lags": memory_lags,
    "mode_switch": mode_switch,
    "modular_sum": modular_sum,
    "deep_tree": deep_tree,
    "many_level_label": many_level_label,
    "packed_bits": packed_bits,
    "sum_beside_parts": sum_beside_parts,
    "noisy_sensors": noisy_sensors,
    "ensemble_vote": ensemble_vote,
    "nearest_target": nearest_target,
    "thermostat": thermostat,
    "thrusters": thrusters,
    "two_humps": two_humps,
    "shell": shell,
    "drifting_world": drifting_world,
    "sensor_offset": sensor_offset,
    "line_and_label": line_and_label,
    "switched_lines": switched_lines,
}
"""21 kinds that nothing is tuned on."""
