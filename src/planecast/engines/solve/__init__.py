"""Engine `solve`: the cost model in closed form."""

from planecast.engines.solve.batch import solve_many
from planecast.engines.solve.engine import solve

__all__ = ["solve", "solve_many"]
