"""A calibrated machine that is made up, and a run of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from tests.calibrations import base, calibration, counts, hierarchy

from planecast.engines.solve import solve
from planecast.explain.pcie import Ports, pcie_counts
from planecast.explain.pcie.counts import PcieCounts
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


@dataclass(frozen=True)
class Printed:
    """Counters that others have printed, with how their ports were used."""

    pps: float
    ports: Ports
    sockets: dict[str, PcieCounts]


@pytest.fixture(scope="session")
def printed() -> Printed:
    text = (Path(__file__).parent / "bsdp-l3fwd.yaml").read_text(encoding="utf-8")
    content: dict[str, Any] = YAML(typ="safe", pure=True).load(text)
    sockets = {
        socket: {
            f"{name}.{kind}".removesuffix(".total"): value
            for name, rate in events.items()
            for kind, value in rate.items()
        }
        for socket, events in content["sockets"].items()
    }
    used = {key: value for key, value in content.items() if key in Ports.model_fields}
    counts = {socket: pcie_counts(events) for socket, events in sockets.items()}
    return Printed(content["pps"], Ports(**used), counts)
