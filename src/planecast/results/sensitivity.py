"""Sensitivity: how much each component and each number of a scenario moves the answer."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from planecast.results.estimate import Estimate
from planecast.results.manifest import Manifest
from planecast.results.result import Result, Texts
from planecast.scenario.model import Noun, listed


class Swing(Noun):
    """One key, all others as in the base: a bar of the tornado."""

    key: str
    low: str
    """The lower value that was asked, as a person types it."""
    high: str
    at_low_pps: Annotated[float, Field(gt=0)]
    """Packets a second at the lower value."""
    at_high_pps: Annotated[float, Field(gt=0)]
    elasticity: float | None = None
    """Per cent more packets for a per cent more of the key, around the base; None where a value
    is no number."""
    first_order: Estimate | None = None
    """Sobol's first-order index: the share of the variance that the key alone makes."""
    total: Estimate | None = None
    """Sobol's total index: with all that it makes together with others."""

    @property
    def width_pps(self) -> float:
        """Length of the bar."""
        return abs(self.at_high_pps - self.at_low_pps)


class Sensitivity(Noun):
    """What `sensitivity` writes as ``result.json``."""

    base: Result
    """The answer that everything is compared with."""
    swings: Annotated[tuple[Swing, ...], BeforeValidator(listed)]
    """Longest bar first."""
    evaluations: Annotated[int, Field(ge=1)]
    """Scenarios that were asked."""
    refused: Annotated[int, Field(ge=0)]
    """Of these, how many could not be answered."""
    notes: Texts = ()
    manifest: Manifest
