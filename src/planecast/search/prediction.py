"""Where a search begins: the model's answer with its interval, as a range of loads."""

from __future__ import annotations

from planecast.engines.solve import solve
from planecast.model.calibration import Calibration
from planecast.results.manifest import Manifest
from planecast.scenario.scenario import Scenario

_WIDTH = 0.05
"""Half-width, as a share, of a prediction that has no interval."""


def predicted_pps(
    scenario: Scenario, calibration: Calibration, manifest: Manifest
) -> tuple[float, float]:
    """The 95 % interval of the calibrated closed form's throughput, packets a second.

    Raises InputError for what the model doesn't know.
    """
    (result,) = solve([scenario], calibration, manifest)
    found = result.throughput_pps
    low, high = found.interval or (found.value * (1 - _WIDTH), found.value * (1 + _WIDTH))
    return max(low, 1.0), max(high, 1.0)
