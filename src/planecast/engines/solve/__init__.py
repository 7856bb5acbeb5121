"""Engine `solve`: the cost model in closed form."""

from planecast.engines.solve.calibration import Alternative, Calibration, Parameter
from planecast.engines.solve.engine import predicted_cycles, solve
from planecast.engines.solve.features import FeatureTable, features
from planecast.engines.solve.hierarchy import Flight, Hierarchy, Level

__all__ = [
    "Alternative",
    "Calibration",
    "FeatureTable",
    "Flight",
    "Hierarchy",
    "Level",
    "Parameter",
    "features",
    "predicted_cycles",
    "solve",
]
