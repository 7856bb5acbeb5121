"""Shares of touches that caches serve, for many scenarios at once."""

import numpy as np
from numpy.typing import NDArray

def hit_shares(
    cyclic: NDArray[np.bool_],
    lines: NDArray[np.float64],
    touches: NDArray[np.float64],
    rates: NDArray[np.float64],
    out: NDArray[np.bool_],
    capacity: NDArray[np.float64],
    time: NDArray[np.float64],
    shares: NDArray[np.float64],
) -> None: ...
