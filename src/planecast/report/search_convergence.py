"""How a search's interval closed: the bounds after each trial, from the trials alone."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Deciding(NamedTuple):
    """When trials at a load decide whether it meets a goal."""

    exceed: float
    """Share of them that may lose more than the goal."""
    trials: int
    """So many are looked at, fewer where the others can't change it."""


def running_bounds(loads: Floats, losses: Floats, loss_ratio: float, rule: Deciding) -> Floats:
    """Two rows: highest load that met the goal so far, lowest above it that did not; NaN before.

    A load with fewer trials than the rule's is neither while those to come could make it the other.
    The search's own bounds at the end rest on more than that (docs/explanation/search.md). One
    repetition.
    """
    counts: dict[float, list[int]] = defaultdict(lambda: [0, 0])
    ends = np.full((2, loads.size), np.nan)
    for at, (load, loss) in enumerate(zip(loads, losses, strict=True)):
        counts[load][0] += 1
        counts[load][1] += loss > loss_ratio
        failed, met = [], []
        for x, (made, above) in counts.items():
            most = rule.exceed * max(made, rule.trials)
            if above > most:
                failed.append(x)
            elif above + max(rule.trials - made, 0) <= most:
                met.append(x)
        high = min(failed, default=np.inf)
        low = max((x for x in met if x < high), default=np.nan)
        ends[:, at] = low, high if np.isfinite(high) else np.nan
    return ends
