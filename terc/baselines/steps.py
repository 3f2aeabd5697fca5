"""Fewer steps for methods that cannot afford all: whole episodes, evenly drawn, with a note that says so."""

import numpy as np

from terc.trajectories.data import Trajectories

FEWEST_EPISODES = 20


def at_most(data: Trajectories, max_steps: int | None) -> tuple[Trajectories, str]:
    """About `max_steps` of the steps, and the sentence for the notes; all and no note if that is enough.

    Episodes are taken at even distances. Where fewer than 20 would remain (few, long episodes), single steps
    are taken at even distances instead: the methods that need this treat steps as independent anyway.
    """
    if max_steps is None or len(data) <= max_steps:
        return data, ""
    count = max(1, data.n_episodes * max_steps // len(data))
    if count >= FEWEST_EPISODES:
        chosen = np.isin(data.episodes, np.arange(count) * data.n_episodes // count)
        what = "whole episodes"
    else:
        chosen = np.zeros(len(data), dtype=bool)
        chosen[np.arange(max_steps) * len(data) // max_steps] = True
        what = "single steps"
    note = f"{chosen.sum()} of {len(data)} steps were used: {what} at even distances."
    return data.rows(chosen), note
