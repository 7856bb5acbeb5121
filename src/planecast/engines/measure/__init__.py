"""Engine `measure`: a real data plane on real cores, many short trials, interleaved."""

from planecast.engines.measure.engine import measure
from planecast.engines.measure.trials import TrialTable

__all__ = ["TrialTable", "measure"]
