"""Known: what other runs know of a data plane whose cycles are explained."""

from __future__ import annotations

from dataclasses import dataclass

from planecast.model.calibration import Calibration
from planecast.workload.counts import InstructionCounts
from planecast.workload.traced.profile import TracedProfile


@dataclass(frozen=True, kw_only=True)
class Known:
    """What other runs know of it; nothing by default."""

    calibration: Calibration | None = None
    """Of the program; one of another program shows the machine's clocks and caches alone."""
    counts: InstructionCounts | None = None
    """Of the scenario's own pipeline; else the calibration's are taken."""
    counted_by: str = ""
    """The run that counted `counts`, where it is another."""
    traced: TracedProfile | None = None
    """A trace of the scenario's program."""
    traced_by: str = ""
    """The run that traced it."""
