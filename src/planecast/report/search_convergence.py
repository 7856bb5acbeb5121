"""How a search's interval closed: the bounds after each trial, from the trials alone."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def running_bounds(loads: Floats, losses: Floats, loss_ratio: float, exceed: float) -> Floats:
    """Two rows: highest load that met the goal so far, lowest above it that did not; NaN before.

    A load meets the goal while no more than the share `exceed` of its trials so far lost more than
    `loss_ratio`. It is what the trials say on the way; the search's own bounds at the end rest on
    more than that (docs/explanation/search.md). One repetition.
    """
    counts: dict[float, list[int]] = defaultdict(lambda: [0, 0])
    ends = np.full((2, loads.size), np.nan)
    for at, (load, loss) in enumerate(zip(loads, losses, strict=True)):
        counts[load][0] += 1
        counts[load][1] += loss > loss_ratio
        failed = [x for x, (made, above) in counts.items() if above > exceed * made]
        high = min(failed, default=np.inf)
        low = max((x for x in counts if x < high), default=np.nan)
        ends[:, at] = low, high if np.isfinite(high) else np.nan
    return ends
