"""Room `explain`: where the cycles go, what limits a data plane, what to try next."""

from planecast.explain.against import Difference, compare_explanations
from planecast.explain.explain_input import Case
from planecast.explain.explanation import (
    CauseCycles,
    Explanation,
)
from planecast.explain.run import explain_case

__all__ = [
    "Case",
    "CauseCycles",
    "Difference",
    "Explanation",
    "compare_explanations",
    "explain_case",
]
