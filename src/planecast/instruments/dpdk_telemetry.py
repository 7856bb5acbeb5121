"""DPDK's telemetry socket: what a DPDK program counts, asked while it runs.

A client connects to a socket of packets in the program's runtime folder, is greeted with a line of
JSON, and asks ``/command,parameters`` (DPDK, Telemetry User Guide and How-to).
"""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

from planecast.errors import RunError

SOCKET = "dpdk_telemetry.v2"
_TIMEOUT_S = 5.0
_GREETING_BYTES = 1024
_ANSWER_BYTES = 1 << 20
COUNTERS = ("ipackets", "opackets", "imissed", "ierrors", "oerrors", "rx_nombuf")
"""Of ``/ethdev/stats``: rte_eth_stats by its field names."""


def ask(path: Path, *commands: str) -> list[Any]:
    """What the program answers to each command, without the command's name around it.

    Raises RunError when nobody answers, or not in JSON.
    """
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
            client.settimeout(_TIMEOUT_S)
            client.connect(str(path))
            client.recv(_GREETING_BYTES)
            found = []
            for command in commands:
                client.send(command.encode())
                answer = json.loads(client.recv(_ANSWER_BYTES))
                found.append(answer[command.partition(",")[0]])
            return found
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunError(f"DPDK's telemetry does not answer: {error}", str(path)) from None


def started_ports(path: Path) -> int:
    """How many of the program's ports are started. Raises RunError."""
    (ports,) = ask(path, "/ethdev/list")
    infos = ask(path, *(f"/ethdev/info,{number}" for number in ports or ()))
    # Releases before 21.08 don't say it: there a port that is listed counts.
    return sum(int(info.get("dev_started", 1)) for info in infos)


def port_counters(path: Path) -> dict[str, int]:
    """``port0.ipackets`` and the like, of every port of the program. Raises RunError."""
    (ports,) = ask(path, "/ethdev/list")
    found: dict[str, int] = {}
    for number in ports or ():
        (stats,) = ask(path, f"/ethdev/stats,{number}")
        found |= {f"port{number}.{name}": int(stats[name]) for name in COUNTERS if name in stats}
    return found
