"""Caches shared by regions, for many scenarios at once (native/model)."""

import numpy as np
from numpy.typing import NDArray

def serve(
    cyclic: NDArray[np.bool_],
    others: NDArray[np.bool_],
    own_lines: NDArray[np.float64],
    all_lines: NDArray[np.float64],
    touches: NDArray[np.float64],
    own_crowding: NDArray[np.float64],
    all_crowding: NDArray[np.float64],
    together: NDArray[np.float64],
    near: NDArray[np.float64],
    last: NDArray[np.float64],
    memory: NDArray[np.float64],
    lcores: NDArray[np.float64],
    base: NDArray[np.float64],
    nearer: NDArray[np.float64],
    shape: float,
    capacity: NDArray[np.float64],
    inserted: NDArray[np.float64],
    group: NDArray[np.int32],
    covered: NDArray[np.float64],
    burst: NDArray[np.float64],
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
    time: NDArray[np.float64],
) -> None: ...
