"""A calibrated machine: the truth that the tests of calibration make up, fitted with some noise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.calibrate.test_fit import fitted
from tests.engines.solve.conftest import base, counts, hierarchy

from planecast.engines.simulate.engine import simulate
from planecast.engines.solve import Calibration, Hierarchy, solve
from planecast.instruments.counts import InstructionCounts
from planecast.results import Manifest, Result, collect_manifest
from planecast.scenario import Scenario, with_overrides

__all__ = ["base", "counts", "hierarchy"]

Ask = Callable[..., Result]
"""Simulates the base scenario with other values: keys with __ for their dots."""


@pytest.fixture(scope="session")
def manifest() -> Manifest:
    """This machine's, as if it had CPUs for all lcores that are asked about."""
    made = collect_manifest("simulate", 1, "planecast predict")
    return made.model_copy(update={"host": {**made.host, "cpus": 64}})


@pytest.fixture(scope="session")
def calibration(
    base: Scenario,
    hierarchy: Hierarchy,
    counts: dict[str, InstructionCounts],
    manifest: Manifest,
) -> Calibration:
    return fitted(base, hierarchy, counts, manifest, 0.01)


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
