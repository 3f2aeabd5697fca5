"""Recorded steps of an agent: what it saw, what it did, and where each episode begins."""

from terc.trajectories.data import Trajectories
from terc.trajectories.files import load

__all__ = ["Trajectories", "load"]
