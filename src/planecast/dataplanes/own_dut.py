"""planecast's own data plane between two memory interfaces, asked trial by trial.

    generator ── memif 0, placement.rx_ring slots ──> data plane
              <── memif 1, placement.tx_ring slots ──

So it reports its stages and accounts for every packet. Over other links it runs free
(`own_program`).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from planecast.cleanup import private_folder
from planecast.dataplanes.config import DataplaneConfig, configs_for
from planecast.dataplanes.dut import Dut
from planecast.dataplanes.memory import pages_of_process
from planecast.dataplanes.ours import Dataplane
from planecast.dataplanes.port import Port, eal_words
from planecast.dataplanes.trial import PortTrial, TrialAnswer
from planecast.host.cpu_time import away_seconds, pinned_seconds
from planecast.instruments.dpdk_telemetry import port_counters
from planecast.process import Planned
from planecast.scenario.host_cpus import cpus_here
from planecast.scenario.override import with_overrides
from planecast.scenario.scenario import Scenario

CLOCK = "placement.stage_clock"


class OwnDut(Dut):
    """The data plane, in trials."""

    name = "planecast-dataplane"
    drain_s = 0.005
    """A full ring takes 0.1 ms."""
    lead_s = 0.006
    """It has to wake up."""
    tail_s = 0.015
    """For all that starts and stops late on a busy machine."""
    reports_cost = False
    """Its cycles are in the answer to a trial."""

    def __init__(self, scenario: Scenario, *, telemetry: bool = False) -> None:
        """`telemetry` opens DPDK's socket."""
        self._scenario = scenario
        self._telemetry = telemetry
        self._stack = ExitStack()
        self._cpu = cpus_here(scenario)[0]
        self._dataplane: Dataplane | None = None

    @property
    def config(self) -> DataplaneConfig:
        """What it is started with."""
        config = configs_for([self._scenario])[0]
        return replace(config, rx="0", tx="1", telemetry=self._telemetry)

    def planned(self, folder: Path) -> list[Planned]:
        """One process. Raises MissingError when it isn't built."""
        return [self._made(folder).plan()]

    def check(self) -> None:
        """Raises RunError with its last words when it has ended."""
        self._running.check()

    def begin_trial(self, seconds: float, *, every_burst: bool = False) -> None:
        """It polls for so long; packets that an earlier trial left behind are forwarded."""
        scenario = with_overrides(self._scenario, {CLOCK: 1}) if every_burst else self._scenario
        self._running.start(PortTrial(seconds=seconds, scenario=scenario))

    def finish_trial(self, timeout_s: float) -> TrialAnswer:
        """The answer, with stages. Raises RunError when it fails."""
        return self._running.finish(timeout_s)

    def counters(self) -> Mapping[str, int]:
        """What its ports have counted; empty without telemetry. Raises RunError."""
        socket = self._running.ready.get("telemetry")
        return {} if socket is None else port_counters(Path(socket))

    def cpu_seconds(self) -> Mapping[int, float]:
        """CPU time of the thread that forwards."""
        pid = self._running.pid
        had = None if pid is None else pinned_seconds(pid, self._cpu)
        return {} if had is None else {self._cpu: had}

    def away_seconds(self) -> float | None:
        """For how long it wanted its CPU and did not have it."""
        pid = self._running.pid
        return None if pid is None else away_seconds(pid, self._cpu)

    def pages(self) -> str | None:
        """Of packets and tables."""
        return None if self._dataplane is None else pages_of_process(self._dataplane.pid)

    def stop(self) -> None:
        """Ends it."""
        self._stack.close()

    @property
    def _running(self) -> Dataplane:
        assert self._dataplane is not None
        return self._dataplane

    def _start(self) -> None:
        folder = Path(self._stack.enter_context(private_folder(for_sockets=True)))
        self._dataplane = self._stack.enter_context(self._made(folder))

    def _made(self, folder: Path) -> Dataplane:
        """The process, and from now on the generator's ports; the client's ring sizes hold."""
        self.ports = self._links(folder, server=False)
        return Dataplane(self.config, eal_words(self._links(folder, server=True)))

    def _links(self, folder: Path, *, server: bool) -> tuple[Port, Port]:
        """Where one side sends or takes, and where the other."""

        def port(number: int, ring: int) -> Port:
            address = str(folder / f"memif{number}.sock")
            return Port(kind="memif", address=address, ring=ring, server=server)

        placement = self._scenario.placement
        return port(0, placement.rx_ring), port(1, placement.tx_ring)
