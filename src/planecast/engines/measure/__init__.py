"""Engine `measure`: a real data plane on real cores, many short trials, interleaved."""

from planecast.engines.measure.engine import measure
from planecast.engines.measure.estimate import estimate_point
from planecast.engines.measure.trials import TrialTable

__all__ = ["TrialTable", "estimate_point", "measure"]
