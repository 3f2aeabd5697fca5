"""Data sets for benchmarks, beyond the families of `terc.synthetic`; the right answer of each is known.

`CASES` are the settings of the families that tables use. `KINDS` and `NULLS` are closer to what agents
record; `KINDS_SET_ASIDE` and `NULLS_SET_ASIDE` are for final tables only: never tune on them. `FACTORED` are
worlds in which part of the state moves by itself, `NETWORKS` random Bayesian networks.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from data_sets.bayesian_networks import NETWORKS, bayesian_network
from data_sets.factored import FACTORED
from data_sets.kinds import KINDS, KINDS_SET_ASIDE
from data_sets.nulls import NULLS, NULLS_SET_ASIDE
from terc import synthetic

CASES: dict[str, Callable[..., synthetic.Labelled]] = {
    "four_redundant": synthetic.four_redundant,
    "two_triplets": synthetic.two_triplets,
    **{
        f"secret_keys {keys}, noise {noise}": partial(synthetic.secret_keys, keys=keys, noise=noise)
        for keys in (25, 50)
        for noise in (0, 3, 10)
    },
    "cart_pole_like": synthetic.cart_pole_like,
    "continuous_action": synthetic.continuous_action,
    "three_torques": synthetic.three_torques,
    "nominal_codes": synthetic.nominal_codes,
    **{f"ipd_play {tats} tats": partial(synthetic.ipd_play, tats=tats) for tats in (3, 4, 5)},
    "ipd_cycle 4 tats": partial(synthetic.ipd_cycle, tats=4),
    **{f"copies {kind}": partial(synthetic.copies, kind=kind) for kind in ("linear", "cube", "noisy")},
    "parity": synthetic.parity,
    "rare_light": synthetic.rare_light,
    "greedy_network": synthetic.greedy_network,
    **{f"weak_link {nats}": partial(synthetic.weak_link, nats=nats) for nats in (0.01, 0.003)},
    "pure_noise": synthetic.pure_noise,
    "drifting_noise": synthetic.drifting_noise,
    "noise_beside_deterministic": synthetic.noise_beside_deterministic,
    "many_columns": synthetic.many_columns,
    **{f"network {spec.name}": partial(bayesian_network, network=k) for k, spec in enumerate(NETWORKS)},
}

__all__ = ["CASES", "FACTORED", "KINDS", "KINDS_SET_ASIDE", "NETWORKS", "NULLS", "NULLS_SET_ASIDE"]
