"""Caches shared by regions, for many scenarios at once (native/model)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Rows = Sequence[NDArray[np.float64] | float]

def serve(
    cyclic: NDArray[np.bool_],
    others: NDArray[np.bool_],
    own_lines: Rows,
    all_lines: Rows,
    touches: Rows,
    own_crowding: Rows,
    all_crowding: Rows,
    together: Rows,
    near: Rows,
    last: Rows,
    memory: Rows,
    lcores: NDArray[np.float64],
    base: NDArray[np.float64],
    nearer: NDArray[np.float64],
    shape: float,
    capacity: NDArray[np.float64],
    inserted: NDArray[np.float64],
    takes: NDArray[np.float64],
    group: NDArray[np.int32],
    covered: Rows,
    burst: Rows,
    latency: NDArray[np.float64],
    waits: NDArray[np.float64],
    first: NDArray[np.float64],
    lines: NDArray[np.float64],
    cost: NDArray[np.float64],
) -> None: ...
def hit_shares(
    cyclic: NDArray[np.bool_],
    lines: NDArray[np.float64],
    touches: NDArray[np.float64],
    inserted: NDArray[np.float64],
    capacity: NDArray[np.float64],
    shape: float,
    shares: NDArray[np.float64],
) -> None: ...
