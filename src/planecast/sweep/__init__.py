"""Room `sweep`: one question at very many points, over processes here or a Dask cluster."""

from planecast.sweep.axes import Axis, first_values, parse_axis
from planecast.sweep.job import Job, Plan
from planecast.sweep.run import best_points, read_job, run_sweep
from planecast.sweep.workers import Workers

__all__ = [
    "Axis",
    "Job",
    "Plan",
    "Workers",
    "best_points",
    "first_values",
    "parse_axis",
    "read_job",
    "run_sweep",
]
