"""Mechanism: one reason for which a packet takes cycles; and the terms that mechanisms make.

A cost is a sum of terms. A term is the cycles a packet of one stage by one cause, and the product
of the parameters that it names and of what workload and machine say. So a cost's derivative by the
logarithm of a parameter is the sum of the terms that name it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planecast.machine.hierarchy import Hierarchy
from planecast.machine.parameter import Parameter
from planecast.workload.profile import WorkloadProfile

Floats = NDArray[np.float64]
Values = Mapping[str, float]
"""Parameters' values by name."""


class Term(NamedTuple):
    """TSC cycles a packet of one stage by one cause, in many scenarios."""

    stage: str
    cause: str
    parameters: tuple[str, ...]
    cycles: Floats
    """Of shape (scenarios,)."""


class Mechanism:
    """Subclass it in a file of its own and name it in `planecast.machine.registry`."""

    cause: ClassVar[str]
    """What explain calls it."""
    advice: ClassVar[str]
    """What to try where it dominates."""

    def applies(self, profile: WorkloadProfile) -> bool:
        """Whether a workload has what it is about; its parameters are fitted then."""
        return True

    def parameters(self, hierarchy: Hierarchy) -> tuple[Parameter, ...]:
        """What is fitted of it, with priors for a machine."""
        return ()

    def terms(self, profile: WorkloadProfile, hierarchy: Hierarchy, values: Values) -> list[Term]:
        """What it costs a workload's stages with every access near; caches and memory, whose terms
        need to know each other, are in `machine.caches`."""
        return []
