"""Names of causes, the same in every figure."""

from __future__ import annotations

from planecast.explain.stall_causes import cause_of
from planecast.report.labels import plain


def cause_title(cause: str) -> str:
    """What a figure calls a cause."""
    return plain(cause_of(cause).title)
