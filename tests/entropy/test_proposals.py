"""Proposals: which variables come first, and how many looks that takes."""

import numpy as np

from terc.entropy.proposals import Numbers, grown
from terc.entropy.residuals import ResidualInstrument
from terc.predictors.splits import split
from terc.trajectories.data import Trajectories


def test_two_pairs_that_act_only_together_are_found_in_one_look_at_all_columns(rng, monkeypatch):
    bits = rng.choice([-1.0, 1.0], (4000, 12))
    action = bits[:, 2] * bits[:, 5] + bits[:, 7] * bits[:, 9] + rng.standard_normal(4000)
    data = Trajectories(bits, action, episodes=np.arange(4000))
    look = ResidualInstrument.of(data, split(data.episodes, rng=rng), rng=rng)
    looks, products = [], ResidualInstrument.products

    def counted(self, given, *rest, **how):
        looks.append((given, how.get("among"), how.get("order", 2), how.get("waves", False)))
        return products(self, given, *rest, **how)

    monkeypatch.setattr(ResidualInstrument, "products", counted)
    added, seen = grown(look, [(j,) for j in range(12)], (), Numbers())
    assert set(added) == seen == {(2,), (5,), (7,), (9,)}
    pairs = [given for given, among, order, waves in looks if among is None and order == 2 and not waves]
    assert pairs == [(), (2, 5, 7, 9)]
