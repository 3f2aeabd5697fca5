"""Where independent tasks run: in this process, in several, or on a Ray cluster; the results are the same."""

from terc.parallel.backend import Backend, Processes, Serial, opened
from terc.parallel.choose import BACKENDS, choose_backend
from terc.parallel.ray import RayCluster
from terc.parallel.workers import Progress

__all__ = ["BACKENDS", "Backend", "Processes", "Progress", "RayCluster", "Serial", "choose_backend", "opened"]
