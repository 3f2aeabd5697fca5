"""Data sets that methods are measured on, close to what agents record; their right answers are known.

`KINDS_SET_ASIDE` and `NULLS_SET_ASIDE` are for final tables only: never tune on them.
"""

from problems.factored import FACTORED, factored
from problems.kinds import KINDS, KINDS_SET_ASIDE
from problems.nulls import NULLS, NULLS_SET_ASIDE, nulls

__all__ = ["FACTORED", "KINDS", "KINDS_SET_ASIDE", "NULLS", "NULLS_SET_ASIDE", "factored", "nulls"]
