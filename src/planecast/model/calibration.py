"""Calibration: the posterior of the model's parameters, and all else that a prediction needs."""

from __future__ import annotations

import functools
from typing import Annotated, Final, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from planecast.machine.core import EFFECT
from planecast.machine.hierarchy import Hierarchy
from planecast.machine.last_level import CAPACITY, LIFETIME
from planecast.machine.neighbour_stream import STREAM
from planecast.machine.private_caches import FILLED
from planecast.model.calibrated_range import CalibratedSpan
from planecast.model.counter_model import Counted
from planecast.results.estimate import Estimate
from planecast.results.manifest import Manifest
from planecast.scenario.model import ListOf, Noun
from planecast.scenario.scenario import Scenario
from planecast.workload.counts import InstructionCounts
from planecast.workload.traced.program_profile import ProgramProfile

Floats = NDArray[np.float64]

EDITION: Final = 20
"""Of the model: calibrations of another one mean something else."""

CURVED = (LIFETIME, CAPACITY, STREAM, FILLED)
"""Parameters that decide which level serves a line: no term of a cost names them."""


@functools.lru_cache(maxsize=8)
def _table(rows: tuple[tuple[float, ...], ...]) -> Floats:
    table = np.array(rows)
    table.flags.writeable = False
    return table


class FittedParameter(Noun):
    """One parameter as the calibration left it. Its logarithm is normal."""

    name: str
    value: Annotated[float, Field(gt=0)]
    low: float
    """Lower end of the 95 % interval."""
    high: float
    unit: str
    informed: Annotated[float, Field(ge=0, le=1)]
    """Share of the prior's variance that the points took away; 0: the prior is all there is."""

    def estimate(self, samples: int) -> Estimate:
        """As an Estimate, for tables and reports."""
        return Estimate(
            value=self.value,
            low=self.low,
            high=self.high,
            samples=samples,
            unit=self.unit,
            kind="computed",
        )


class Discrepancy(Noun):
    """The model's own relative error, as predictions of points left out show it.

    Of a cost of which a share m is waited for in the last level and in memory its standard
    deviation is sqrt(core² + (m · memory)²), and next to a neighbour that touches memory
    sqrt(core² + (m · memory)² + (m · neighbour)²): what a shared cache does is known less well, and
    least where a neighbour uses it.
    """

    core: Annotated[float, Field(ge=0)]
    memory: Annotated[float, Field(ge=0)]
    neighbour: Annotated[float, Field(ge=0)]

    def deviation(self, far_shares: Floats) -> Floats:
        """Standard deviations, relative; `far_shares`, of shape (2, scenarios), are those of m in
        all scenarios and in those next to a neighbour (0 in the others)."""
        parts = np.array([self.memory, self.neighbour])[:, None] * far_shares
        return np.asarray(np.sqrt(self.core**2 + (parts**2).sum(axis=0)))

    def widened(self, errors: list[float]) -> Discrepancy:
        """With errors of their own kinds on top."""
        return Discrepancy(
            core=float(np.hypot(self.core, np.linalg.norm(errors))),
            memory=self.memory,
            neighbour=self.neighbour,
        )


class Calibration(Noun):
    """Everything that turns a scenario into a prediction on this machine."""

    edition: Literal[20]
    """Of the model."""
    kind: str
    """The network function; ``counted`` of counters."""
    parameters: ListOf[FittedParameter]
    covariance: ListOf[ListOf[float]]
    """Of the parameters' logarithms, in their order."""
    freedom: Annotated[float, Field(gt=0)]
    """Of Student's t of predictions' errors."""
    discrepancy: Discrepancy
    hierarchy: Hierarchy
    instructions: dict[str, InstructionCounts]
    """By pipeline, the base scenario's first."""
    ranges: dict[str, ListOf[float]]
    """Lowest and highest value of each numeric key over the calibration points."""
    settings: dict[str, ListOf[str]] = Field(default_factory=dict)
    """Values of each key without an order over the calibration points. Empty in calibrations from
    before it was kept."""
    placed: dict[str, ListOf[float]] = Field(default_factory=dict)
    """Value of each numeric key at each calibration point, in their order. Empty of counters, and
    in calibrations from before it was kept."""
    stages: ListOf[str]
    """Stages that ran in some calibration point."""
    points: int
    """Calibration points."""
    manifest: Manifest
    program: ProgramProfile | None = None
    """What a program of others does with a packet; None for planecast's own data plane."""
    counted: Counted | None = None
    """What counters reported, where the model was calibrated from files of them: it then has no
    stages."""

    @property
    def names(self) -> list[str]:
        """Names of the parameters, in order."""
        return [parameter.name for parameter in self.parameters]

    @property
    def values(self) -> dict[str, float]:
        """Parameters' values by name."""
        return {parameter.name: parameter.value for parameter in self.parameters}

    def is_of(self, scenario: Scenario) -> bool:
        """Whether it is of the scenario's network function, or of its program."""
        return self.kind == scenario.forwards

    @property
    def span(self) -> CalibratedSpan:
        """What its points had."""
        return CalibratedSpan(self.ranges, self.settings)

    @property
    def vector(self) -> Floats:
        """Values of the parameters, of shape (parameters,)."""
        return np.array([parameter.value for parameter in self.parameters])

    @property
    def matrix(self) -> Floats:
        """Covariance of their logarithms, of shape (parameters, parameters)."""
        return _table(self.covariance)

    @property
    def curved(self) -> list[str]:
        """Those of `CURVED` that it has."""
        return [name for name in CURVED if name in self.names]

    @property
    def effects(self) -> dict[str, float]:
        """Stages' deviations from the common CPI."""
        return {k.removeprefix(EFFECT): v for k, v in self.values.items() if k.startswith(EFFECT)}
