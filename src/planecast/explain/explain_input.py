"""Case: what is to be explained, with everything that is known of it."""

from __future__ import annotations

from dataclasses import dataclass

from planecast.model.calibration import Calibration
from planecast.model.prediction import Prediction
from planecast.results.result import Result
from planecast.scenario.scenario import Scenario
from planecast.workload.counts import CodeCounts, InstructionCounts
from planecast.workload.traced.profile import TracedProfile


@dataclass(frozen=True)
class Case:
    """What is to be explained."""

    label: str
    """Which result of which run."""
    scenario: Scenario
    result: Result | None = None
    """None for a profile, which counts and takes no time."""
    counts: InstructionCounts | None = None
    """Of the scenario's own pipeline; else the calibration's are taken."""
    calibration: Calibration | None = None
    """None when there is none: causes are not distinguished then."""
    counted_by: str = ""
    """The run that counted `counts`, where it is another."""
    code: CodeCounts | None = None
    """Of the same pipeline, where neither `counts` nor the calibration's see the code."""
    code_by: str = ""
    """The run that counted `code`."""
    traced: TracedProfile | None = None
    """A trace of the scenario's program, where no model is calibrated for it."""
    traced_by: str = ""
    """The run that traced it."""
    predicted: Prediction | None = None
    """What the calibration's model says of the scenario alone, where it was asked before."""
