"""A calibrated machine that is made up, and a run of it."""

from __future__ import annotations

import pytest
from tests.calibrations import base, calibration, counts, hierarchy

from planecast.engines.solve import solve
from planecast.model.calibration import Calibration
from planecast.results import Manifest, Result, StageResult, collect_manifest
from planecast.scenario import Scenario

__all__ = ["base", "calibration", "counts", "hierarchy"]


@pytest.fixture(scope="session")
def manifest() -> Manifest:
    made = collect_manifest("measure", 1, "planecast measure")
    return made.model_copy(update={"host": {"cpu": "Test CPU", "cpu_id": "GenuineIntel-6-143"}})


@pytest.fixture(scope="session")
def measured(base: Scenario, calibration: Calibration, manifest: Manifest) -> Result:
    """A measurement that takes 3 % more in every stage than the model says, less a loop's cycle."""
    (found,) = solve([base], calibration, manifest)

    def scaled(name: str, stage: StageResult) -> StageResult:
        assert stage.cycles_per_packet is not None
        cycles = stage.cycles_per_packet.scaled(1.03, "cycles/packet")
        return StageResult(cycles_per_packet=cycles.model_copy(update={"kind": "measured"}))

    stages = {name: scaled(name, stage) for name, stage in found.stages.items()}
    inside = sum(s.cycles_per_packet.value for s in stages.values() if s.cycles_per_packet)
    cycles = found.cycles_per_packet.model_copy(
        update={"value": inside + 1, "low": inside, "high": inside + 2, "kind": "measured"}
    )
    return found.model_copy(
        update={"cycles_per_packet": cycles, "stages": stages, "instructions_per_packet": None}
    )
