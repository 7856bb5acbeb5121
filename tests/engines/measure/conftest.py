"""The data plane that behaves as the test says, and columns of made-up windows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from tests.dataplanes.conftest import fake, scenario

__all__ = ["fake", "scenario"]

Columns = dict[str, np.ndarray[Any, Any]]


def windows(
    costs: Sequence[float],
    *,
    canaries: Sequence[float] | float = 2.0,
    stages: Mapping[str, float] | None = None,
    **fixed: Any,
) -> Columns:
    """Windows of one visit that cost so many cycles a packet; `stages` have shares of them."""
    count = len(costs)
    packets, sampled = np.full(count, 1000), np.full(count, 100)
    cycles = np.asarray(costs, dtype=np.float64)
    canary = np.broadcast_to(np.asarray(canaries, dtype=np.float64), count)
    found: Columns = {
        name: np.full(count, fixed.get(name, 0))
        for name in ("point", "restart", "visit", "cpu", "segment")
    }
    found |= {
        "cycles": np.round(cycles * packets),
        "packets": packets,
        "canary_compute_before": canary,
        "canary_compute_after": canary,
        "sampled_packets": sampled,
    }
    for name, share in (stages or {}).items():
        found[f"stage_{name}_cycles"] = cycles * sampled * share
    return found


def together(parts: Sequence[Columns]) -> Columns:
    """All windows as one table; a stage that a part lacks is NaN there."""
    names = dict.fromkeys(name for part in parts for name in part)
    return {
        name: np.concatenate(
            [part.get(name, np.full(len(part["cycles"]), np.nan)) for part in parts]
        )
        for name in names
    }
