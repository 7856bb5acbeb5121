"""Room `results`: the answers. Estimates, results, and the runs that keep them.

Other kinds of answers are in modules of their own (`content` has them all): most verbs need none.
"""

from planecast.results.estimate import Estimate, Kind, ratio
from planecast.results.manifest import Manifest, collect_manifest
from planecast.results.result import Result, ResultSet, StageResult
from planecast.results.store import RunDirectory, find_run, list_runs, picked, runs_folder
from planecast.results.trials import read_parquet

__all__ = [
    "Estimate",
    "Kind",
    "Manifest",
    "Result",
    "ResultSet",
    "RunDirectory",
    "StageResult",
    "collect_manifest",
    "find_run",
    "list_runs",
    "picked",
    "ratio",
    "read_parquet",
    "runs_folder",
]
