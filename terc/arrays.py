"""The types that many signatures speak of."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]
Info = dict[str, Any]
"""What an environment says beside an observation; also the options of its `reset`."""
