"""SearchBasis: what other runs know of a data plane that was searched.

A search has rates, cycles and the program's own statistics. What these cycles are is in other runs
of the same runs folder: a calibration of the program, a profile of the scenario, the measured cost
of a kind of port.
"""

from __future__ import annotations

from dataclasses import dataclass

from planecast.explain.known import Known
from planecast.results.estimate import Estimate
from planecast.results.port_costs import PortCosts
from planecast.scenario.dataplanes.hosted import Hosted
from planecast.scenario.scenario import Scenario


@dataclass(frozen=True)
class SearchBasis(Known):
    """What other runs know of the data plane that was searched; nothing by default."""

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
        return self.ports.above_base(wanted.ports, scenario.traffic.frame_bytes)
