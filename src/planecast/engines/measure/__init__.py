"""Engine `measure`: a real data plane on real cores, many short trials, interleaved."""

from planecast.engines.measure.engine import Measurement, measure
from planecast.engines.measure.estimate import estimate_point
from planecast.engines.measure.trials import TrialTable

__all__ = ["Measurement", "TrialTable", "estimate_point", "measure"]
