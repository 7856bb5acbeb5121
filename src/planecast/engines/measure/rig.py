"""The rig: our generator around data planes of others, over memory interfaces.

Nothing is known of what is between the two links: a trial is what the generator sent and what came
back. Two hands on one CPU take turns, so draining waits for longer than a turn.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from planecast.dataplanes.system import Link, System
from planecast.dataplanes.under_test import generator_links, systems_of
from planecast.engines.measure.sender import sender
from planecast.engines.measure.testbed import CATCH_UP_US
from planecast.errors import RunError
from planecast.generators import GeneratorConfig
from planecast.generators.config import StreamConfig
from planecast.generators.matching import plain_stream
from planecast.leftovers import private_folder
from planecast.results.estimate import Estimate
from planecast.scenario.scenario import Scenario

DRAIN_S = 0.05
"""The generator goes on receiving until nothing came for so long."""
_QUEUES = 2
"""Open vSwitch has a send queue for each thread: the main thread's comes first, and stays empty."""
_START_S = 60.0
_CONNECT_TRIALS = 50
_CONNECT_PPS = 10_000.0
_CONNECT_S = 0.02


class Rig:
    """Programs in series and the generator around them. A context manager: nothing outlives it."""

    def __init__(self, scenario: Scenario, generator_cpu: int) -> None:
        """Raises InputError for traffic that the generator can't send."""
        self._scenario = scenario
        self._cpu = generator_cpu
        self._stream: StreamConfig = plain_stream(scenario)
        self._stack = ExitStack()
        self.systems: list[System] = []

    def __enter__(self) -> Self:
        try:
            folder = Path(self._stack.enter_context(private_folder(for_sockets=True)))
            self.systems = systems_of(self._scenario, folder, self._cpu)
            for system in self.systems:
                self._stack.enter_context(system)
            self._wait_for_sockets(folder)
            links = generator_links(self._scenario, folder)
            first, second = (link.vdev(number) for number, link in enumerate(links))
            self._generator = self._stack.enter_context(
                sender(self._scenario, self._config(), _vdevs(links), (first, second), DRAIN_S)
            )
            self._connect()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *about: object) -> None:
        self._stack.close()

    def trial(self, offered_pps: float, seconds: float) -> dict[str, Any]:
        """The generator's answer to one trial, after it has drained.

        Raises RunError when a program has ended, with its last words.
        """
        self._generator.start(seconds=seconds, keys={"rate": f"{offered_pps:.0f}"})
        # Asked before, the generator's main thread would look for the end every millisecond.
        time.sleep(seconds + DRAIN_S)
        sent = self._generator.wait()
        self.check()
        return sent

    def check(self) -> None:
        """Raises RunError when a program has ended, with its last words."""
        for system in self.systems:
            system.check()

    def opinions(self, offered_pps: float, seconds: float) -> Mapping[str, Estimate]:
        """What the programs say of themselves in a trial of its own."""
        for system in self.systems:
            system.begin_opinion()
        self.trial(offered_pps, seconds)
        return {
            name: estimate for system in self.systems for name, estimate in system.opinion().items()
        }

    def _config(self) -> GeneratorConfig:
        return GeneratorConfig(
            tx=0,
            rx=1,
            link_gbps=10.0,
            lcores=(self._cpu,),
            main_cpu=self._cpu,
            streams=(self._stream,),
            rx_queues=_QUEUES if self._scenario.dataplane.kind == "ovs" else 1,
            run={
                "burst": 32,
                "drain_ms": DRAIN_S * 1e3,
                "catch_up_us": CATCH_UP_US,
                "when_full": "drop",
            },
        )

    def _wait_for_sockets(self, folder: Path) -> None:
        """Raises RunError when a program does not open its memory interfaces."""
        until = time.monotonic() + _START_S
        links = generator_links(self._scenario, folder)
        while missing := [link.socket for link in links if not link.socket.exists()]:
            self.check()
            if time.monotonic() > until:
                names = ", ".join(system.name for system in self.systems)
                raise RunError(
                    f"after {_START_S:.0f} s there is no memory interface {missing[0].name}", names
                )
            time.sleep(0.02)

    def _connect(self) -> None:
        """Waits until packets come through. Raises RunError when none do."""
        for _ in range(_CONNECT_TRIALS):
            time.sleep(_CONNECT_S)
            if self.trial(_CONNECT_PPS, _CONNECT_S)["total"]["received"]:
                return
        names = ", ".join(system.name for system in self.systems)
        raise RunError("no packet came back over the memory interfaces", names)


def _vdevs(links: tuple[Link, Link]) -> list[str]:
    return [word for number, link in enumerate(links) for word in ("--vdev", link.vdev(number))]
