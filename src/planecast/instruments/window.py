"""A window of packets in a DPDK program of others, marked for an instrument.

``planecast-meter.so`` is loaded before the program and stands in the receive function of its first
port: it gives each packet the headers of one of the scenario's flows, limits bursts, and marks
where the window begins and ends, both at a poll of the port. Then the program ends.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from planecast.errors import RunError
from planecast.scenario.dataplanes.packets import Packets, as_number
from planecast.scenario.frames import FCS_BYTES
from planecast.scenario.model import Noun
from planecast.scenario.plain_flows import plain_flows
from planecast.scenario.scenario import Scenario

HOOK_FUNCTION = "count_rx"
"""What the receive function of the driver is called by."""
HOOK_OBJECTS = ("planecast-meter.so", "planecast-meter-vpp.so")
"""Whose own instructions are none of the program's."""
PORTS = ("net_null0", "net_null1,no-rx=1")
"""In and out: ports in memory; what the first receives gets its headers here."""


Mark = Literal["callgrind", "trace"]
"""The instrument that is notified where the window begins and ends."""


@dataclass(frozen=True)
class Window:
    """What is asked of the hook."""

    packets: int
    burst: int
    lead: int
    """Packets before all else, of which the instrument does not know."""
    warmup: int
    """Packets between: a trace follows them without counting."""
    mark: Mark
    slower: float
    """How many times slower than natively the instrument lets the program run. Its clock is slowed
    as much, so that timers run out once in as many packets as they do natively."""
    report: Path
    """Where the hook says what it saw."""
    go: Path | None = None
    """Nothing is done before this file is there; None: at once."""
    ready: Path | None = None
    """No packet comes before this file is there; None: at once."""
    hold: Path | None = None
    """After the lead no packet comes before this file is there; None: at once."""

    @property
    def led(self) -> bool:
        """Whether the lead of a window that is held is over."""
        return self.hold is not None and self.hold.with_name(self.hold.name + ".led").exists()


class WindowReport(Noun):
    """What the hook saw in the window."""

    packets: int
    polls: int
    """Of the port that brings packets."""
    empty_polls: int
    sent: int
    """Packets that the program's ports sent in the window."""
    sent_reported: bool = True
    """Whether any of them says what it sent."""


def window_environment(library: Path, window: Window, scenario: Scenario) -> dict[str, str]:
    """What loads the hook into a program, and what it is asked."""
    words: dict[str, object] = {
        "port": 0,
        "burst": window.burst,
        "lead": window.lead,
        "warmup": window.warmup,
        "packets": window.packets,
        "report": window.report,
        "mark": window.mark,
    }
    if scenario.dataplane.kind != "vpp":  # which makes its packets
        words |= frame_words(scenario)
    for name, file in (("go", window.go), ("ready", window.ready), ("hold", window.hold)):
        if file is not None:
            words[name] = file
    asked = " ".join(f"{name}={value}" for name, value in words.items())
    return clock_environment(library, window.slower) | {"PLANECAST_COUNT": asked}


def frame_words(scenario: Scenario) -> dict[str, object]:
    """The frames that the library makes, in its words (native/meter/frames.h)."""
    traffic, flows = scenario.traffic, plain_flows(scenario)
    return {
        "frame": first_frame(traffic.frame_bytes, flows).hex(),
        "length": traffic.frame_bytes - FCS_BYTES,
        "flows": traffic.flows,
        "seed": traffic.seed,
        "source_step": as_number(flows.source_step),
        "destination_step": as_number(flows.destination_step),
    }


def clock_environment(library: Path, slower: float) -> dict[str, str]:
    """What slows a DPDK program's clock rate down so many times."""
    return {"LD_PRELOAD": str(library), "PLANECAST_SLOWER": f"{slower:g}"}


def first_frame(frame_bytes: int, flows: Packets) -> bytes:
    """Headers of the first flow's packets: those of the generator's plain stream (IPv4 and UDP; the
    hook fills the checksum in)."""
    udp_bytes = frame_bytes - FCS_BYTES - 14 - 20
    ip = struct.pack(
        "!BBHHHBBH4s4s",
        *(0x45, 0, udp_bytes + 20, 0, 0, 64, 17, 0),
        *(flows.source_of(0).packed, flows.destination_of(0).packed),
    )
    macs = b"".join(
        bytes.fromhex(mac.replace(":", "")) for mac in (flows.destination_mac, flows.source_mac)
    )
    udp = struct.pack("!HHHH", flows.source_port, flows.destination_port, udp_bytes, 0)
    return macs + b"\x08\x00" + ip + udp


def read_report(window: Window) -> WindowReport:
    """What the hook saw. Raises RunError when it saw no whole window of full bursts."""
    try:
        found = WindowReport.model_validate_json(window.report.read_text(encoding="utf-8"))
    except (OSError, ValidationError) as error:
        raise RunError(
            "the program ended before its window of packets did",
            what_to_do="see that it polls its first DPDK port with rte_eth_rx_burst",
        ) from error
    whole = window.burst * (found.polls - found.empty_polls)
    if found.packets != window.packets or found.packets != whole:
        raise RunError(
            f"{found.packets} packets came in {found.polls - found.empty_polls} bursts and not "
            f"{window.packets} in bursts of {window.burst}: it asks for fewer at a time",
            what_to_do="set placement.burst to what the program asks its port for",
        )
    return found
