"""What forwards is there already: nobody here starts or ends it."""

from __future__ import annotations

from pathlib import Path

from planecast.dataplanes.dut import Dut
from planecast.process import Planned


class ExternalDut(Dut):
    """Nothing that we start, between the ports of a generator of others."""

    name = "what is between the generator's ports"
    reports_cost = False

    def planned(self, folder: Path) -> list[Planned]:
        """Nothing."""
        return []

    def check(self) -> None:
        """Nothing is known of it."""

    def stop(self) -> None:
        """Nothing was started."""

    def _start(self) -> None:
        pass
