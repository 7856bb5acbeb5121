"""Engine `solve`: the cost model in closed form."""

from planecast.engines.solve.calibration import Alternative, Calibration, Parameter
from planecast.engines.solve.counted import Counted, MemoryLines
from planecast.engines.solve.engine import predicted_cycles, solve
from planecast.engines.solve.features import FeatureTable, features
from planecast.engines.solve.hierarchy import Flight, Hierarchy, Level, Transfer
from planecast.engines.solve.many import solve_many
from planecast.engines.solve.questions import COLUMNS, NUMBERS, Choice, Questions

__all__ = [
    "COLUMNS",
    "NUMBERS",
    "Alternative",
    "Calibration",
    "Choice",
    "Counted",
    "FeatureTable",
    "Flight",
    "Hierarchy",
    "Level",
    "MemoryLines",
    "Parameter",
    "Questions",
    "Transfer",
    "features",
    "predicted_cycles",
    "solve",
    "solve_many",
]
