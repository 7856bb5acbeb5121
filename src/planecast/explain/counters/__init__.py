"""What hardware counters say about a data plane, from files that other tools have recorded."""

from planecast.explain.counters.against import CounterDifference, compare_counters
from planecast.explain.counters.explain import Asked, explain_recording
from planecast.explain.counters.explanation import (
    CounterExplanation,
    ExplainedMetric,
    ExplainedNode,
    read_saved,
)
from planecast.explain.counters.from_run import as_counters
from planecast.explain.counters.published import explain_published, is_published, published_rows

__all__ = [
    "Asked",
    "CounterDifference",
    "CounterExplanation",
    "ExplainedMetric",
    "ExplainedNode",
    "as_counters",
    "compare_counters",
    "explain_published",
    "explain_recording",
    "is_published",
    "published_rows",
    "read_saved",
]
