"""VPP between two interfaces of its own packet generator: nothing sends to it, and one thread does
all, so its nodes can be counted, traced and measured without links.

The node that makes packets is where planecast-meter-vpp.so stands. It replays a capture of the
scenario's flows; bursts are of the size that the stream is made with.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from planecast.dataplanes.vpp import Vpp
from planecast.errors import RunError
from planecast.instruments.plain_capture import plain_capture
from planecast.scenario.scenario import Scenario
from planecast.workload.traced.regions import loop_of

INTERFACES = ("pg0", "pg1")
_ADDRESS = re.compile(r"Ethernet address ((?:[0-9a-f]{2}:){5}[0-9a-f]{2})")
MADE = loop_of("vpp").made_at_once
"""Packets that are made at a time, and counted as received then."""
_STREAM = "packets"
_NO_END = 10**15
"""Packets of a stream."""


class VppInMemory(Vpp):
    """A graph between two interfaces in memory."""

    def __init__(
        self,
        scenario: Scenario,
        folder: Path,
        *,
        cpu: int,
        before: Sequence[str] = (),
        fds: Sequence[int] = (),
    ) -> None:
        """As of a VPP between links. Raises InputError for tables that don't fit the traffic."""
        super().__init__(scenario, (), folder, cpu=cpu, main_cpu=cpu, before=before, fds=fds)
        self._sends: Scenario | None = None
        self._hardware = b""

    def _names(self) -> list[str]:
        return list(INTERFACES)

    def _threads(self) -> str:
        return f"main-core {self._cpu}"

    def _make_interfaces(self) -> None:
        for name in INTERFACES:
            self._cli.configure(f"create packet-generator interface {name}")

    def send(self, scenario: Scenario) -> None:
        """From now on the scenario's packets come, in bursts of its size, in place of others.

        Raises InputError for flows that leave the addresses that are routed, RunError with what VPP
        replied."""
        if self._sends is not None:
            if _packets_of(self._sends) == _packets_of(scenario):
                return
            self._cli.configure(f"packet-generator disable-stream {_STREAM}")
            self._cli.configure(f"packet-generator delete {_STREAM}")
            self._sends = None
        capture = self._capture(scenario)
        self._cli.configure(
            f"packet-generator new pcap {capture} source {INTERFACES[0]} name {_STREAM} "
            f"limit {_NO_END} maxframe {scenario.placement.burst}"
        )
        self._cli.configure(f"packet-generator enable-stream {_STREAM}")
        self._sends = scenario

    def forwarded(self) -> tuple[int, int]:
        """Packets that came in, and that went out, since its start."""
        counters = self.counters()
        comes_in, goes_out = INTERFACES
        return counters.get(f"{comes_in} rx packets", 0), counters.get(f"{goes_out} tx packets", 0)

    def _capture(self, scenario: Scenario) -> Path:
        traffic = scenario.traffic
        file = self._folder / f"{traffic.active_flows}-{traffic.frame_bytes}.pcap"
        if not file.exists():
            file.write_bytes(plain_capture(scenario, self._address()))
        return file

    def _address(self) -> bytes:
        if not self._hardware:
            found = _ADDRESS.search(self._cli.show(f"show hardware-interfaces {INTERFACES[0]}"))
            if found is None:
                raise RunError(
                    f"{INTERFACES[0]} has no hardware address", "VPP", "report its version"
                )
            self._hardware = bytes.fromhex(found[1].replace(":", ""))
        return self._hardware


def _packets_of(scenario: Scenario) -> tuple[object, ...]:
    """What a stream is made by."""
    return scenario.traffic, scenario.placement.burst
