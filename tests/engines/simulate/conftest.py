"""A calibrated machine: the truth that the tests of calibration make up, fitted with some noise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.calibrations import base, calibration, counts, hierarchy, manifest

from planecast.engines.simulate.engine import simulate
from planecast.engines.solve import solve
from planecast.model.calibration import Calibration
from planecast.results import Manifest, Result
from planecast.scenario import Scenario, with_overrides

__all__ = ["base", "calibration", "counts", "hierarchy", "manifest"]

Ask = Callable[..., Result]
"""Simulates the base scenario with other values: keys with __ for their dots."""


@pytest.fixture
def ask(base: Scenario, calibration: Calibration, manifest: Manifest) -> Ask:
    def asked(**point: Any) -> Result:
        changes = {key.replace("__", "."): value for key, value in point.items()}
        (found,) = simulate([with_overrides(base, changes)], calibration, manifest, threads=1)
        return found

    return asked


@pytest.fixture
def capacity(base: Scenario, calibration: Calibration, manifest: Manifest) -> float:
    """Packets a second that the base scenario forwards at most, by the closed form."""
    return solve([base], calibration, manifest)[0].throughput_pps.value
