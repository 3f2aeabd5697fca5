"""Data sets whose right answer is known.

Every entry of `FAMILIES` is a function `name(n=10_000, *, seed=0, ...) -> Labelled`. `CASES` names the
settings that tables and tests use. Where the probabilities of the actions are known exactly the function
takes `with_probabilities=True`. `KINDS` and `NULLS` are further data sets by name, closer to what agents
record; `KINDS_SET_ASIDE` and `NULLS_SET_ASIDE` are for final tables only: never tune on them.
"""

from collections.abc import Callable
from functools import partial

from terc.synthetic.bayesian_networks import (
    NETWORKS,
    BayesianNetwork,
    NetworkSpec,
    bayesian_network,
    random_network,
)
from terc.synthetic.control import cart_pole_like, continuous_action, three_torques
from terc.synthetic.decisive import greedy_network, rare_light, weak_link
from terc.synthetic.factored import FACTORED, factored
from terc.synthetic.kinds import KINDS, KINDS_SET_ASIDE
from terc.synthetic.labelled import Answer, Labelled
from terc.synthetic.many_columns import many_columns
from terc.synthetic.nulls import (
    NULLS,
    NULLS_SET_ASIDE,
    drifting_noise,
    noise_beside_deterministic,
    nulls,
    pure_noise,
)
from terc.synthetic.prisoners import ipd_cycle, ipd_play, secret_keys
from terc.synthetic.redundant import copies, four_redundant, nominal_codes, parity, two_triplets

FAMILIES: dict[str, Callable[..., Labelled]] = {
    one.__name__: one
    for one in (
        four_redundant,
        two_triplets,
        secret_keys,
        cart_pole_like,
        continuous_action,
        three_torques,
        nominal_codes,
        ipd_play,
        ipd_cycle,
        pure_noise,
        drifting_noise,
        noise_beside_deterministic,
        copies,
        parity,
        rare_light,
        greedy_network,
        weak_link,
        many_columns,
        bayesian_network,
    )  # fmt: skip
}
"""Every function by its name."""


def _alone(*names: str) -> dict[str, Callable[..., Labelled]]:
    return {name: FAMILIES[name] for name in names}


CASES: dict[str, Callable[..., Labelled]] = {
    **_alone("four_redundant", "two_triplets"),
    **{
        f"secret_keys {keys}, noise {noise}": partial(secret_keys, keys=keys, noise=noise)
        for keys in (25, 50)
        for noise in (0, 3, 10)
    },
    **_alone("cart_pole_like", "continuous_action", "three_torques", "nominal_codes"),
    **{f"ipd_play {tats} tats": partial(ipd_play, tats=tats) for tats in (3, 4, 5)},
    "ipd_cycle 4 tats": partial(ipd_cycle, tats=4),
    **{f"copies {kind}": partial(copies, kind=kind) for kind in ("linear", "cube", "noisy")},
    **_alone("parity", "rare_light", "greedy_network"),
    **{f"weak_link {nats}": partial(weak_link, nats=nats) for nats in (0.01, 0.003)},
    **_alone("pure_noise", "drifting_noise", "noise_beside_deterministic", "many_columns"),
    **{f"network {spec.name}": partial(bayesian_network, network=k) for k, spec in enumerate(NETWORKS)},
}

__all__ = [
    "CASES", "FACTORED", "FAMILIES", "KINDS", "KINDS_SET_ASIDE", "NETWORKS", "NULLS", "NULLS_SET_ASIDE",
    "Answer", "BayesianNetwork", "Labelled", "NetworkSpec", "bayesian_network", "cart_pole_like",
    "continuous_action", "copies", "drifting_noise", "factored", "four_redundant", "greedy_network",
    "ipd_cycle", "ipd_play", "many_columns", "noise_beside_deterministic", "nominal_codes", "nulls",
    "parity", "pure_noise", "random_network", "rare_light", "secret_keys", "three_torques", "two_triplets",
    "weak_link",
]  # fmt: skip
