"""Worlds to act in and wrappers that dope, reduce or remember what they show.

Importing this package registers `terc/SecretKey-v0` and `terc/TitForNTats-v0` with Gymnasium.
"""

from terc.environments.doped import Doped, DopedVector
from terc.environments.history import HistoryOf, HistoryOfVector
from terc.environments.names import variable_names
from terc.environments.prisoners_dilemma import TitForNTats, TitForNTatsVector, best_answer, best_mean_reward
from terc.environments.secret_key import SecretKey, SecretKeyVector
from terc.environments.select_variables import SelectVariables, SelectVariablesVector
from terc.flattening.flattened import Flattened, FlattenedVector
from terc.flattening.old_gym import FromOldGym
from terc.registration import register

__all__ = [
    "Doped", "DopedVector", "Flattened", "FlattenedVector", "FromOldGym", "HistoryOf", "HistoryOfVector",
    "SecretKey", "SecretKeyVector", "SelectVariables", "SelectVariablesVector", "TitForNTats",
    "TitForNTatsVector", "best_answer", "best_mean_reward", "register", "variable_names",
]  # fmt: skip

register()
