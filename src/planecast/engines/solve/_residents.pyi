"""Shares of touches that caches serve, and delays behind them, for many scenarios at once."""

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

class Regions:
    def __init__(
        self,
        cyclic: NDArray[np.bool_],
        stage: NDArray[np.int64],
        own_lines: NDArray[np.float64],
        all_lines: NDArray[np.float64],
        touches: NDArray[np.float64],
        stride: NDArray[np.float64],
        together: NDArray[np.float64],
        walks: NDArray[np.float64],
        columns: NDArray[np.float64],
    ) -> None: ...

def delays(
    regions: Regions,
    nearer: NDArray[np.float64],
    last: NDArray[np.float64],
    delay: NDArray[np.float64],
    missed: NDArray[np.float64],
) -> None: ...
def weighted_delays(
    regions: Regions,
    nearer: NDArray[np.float64],
    last: NDArray[np.float64],
    always: NDArray[np.float64],
    where: NDArray[np.float64],
    counts: NDArray[np.float64],
    whole: int,
    delay: NDArray[np.float64],
    missed: NDArray[np.float64],
    cost: NDArray[np.float64],
) -> None: ...
