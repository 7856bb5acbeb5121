"""Roles: what a point of a validation is there for."""

from __future__ import annotations

from planecast.results import ValidationPoint

ROLES = ("calibration", "held out", "extrapolated")
"""calibration: the model was fitted to it; held out: predicted before it was measured, within the
calibrated range; extrapolated: held out and outside that range."""


def role_of(point: ValidationPoint) -> str:
    """The role of a point, one of `ROLES`."""
    if not point.held_out:
        return "calibration"
    return "extrapolated" if point.extrapolates else "held out"
