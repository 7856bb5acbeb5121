"""Case: what is to be explained, with everything that is known of it."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from planecast.explain.known import Known
from planecast.model.prediction import Prediction
from planecast.results.result import Result
from planecast.scenario.scenario import Scenario
from planecast.workload.counts import CodeCounts


@dataclass(frozen=True)
class Case(Known):
    """What is to be explained. Without a calibration causes are not distinguished; a trace is of a
    program that no model is calibrated for."""

    label: str
    """Which result of which run."""
    scenario: Scenario
    result: Result | None = None
    """None for a profile, which counts and takes no time."""
    _: KW_ONLY
    code: CodeCounts | None = None
    """Of the same pipeline, where neither `counts` nor the calibration's see the code."""
    code_by: str = ""
    """The run that counted `code`."""
    predicted: Prediction | None = None
    """What the calibration's model says of the scenario alone, where it was asked before."""
