"""Room `results`: the answers. Estimates, results, validations, and the runs that keep them."""

from planecast.results.compare import compare
from planecast.results.estimate import Estimate, Kind, ratio
from planecast.results.load_curve import (
    KNEE_LOSS,
    CpuPauses,
    LoadCalibration,
    LoadCurve,
    LoadPoint,
    knee_pps,
)
from planecast.results.manifest import Manifest, collect_manifest
from planecast.results.query import query
from planecast.results.result import (
    Result,
    ResultSet,
    StageResult,
)
from planecast.results.search import (
    Bounds,
    FoundRate,
    SearchAnswer,
)
from planecast.results.sensitivity import Sensitivity
from planecast.results.store import (
    RunDirectory,
    find_run,
    list_runs,
    picked,
    read_result,
    results_of,
    runs_folder,
)
from planecast.results.survey import SurveyAnswer, SurveyPoint
from planecast.results.telemetry import Telemetry
from planecast.results.trials import read_parquet
from planecast.results.validation import Validation, ValidationPoint

__all__ = [
    "KNEE_LOSS",
    "Bounds",
    "CpuPauses",
    "Estimate",
    "FoundRate",
    "Kind",
    "LoadCalibration",
    "LoadCurve",
    "LoadPoint",
    "Manifest",
    "Result",
    "ResultSet",
    "RunDirectory",
    "SearchAnswer",
    "Sensitivity",
    "StageResult",
    "SurveyAnswer",
    "SurveyPoint",
    "Telemetry",
    "Validation",
    "ValidationPoint",
    "collect_manifest",
    "compare",
    "find_run",
    "knee_pps",
    "list_runs",
    "picked",
    "query",
    "ratio",
    "read_parquet",
    "read_result",
    "results_of",
    "runs_folder",
]
