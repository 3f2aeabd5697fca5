"""The actions taken, without the chances that the policy gave to each."""

from __future__ import annotations

from terc.trajectories.data import Trajectories


def sampled_only(data: Trajectories) -> Trajectories:
    """The same steps without the policy's probabilities: the actions taken are explained, as in the paper.

    Every trained network leaves a small weight on a column of noise. Probabilities show it (6e-4 nats on Cart
    Pole), and it would be kept, rightly by the letter and against the purpose of a smaller state.
    """
    return Trajectories(
        data.states,
        data.actions,
        episodes=data.episodes,
        names=data.names,
        action_kind=data.action_kind,
        rewards=data.rewards,
        nominal=data.nominal,
        source=data.source,
    )
