"""Room `results`: the answers. Estimates, results, validations, and the runs that keep them."""

from planecast.results.compare import Comparison, ComparisonRow, compare
from planecast.results.estimate import Estimate, Kind, ratio
from planecast.results.load_curve import (
    KNEE_LOSS,
    CpuPauses,
    LoadCalibration,
    LoadCurve,
    LoadPoint,
    knee_pps,
)
from planecast.results.manifest import Manifest, collect_manifest, typed_command
from planecast.results.query import Table, query
from planecast.results.result import (
    ClassResult,
    LcoreResult,
    QueueResult,
    Result,
    ResultSet,
    StageResult,
)
from planecast.results.search import (
    Bounds,
    BurstAnswer,
    FoundRate,
    LoadAnswer,
    SearchAnswer,
    SoakAnswer,
)
from planecast.results.sensitivity import Sensitivity, Swing
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
from planecast.results.trials import Columns, read_parquet, write_parquet
from planecast.results.validation import Validation, ValidationPoint

__all__ = [
    "KNEE_LOSS",
    "Bounds",
    "BurstAnswer",
    "ClassResult",
    "Columns",
    "Comparison",
    "ComparisonRow",
    "CpuPauses",
    "Estimate",
    "FoundRate",
    "Kind",
    "LcoreResult",
    "LoadAnswer",
    "LoadCalibration",
    "LoadCurve",
    "LoadPoint",
    "Manifest",
    "QueueResult",
    "Result",
    "ResultSet",
    "RunDirectory",
    "SearchAnswer",
    "Sensitivity",
    "SoakAnswer",
    "StageResult",
    "SurveyAnswer",
    "SurveyPoint",
    "Swing",
    "Table",
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
    "typed_command",
    "write_parquet",
]
