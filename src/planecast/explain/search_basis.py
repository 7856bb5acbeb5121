"""SearchBasis: what other runs know of a data plane that was searched.

A search has rates, cycles and the program's own statistics. What these cycles are is in other runs
of the same runs folder: a calibration of the program, a profile of the scenario, the measured cost
of a kind of port.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from planecast.explain.arithmetic import difference
from planecast.model.calibration import Calibration
from planecast.results.estimate import Estimate
from planecast.results.port_costs import BASE, PORT_COSTS, PortCost, PortCosts
from planecast.scenario.dataplanes.hosted import Hosted
from planecast.scenario.scenario import Scenario
from planecast.workload.counts import InstructionCounts
from planecast.workload.traced.profile import TracedProfile

_SAME_HOST = ("cpu", "cpu_id", "cpus")
"""Facts that two runs on one host have in common."""


@dataclass(frozen=True)
class SearchBasis:
    """What other runs know of the data plane that was searched; nothing by default."""

    calibration: Calibration | None = None
    """Of the program; one of another program shows the machine's clocks alone."""
    counts: InstructionCounts | None = None
    """Of a profile of the same scenario."""
    counted_by: str = ""
    """The run that counted `counts`."""
    traced: TracedProfile | None = None
    """Of a trace of the same scenario."""
    traced_by: str = ""
    """The run that traced it."""
    ports: PortCosts | None = None
    """Measured on the host of the search."""
    ports_by: str = ""
    """The run that measured `ports`."""

    def port_cost(self, scenario: Scenario) -> Estimate | None:
        """TSC cycles that a packet takes in the scenario's kind of port, in and out, above ports in
        memory that do next to nothing. None where nobody measured them."""
        wanted = scenario.dataplane
        if self.ports is None or not isinstance(wanted, Hosted):
            return None
        frame = scenario.traffic.frame_bytes
        own, least = (_cycles(self.ports.port(kind), frame) for kind in (wanted.ports, BASE))
        return None if own is None or least is None else difference(own, least)


def port_costs_of(root: Path, host: Mapping[str, object]) -> tuple[PortCosts, str] | None:
    """The last port costs that were measured on the host of these facts, and their run's name; None
    where none were. Files that can't be read are passed over."""
    for path in sorted(root.glob(f"*/{PORT_COSTS}"), reverse=True):  # names begin with the time
        try:
            found = PortCosts.model_validate_json(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if all(found.manifest.host.get(key) == host.get(key) for key in _SAME_HOST):
            return found, path.parent.name
    return None


def _cycles(port: PortCost | None, frame_bytes: float) -> Estimate | None:
    """Of a frame of this size, between the sizes that were measured; None beyond them."""
    costs = {one.frame_bytes: one.cycles_per_packet for one in port.sizes} if port else {}
    at = sorted(costs)
    if not at or not at[0] <= frame_bytes <= at[-1]:
        return None
    rows = [costs[size] for size in at]
    ends = [one.interval or (one.value, one.value) for one in rows]
    value, low, high = (
        float(np.interp(frame_bytes, at, column))
        for column in ([one.value for one in rows], *zip(*ends, strict=True))
    )
    return rows[0].model_copy(update={"value": value, "low": low, "high": high})
