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
from planecast.scenario.model import Noun
from planecast.scenario.traffic import Traffic

HOOK_FUNCTION = "count_rx"
"""What the receive function of the driver is called by."""
HOOK_OBJECT = "planecast-meter.so"
"""Whose own instructions are none of the program's."""
PORTS = ("net_null0", "net_null1,no-rx=1")
"""In and out: ports in memory; what the first receives gets its headers here."""

_MACS = bytes.fromhex("020000000002") + bytes.fromhex("020000000001")
_FIRST_SOURCE, _FIRST_DESTINATION = "0a000001", "0b000001"
_UDP_PORTS = (49152, 49153)
_FCS = 4


@dataclass(frozen=True)
class Window:
    """What is asked of the hook."""

    packets: int
    burst: int
    lead: int
    """Packets before all else, of which the instrument does not know."""
    warmup: int
    """Packets between: a trace follows them without counting."""
    mark: Literal["callgrind", "trace"]
    """The instrument that is told."""
    slower: float
    """How many times slower than natively the instrument lets the program run. Its clock is slowed
    as much, so that timers run out once in as many packets as they do natively."""
    report: Path
    """Where the hook says what it saw."""
    go: Path | None = None
    """Nothing is done before this file is there; None: at once."""


class WindowReport(Noun):
    """What the hook saw in the window."""

    packets: int
    polls: int
    """Of the port that brings packets."""
    empty_polls: int
    sent: int
    """Packets that the other port sent in the window."""


def window_environment(library: Path, window: Window, traffic: Traffic) -> dict[str, str]:
    """What loads the hook into a program, and what it is asked."""
    frame = first_frame(traffic)
    words: dict[str, object] = {
        "port": 0,
        "burst": window.burst,
        "lead": window.lead,
        "warmup": window.warmup,
        "packets": window.packets,
        "report": window.report,
        "mark": window.mark,
        "frame": frame.hex(),
        "length": traffic.frame_bytes - _FCS,
        "flows": traffic.flows,
        "seed": traffic.seed,
        "source_step": 1,
        "destination_step": 1,
    }
    if window.go is not None:
        words["go"] = window.go
    asked = " ".join(f"{name}={value}" for name, value in words.items())
    return clock_environment(library, window.slower) | {"PLANECAST_COUNT": asked}


def clock_environment(library: Path, slower: float) -> dict[str, str]:
    """What slows a DPDK program's clock rate down so many times."""
    return {"LD_PRELOAD": str(library), "PLANECAST_SLOWER": f"{slower:g}"}


def first_frame(traffic: Traffic) -> bytes:
    """Headers of the first flow's packets: those of the generator's plain stream (IPv4 and UDP; the
    hook fills the checksum in)."""
    udp_bytes = traffic.frame_bytes - _FCS - 14 - 20
    ip = struct.pack(
        "!BBHHHBBH4s4s",
        *(0x45, 0, udp_bytes + 20, 0, 0, 64, 17, 0),
        *(bytes.fromhex(_FIRST_SOURCE), bytes.fromhex(_FIRST_DESTINATION)),
    )
    return _MACS + b"\x08\x00" + ip + struct.pack("!HHHH", *_UDP_PORTS, udp_bytes, 0)


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
