"""Port costs, measured: testpmd in io mode between two ports of each kind, at several frame sizes.

Ports within one process (net_null, pcap) are metered in windows, as a peer is; links to another
process have the generator at the other ends, which offers more than testpmd takes, and what it took
is counted over the time that its thread ran.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from planecast.dataplanes.peer import Peer
from planecast.dataplanes.testpmd import plan_testpmd
from planecast.engines.measure.pacing import CPU_SHARES
from planecast.engines.measure.rig import Rig
from planecast.errors import MissingError, PlanecastError, RunError
from planecast.leftovers import private_folder
from planecast.results.estimate import Estimate
from planecast.results.port_costs import BASE, PortCost, SizeCost, line_of
from planecast.results.student import mean_estimate
from planecast.results.trials import Columns
from planecast.scenario.override import with_overrides
from planecast.scenario.scenario import Scenario

LINKS = ("memif", "vhost-user", "veth", "af_xdp")
IN_PROCESS = (BASE, "pcap")
KINDS = (*IN_PROCESS, *LINKS)
SIZES = (64, 256, 512, 1024, 1518)
ROUNDS = 3
_TRIAL_S = 0.1
_TRIALS = 5
_SATURATED = 0.01
"""Least share of the offered packets that a saturated port refuses or loses."""
_WINDOWS, _PACKETS, _WARMUP = 64, 4096, 65536
_FCS_BYTES = 4
_FRAMES = 512
"""Of a capture, which is repeated."""


@dataclass(frozen=True)
class Figure:
    """Cycles a packet in one round."""

    kind: str
    frame_bytes: int
    round: int
    cycles: float


def port_figures(
    kind: str, cpus: tuple[int, int], sizes: Sequence[int], rounds: int
) -> Iterator[Figure]:
    """All figures of a kind, round by round; `cpus` are testpmd's and the generator's.

    Raises MissingError and RunError as what is started does.
    """
    for number in range(rounds):
        for size in sizes:
            if kind in LINKS:
                cycles = _over_a_link(kind, cpus, size)
            else:
                cycles = _in_process(kind, cpus, size)
            yield Figure(kind, size, number, cycles)


def port_cost(figures: Sequence[Figure]) -> PortCost:
    """The cost of one kind from its figures."""
    sizes = sorted({figure.frame_bytes for figure in figures})
    per_packet, per_byte = line_of(
        [figure.frame_bytes for figure in figures], [figure.cycles for figure in figures]
    )
    return PortCost(
        kind=figures[0].kind,
        sizes=tuple(
            SizeCost(frame_bytes=size, cycles_per_packet=_of_size(figures, size)) for size in sizes
        ),
        per_packet=per_packet,
        per_byte=per_byte,
    )


def measured_cost(
    kind: str, cpus: tuple[int, int], sizes: Sequence[int], rounds: int, step: Callable[[], None]
) -> tuple[PortCost, list[Figure]]:
    """A kind's cost, or why there is none here; `step` is called after each figure."""
    figures: list[Figure] = []
    try:
        for figure in port_figures(kind, cpus, sizes, rounds):
            figures.append(figure)
            step()
    except (MissingError, RunError) as error:
        return PortCost(kind=kind, why_not=_first_line(error)), figures
    return port_cost(figures), figures


def _first_line(error: PlanecastError) -> str:
    return str(error).splitlines()[0]


def _of_size(figures: Sequence[Figure], size: int) -> Estimate:
    of_size = [figure.cycles for figure in figures if figure.frame_bytes == size]
    return mean_estimate(of_size, "cycles/packet", "measured")


def _over_a_link(kind: str, cpus: tuple[int, int], size: int) -> float:
    """The median of some trials of one start. Raises RunError when testpmd was never saturated."""
    keys = {
        "dataplane.kind": "testpmd",
        "dataplane.mode": "io",
        "dataplane.ports": kind,
        "traffic.frame_bytes": size,
        "placement.cpus": str(cpus[0]),
    }
    found = []
    with Rig(with_overrides(Scenario(name="port"), keys), cpus[1]) as rig:
        for _ in range(_TRIALS):
            sent = rig.trial(None, _TRIAL_S)
            total, share = sent["total"], sent[CPU_SHARES[0]]
            refused = total["refused"] + total["lost"]
            if share and refused > _SATURATED * (total["sent"] + total["refused"]):
                found.append(sent["seconds"] * sent["tsc_hz"] * share / total["sent"])
    if not found:
        raise RunError(
            f"{kind} with frames of {size} bytes: the generator offered no more than testpmd took, "
            "so its cost is not known"
        )
    return float(np.median(found))


def _in_process(kind: str, cpus: tuple[int, int], size: int) -> float:
    """The median window of one start."""
    with private_folder() as folder:
        if kind == BASE:
            device = f"net_null0,size={size - _FCS_BYTES},copy=0"
        else:
            capture = Path(folder) / "frames.pcap"
            capture.write_bytes(_capture(size - _FCS_BYTES))
            device = f"net_pcap0,rx_pcap={capture},infinite_rx=1,tx_pcap=/dev/null"
        with Peer(plan_testpmd("io", [device], cpu=cpus[0], main_cpu=cpus[1])) as peer:
            windows = peer.trial(_WINDOWS, _PACKETS, _WARMUP).windows
    return float(np.median(np.asarray(windows.cycles) / np.asarray(windows.packets)))


def _capture(frame_bytes: int) -> bytes:
    """A pcap file (microseconds, Ethernet) of frames all alike."""
    frame = bytes(frame_bytes)
    record = struct.pack("<IIII", 0, 0, frame_bytes, frame_bytes) + frame
    return struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1) + _FRAMES * record


def figure_columns(figures: Sequence[Figure]) -> Columns:
    """The figures as columns, a row each."""
    return {
        "kind": np.array([figure.kind for figure in figures]),
        "frame_bytes": np.array([figure.frame_bytes for figure in figures]),
        "round": np.array([figure.round for figure in figures]),
        "cycles_per_packet": np.array([figure.cycles for figure in figures]),
    }
