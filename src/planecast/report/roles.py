"""Roles: what a point of a validation is there for, and what it varies."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from planecast.results.validation import ValidationPoint

ROLES = ("held out", "extrapolated", "check", "calibration")
"""held out: predicted before it was measured, within the calibrated range; extrapolated: held out
and outside that range; check: neither fitted to nor drawn blindly, so no score counts it;
calibration: the model was fitted to it."""


def role_of(point: ValidationPoint) -> str:
    """The role of a point, one of `ROLES`."""
    if point.held_out:
        return "extrapolated" if point.extrapolates else "held out"
    return "check" if point.checked else "calibration"


def by_what_varies(points: Sequence[ValidationPoint]) -> dict[str, list[ValidationPoint]]:
    """Points by the keys that they change (``flows, burst``): the group with the largest mean error
    first, and in each the largest error."""
    groups: dict[str, list[ValidationPoint]] = {}
    for point in sorted(points, key=_error, reverse=True):
        last = [key.rpartition(".")[2] for key in point.overrides]
        keys = [
            short if last.count(short) == 1 else key
            for key, short in zip(point.overrides, last, strict=True)
        ]
        groups.setdefault(", ".join(sorted(keys)) or "base", []).append(point)
    order = sorted(groups, key=lambda name: -fmean(_error(point) for point in groups[name]))
    return {name: groups[name] for name in order}


def _error(point: ValidationPoint) -> float:
    return abs(point.error_percent)
