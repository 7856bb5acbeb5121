"""Room `explain`: where the cycles go, what limits a data plane, what to try next."""

from planecast.explain.causes import CAUSES, Cause
from planecast.explain.explanation import (
    Advice,
    CauseCycles,
    Explanation,
    RoleShare,
    StageExplanation,
)
from planecast.explain.run import Case, explain_case

__all__ = [
    "CAUSES",
    "Advice",
    "Case",
    "Cause",
    "CauseCycles",
    "Explanation",
    "RoleShare",
    "StageExplanation",
    "explain_case",
]
