"""VPP between two interfaces of its own packet generator: nothing sends to it, and one thread does
all, so its nodes can be counted without links."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from planecast.dataplanes.vpp import Vpp
from planecast.errors import RunError
from planecast.instruments.plain_capture import plain_capture
from planecast.scenario.scenario import Scenario

INTERFACES = ("pg0", "pg1")
SOURCE = "pg_input"
"""The function of the node that makes packets, once a turn of the main loop."""
_ADDRESS = re.compile(r"Ethernet address ((?:[0-9a-f]{2}:){5}[0-9a-f]{2})")
_NO_END = 10**15
"""Packets of a stream."""


class VppInMemory(Vpp):
    """A graph between two interfaces in memory."""

    def __init__(
        self, scenario: Scenario, folder: Path, *, cpu: int, before: Sequence[str] = ()
    ) -> None:
        """As of a VPP between links. Raises InputError for tables that don't fit the traffic."""
        super().__init__(scenario, (), folder, cpu=cpu, main_cpu=cpu, before=before)
        self._scenario = scenario

    def _names(self) -> list[str]:
        return list(INTERFACES)

    def _threads(self) -> str:
        return f"main-core {self._cpu}"

    def _make_interfaces(self) -> None:
        for name in INTERFACES:
            self._cli.configure(f"create packet-generator interface {name}")

    @contextmanager
    def forwarding(self, burst: int) -> Iterator[None]:
        """Forwards bursts of this many packets until the block ends.

        Raises InputError for flows that leave the addresses that are routed, RunError with what VPP
        replied."""
        name, capture = f"bursts-{burst}", self._folder / "packets.pcap"
        if not capture.exists():
            capture.write_bytes(plain_capture(self._scenario, self._address()))
        self._cli.configure(
            f"packet-generator new pcap {capture} source {INTERFACES[0]} name {name} "
            f"limit {_NO_END} maxframe {burst}"
        )
        self._cli.configure(f"packet-generator enable-stream {name}")
        yield
        self._cli.configure(f"packet-generator disable-stream {name}")

    def forwarded(self) -> tuple[int, int]:
        """Packets that came in, and that went out, since `begin_opinion`."""
        counters = self.counters()
        comes_in, goes_out = INTERFACES
        return counters.get(f"{comes_in} rx packets", 0), counters.get(f"{goes_out} tx packets", 0)

    def _address(self) -> bytes:
        text = self._cli.show(f"show hardware-interfaces {INTERFACES[0]}")
        found = _ADDRESS.search(text)
        if found is None:
            raise RunError(f"{INTERFACES[0]} has no hardware address", "VPP", "report its version")
        return bytes.fromhex(found[1].replace(":", ""))
