"""Parameter: a number of a machine that is fitted, with what is known of it before."""

from __future__ import annotations

from typing import Literal, NamedTuple

Domain = Literal["core", "uncore", "memory", "none"]
"""Whose clock a cost follows: it takes the same cycles of that clock at any frequency."""


class Parameter(NamedTuple):
    """A positive number with a log-normal prior."""

    name: str
    unit: str
    median: float
    """Of the prior."""
    spread: float
    """Standard deviation of its logarithm."""
    identified_by: str
    """What to vary among calibration points so that they show it."""
    domain: Domain = "none"
