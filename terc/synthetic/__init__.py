"""Data sets whose right answer is known.

Every entry of `FAMILIES` is a function `name(n=10_000, *, seed=0, ...) -> Labelled`. Where the probabilities
of the actions are known exactly it takes `with_probabilities=True`.
"""

from __future__ import annotations

from collections.abc import Callable

from terc.synthetic.control import cart_pole_like, continuous_action, three_torques
from terc.synthetic.decisive import greedy_network, rare_light, weak_link
from terc.synthetic.keys import secret_keys
from terc.synthetic.labelled import Answer, Labelled
from terc.synthetic.labels import nominal_codes
from terc.synthetic.many_columns import many_columns
from terc.synthetic.noise import drifting_noise, noise_beside_deterministic, pure_noise
from terc.synthetic.prisoners import ipd_cycle, ipd_play
from terc.synthetic.redundant import copies, four_redundant, parity, two_triplets

FAMILIES: dict[str, Callable[..., Labelled]] = {
    "four_redundant": four_redundant,
    "two_triplets": two_triplets,
    "secret_keys": secret_keys,
    "cart_pole_like": cart_pole_like,
    "continuous_action": continuous_action,
    "three_torques": three_torques,
    "nominal_codes": nominal_codes,
    "ipd_play": ipd_play,
    "ipd_cycle": ipd_cycle,
    "pure_noise": pure_noise,
    "drifting_noise": drifting_noise,
    "noise_beside_deterministic": noise_beside_deterministic,
    "copies": copies,
    "parity": parity,
    "rare_light": rare_light,
    "greedy_network": greedy_network,
    "weak_link": weak_link,
    "many_columns": many_columns,
}

__all__ = [
    "FAMILIES",
    "Answer",
    "Labelled",
    "cart_pole_like",
    "continuous_action",
    "copies",
    "drifting_noise",
    "four_redundant",
    "greedy_network",
    "ipd_cycle",
    "ipd_play",
    "many_columns",
    "noise_beside_deterministic",
    "nominal_codes",
    "parity",
    "pure_noise",
    "rare_light",
    "secret_keys",
    "three_torques",
    "two_triplets",
    "weak_link",
]
