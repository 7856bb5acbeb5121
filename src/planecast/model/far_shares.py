"""How much of a cost is waited for behind the private caches: what its error depends on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from planecast.machine.caches import MEMORY
from planecast.machine.hierarchy import Hierarchy
from planecast.model.neighbours import next_to_neighbours
from planecast.model.stage_cost import StageCost
from planecast.workload.profile import WorkloadProfile

Floats = NDArray[np.float64]


def far_shares(cost: StageCost, hierarchy: Hierarchy, profile: WorkloadProfile) -> Floats:
    """Share of a cost that is waited for behind the private caches, in all scenarios and in those
    next to a neighbour: of shape (2, scenarios)."""
    far = (hierarchy.levels[-1].name, MEMORY)
    waited = [term.cycles for term in cost.terms if term.cause in far]
    share = sum(waited, np.zeros_like(cost.total)) / cost.total
    return np.stack([share, share * next_to_neighbours(profile.sizes.columns)])
