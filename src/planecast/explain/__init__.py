"""Room `explain`: where the cycles go, what limits a data plane, what to try next."""

from planecast.explain.against import Change, Difference, compare_explanations
from planecast.explain.explain_input import Case
from planecast.explain.explanation import (
    Advice,
    CauseCycles,
    Explanation,
    RoleShare,
    StageExplanation,
)
from planecast.explain.run import explain_case
from planecast.explain.stall_causes import CAUSES, Cause

__all__ = [
    "CAUSES",
    "Advice",
    "Case",
    "Cause",
    "CauseCycles",
    "Change",
    "Difference",
    "Explanation",
    "RoleShare",
    "StageExplanation",
    "compare_explanations",
    "explain_case",
]
