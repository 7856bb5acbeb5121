"""Calibration: the fitted parameters of the model, and all that a prediction needs besides."""

from __future__ import annotations

import functools
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field

from planecast.engines.solve.counted import Counted
from planecast.engines.solve.hierarchy import Hierarchy
from planecast.instruments.counts import InstructionCounts
from planecast.results.estimate import Estimate
from planecast.results.manifest import Manifest
from planecast.scenario.model import Noun, listed

Floats = NDArray[np.float64]


def _rows(value: object) -> object:
    return tuple(tuple(row) for row in value) if isinstance(value, list) else value


@functools.lru_cache(maxsize=8)
def _table(rows: tuple[tuple[float, ...], ...]) -> Floats:
    table = np.array(rows)
    table.flags.writeable = False
    return table


class Parameter(Noun):
    """One fitted parameter."""

    name: str
    """Stage and kind: ``acl.cpi``, ``acl.burst``, ``acl.bf``."""
    value: float
    low: float
    """Lower end of the 95 % interval."""
    high: float
    unit: str
    at_bound: bool
    """The fit would have left what is physical: it is held at the bound."""

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


class Alternative(Noun):
    """Parameters fitted with another size of the last cache level."""

    last_level_factor: float
    values: Annotated[tuple[float, ...], BeforeValidator(listed)]
    """In the order of the parameters."""


class Calibration(Noun):
    """Everything that turns a scenario into a prediction on this machine."""

    parameters: Annotated[tuple[Parameter, ...], BeforeValidator(listed)]
    covariance: Annotated[tuple[tuple[float, ...], ...], BeforeValidator(_rows)]
    """Of the parameters, in their order."""
    freedom: Annotated[int, Field(ge=1)]
    """Observations less parameters."""
    discrepancy: Annotated[float, Field(ge=0)]
    """The model's own relative error, as the calibration points show it: a standard deviation."""
    hierarchy: Hierarchy
    last_level_factor: float
    """The last cache level that fitted best, as a multiple of the probed one."""
    alternatives: Annotated[tuple[Alternative, ...], BeforeValidator(listed)]
    """Fits with other sizes of it that are nearly as good: they may be the true ones."""
    instructions: dict[str, InstructionCounts]
    """By pipeline, the base scenario's first."""
    ranges: dict[str, Annotated[tuple[float, ...], BeforeValidator(listed)]]
    """Lowest and highest value of each numeric key over the calibration points."""
    stages: Annotated[tuple[str, ...], BeforeValidator(listed)]
    """Stages that ran in some calibration point."""
    points: int
    """Calibration points."""
    manifest: Manifest
    counted: Counted | None = None
    """What counters told, where the model was calibrated from files of them: it then has no
    stages."""

    @property
    def any_workload(self) -> bool:
        """Whether it is of whatever was counted, not of the stages that the model knows."""
        return self.counted is not None

    @property
    def names(self) -> list[str]:
        """Names of the parameters, in order."""
        return [parameter.name for parameter in self.parameters]

    @property
    def vector(self) -> Floats:
        """Values of the parameters, of shape (parameters,)."""
        return np.array([parameter.value for parameter in self.parameters])

    @property
    def matrix(self) -> Floats:
        """Their covariance, of shape (parameters, parameters)."""
        return _table(self.covariance)
