"""planecast's own data plane under test: it forwards from its start to its end, as others do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from planecast.dataplanes.config import configs_for
from planecast.dataplanes.dut import Program
from planecast.dataplanes.ours import Dataplane
from planecast.dataplanes.port import Port, eal_words, port_numbers
from planecast.dataplanes.trial import PortTrial
from planecast.instruments.dpdk_telemetry import port_counters
from planecast.process import Planned, pdeath_words
from planecast.scenario.scenario import Scenario

_FOR_GOOD_S = 1e6
"""The longest trial that the program takes: eleven days."""


def _for_good(scenario: Scenario) -> PortTrial:
    """Without canaries: it polls from the start."""
    return PortTrial(seconds=_FOR_GOOD_S, scenario=scenario, canary=False)


class OwnProgram(Program):
    """Our data plane between two ends, in one trial that never ends by itself."""

    name = "planecast-dataplane"

    def __init__(
        self, scenario: Scenario, ports: Sequence[Port], cpu: int, before: Sequence[str] = ()
    ) -> None:
        """It forwards on `cpu`. `before` are words before its command, to run it elsewhere."""
        placement = scenario.placement.on((cpu,))
        self._scenario = scenario.model_copy(update={"placement": placement})
        comes_in, goes_out = port_numbers(ports)
        config = configs_for([self._scenario])[0]
        config = replace(config, rx=str(comes_in), tx=str(goes_out), telemetry=True)
        # In a trial it does not see that its input was closed: so the kernel shows it.
        words = (*before, *pdeath_words("TERM"))
        self._dataplane = Dataplane(config, eal_words(ports), words)

    def planned(self) -> list[Planned]:
        """One process. Raises MissingError when it isn't built."""
        return [self._dataplane.plan()]

    def _start(self) -> None:
        self._dataplane.__enter__()
        self._dataplane.start(_for_good(self._scenario))

    def stop(self) -> None:
        """Ends it."""
        self._dataplane.stop()

    def counters(self) -> Mapping[str, int]:
        """What its ports have counted since its start. Raises RunError."""
        socket = self._dataplane.ready.get("telemetry")
        return {} if socket is None else port_counters(Path(socket))

    @property
    def pid(self) -> int | None:
        """Its process; None when it doesn't run."""
        return self._dataplane.pid

    def check(self) -> None:
        """Raises RunError with its last words when it has ended."""
        self._dataplane.check()
