"""A calibrated machine: the truth that the tests of calibration make up, fitted with some noise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.calibrations import base, calibration, counts, hierarchy, manifest

from planecast.engines.simulate import _simulator as sim
from planecast.engines.simulate.engine import over_port, played, prepare, simulate
from planecast.engines.simulate.model import Recording, model_of
from planecast.engines.simulate.port import Port
from planecast.engines.simulate.to_result import to_result
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


Changed = Callable[..., Result]
"""Simulates a scenario over a port, or with its model changed."""


@pytest.fixture
def changed(calibration: Calibration, manifest: Manifest) -> Changed:
    def asked(
        scenario: Scenario,
        *,
        port: Port | None = None,
        change: Callable[[sim.Model], sim.Model] = lambda model: model,
        recording: Recording | None = None,
    ) -> Result:
        (one,) = prepare([scenario], calibration, manifest, recording, 0.01)
        one = one if port is None else over_port(one, port)
        model = model_of(one, precision=0.01, seed=1, packets=400_000, recording=recording)
        (answer,) = played([change(model)], threads=1)
        return to_result(one, answer, manifest.model_copy(update={"engine": "simulate"}))

    return asked


@pytest.fixture
def capacity(base: Scenario, calibration: Calibration, manifest: Manifest) -> float:
    """Packets a second that the base scenario forwards at most, by the closed form."""
    return solve([base], calibration, manifest)[0].throughput_pps.value
