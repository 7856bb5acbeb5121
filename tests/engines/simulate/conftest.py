"""A calibrated machine: the truth that the tests of calibration make up, fitted with some noise."""

from __future__ import annotations

import pytest
from tests.calibrate.test_fit import fitted
from tests.engines.solve.conftest import base, counts, hierarchy

from planecast.engines.solve import Calibration, Hierarchy
from planecast.instruments.counts import InstructionCounts
from planecast.results import Manifest, collect_manifest
from planecast.scenario import Scenario

__all__ = ["base", "counts", "hierarchy"]


@pytest.fixture(scope="session")
def manifest() -> Manifest:
    return collect_manifest("simulate", 1, "planecast predict")


@pytest.fixture(scope="session")
def calibration(
    base: Scenario,
    hierarchy: Hierarchy,
    counts: dict[str, InstructionCounts],
    manifest: Manifest,
) -> Calibration:
    return fitted(base, hierarchy, counts, manifest, 0.01)
