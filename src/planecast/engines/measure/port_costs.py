"""Port costs, measured: testpmd in io mode between two ports of each kind, at several frame sizes.

Ports within one process (net_null, pcap) are metered in windows, as programs are. Links to another
process have the generator at the other ends. Over memory it offers more than testpmd takes, and
what testpmd took is counted over the time that its thread ran. Over cables of the kernel (veth,
af_xdp) it offers less, for it also makes packets: there the polls that found some are timed.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from planecast.cleanup import private_folder
from planecast.dataplanes.external_dpdk import ExternalDpdk
from planecast.dataplanes.link_topology import link_topology_of
from planecast.dataplanes.namespace import Namespace
from planecast.dataplanes.port import eal_words, generator_ports
from planecast.dataplanes.testpmd import plan_testpmd
from planecast.engines.measure.generator_factory import joined
from planecast.engines.measure.testbed import Testbed, dut_of
from planecast.engines.measure.tx_pacing import CPU_SHARES
from planecast.errors import MissingError, PlanecastError, RunError
from planecast.generators import Generator
from planecast.generators.matching import plain_stream
from planecast.results.estimate import Estimate
from planecast.results.port_costs import BASE, PortCost, SizeCost, line_of
from planecast.results.student import mean_estimate
from planecast.results.trials import Columns
from planecast.scenario.frames import FCS_BYTES
from planecast.scenario.override import with_overrides
from planecast.scenario.scenario import Scenario

LINKS = ("memif", "vhost-user")
CABLES = ("veth", "af_xdp")
IN_PROCESS = (BASE, "pcap")
KINDS = (*IN_PROCESS, *LINKS, *CABLES)
SIZES = (64, 256, 512, 1024, 1518)
ROUNDS = 3
_TRIAL_S = 0.1
_TRIALS = 5
_SATURATED = 0.01
"""Least share of the offered packets that a saturated port refuses or loses."""
_WINDOWS, _PACKETS, _WARMUP = 64, 4096, 65536
_CABLE_WINDOWS, _CABLE_PACKETS = 32, 1024
_TIMED = 2
"""Of so many polls the parts of one are timed."""
_FEWEST_SIZES = 2
"""Of a line."""
_PARTS = ("rx", "program", "tx")
_LONGEST_S, _DRAIN_S = 10.0, 0.05
_FRAMES = 512
"""Of a capture, which is repeated."""


@dataclass(frozen=True)
class Figure:
    """Cycles a packet in one round."""

    kind: str
    frame_bytes: int
    round: int
    cycles: float


def port_figure(kind: str, cpus: tuple[int, int], size: int, number: int) -> Figure:
    """One figure of a kind, of a start of its own; `cpus` are testpmd's and the generator's.

    Raises MissingError and RunError as what is started does.
    """
    if kind in LINKS:
        cycles = _over_a_link(kind, cpus, size)
    elif kind in CABLES:
        cycles = _over_a_cable(kind, cpus, size)
    else:
        cycles = _in_process(kind, cpus, size)
    return Figure(kind, size, number, cycles)


def port_cost(figures: Sequence[Figure], why_not: str = "") -> PortCost:
    """The cost of one kind from its figures, and why some sizes have none."""
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
        why_not=why_not,
    )


def measured_cost(
    kind: str, cpus: tuple[int, int], sizes: Sequence[int], rounds: int, step: Callable[[], None]
) -> tuple[PortCost, list[Figure]]:
    """A kind's cost, of the sizes that have figures of two starts or more, or why there is none
    here; `step` is called after each figure or failure."""
    figures: list[Figure] = []
    why_not = ""
    for number in range(rounds):
        for size in sizes:
            try:
                figures.append(port_figure(kind, cpus, size, number))
            except MissingError as error:
                return PortCost(kind=kind, why_not=_first_line(error)), figures
            except RunError as error:
                why_not = _first_line(error)
            step()
        if not figures:
            break
    starts = Counter(figure.frame_bytes for figure in figures)
    figures = [figure for figure in figures if starts[figure.frame_bytes] > 1]
    if len({figure.frame_bytes for figure in figures}) < _FEWEST_SIZES:
        return PortCost(kind=kind, why_not=why_not), figures
    return port_cost(figures, why_not), figures


def _first_line(error: PlanecastError) -> str:
    return str(error).splitlines()[0]


def _of_size(figures: Sequence[Figure], size: int) -> Estimate:
    of_size = [figure.cycles for figure in figures if figure.frame_bytes == size]
    return mean_estimate(of_size, "cycles/packet", "measured")


def _over_a_link(kind: str, cpus: tuple[int, int], size: int) -> float:
    """The median of some trials of one start. Raises RunError when testpmd was never saturated."""
    found = []
    scenario = _scenario(kind, cpus[0], size)
    with Testbed(scenario, dut_of(scenario, cpus[1]), cpus[1]) as testbed:
        for _ in range(_TRIALS):
            sent = testbed.trial(None, _TRIAL_S).sent
            total, share = sent["total"], sent[CPU_SHARES[0]]
            refused = total["refused"] + total["lost"]
            if (
                share
                and total["sent"]
                and refused > _SATURATED * (total["sent"] + total["refused"])
            ):
                found.append(sent["seconds"] * sent["tsc_hz"] * share / total["sent"])
    if not found:
        raise RunError(
            f"{kind} with frames of {size} bytes: the generator offered no more than testpmd took, "
            "so its cost is not known"
        )
    return float(np.median(found))


def _over_a_cable(kind: str, cpus: tuple[int, int], size: int) -> float:
    """The median over windows of what a packet took in polls that found some, of one start."""
    scenario = _scenario(kind, cpus[0], size)
    with private_folder() as folder, Namespace(Path(folder)) as inside:
        topology = link_topology_of(scenario, Path(folder), inside)
        devices = [port.device(number) for number, port in enumerate(topology.programs[0])]
        plan = plan_testpmd("io", devices, cpus=[cpus[0]], main_cpu=cpus[1], pages="4KiB")
        made, _ = generator_ports(topology.generator)
        config = joined(cpus[1], plain_stream(scenario), _DRAIN_S, topology.generator)
        with (
            ExternalDpdk(replace(plan, before=inside.words)) as program,
            Generator(config, eal_words(made), inside.words) as generator,
        ):
            generator.start(seconds=_LONGEST_S, keys={"rate": "max"})
            windows = program.trial(_CABLE_WINDOWS, _CABLE_PACKETS, 0, _LONGEST_S, _TIMED).windows
            generator.stop_run()
    cycles = np.sum([windows.stage_cycles[part] for part in _PARTS], axis=0)
    packets = np.asarray(windows.sampled_packets)
    timed = packets > 0
    if not timed.any():
        raise RunError(f"{kind} with frames of {size} bytes: no poll that found packets was timed")
    return float(np.median(cycles[timed] / packets[timed]))


def _scenario(kind: str, cpu: int, size: int) -> Scenario:
    """testpmd in io mode over two links of a kind."""
    keys = {
        "dataplane.kind": "testpmd",
        "dataplane.mode": "io",
        "dataplane.ports": kind,
        "traffic.frame_bytes": size,
        "placement.cpus": str(cpu),
    }
    return with_overrides(Scenario(name="port"), keys)


def _in_process(kind: str, cpus: tuple[int, int], size: int) -> float:
    """The median window of one start."""
    with private_folder() as folder:
        if kind == BASE:
            device = f"net_null0,size={size - FCS_BYTES},copy=0"
        else:
            capture = Path(folder) / "frames.pcap"
            capture.write_bytes(_capture(size - FCS_BYTES))
            device = f"net_pcap0,rx_pcap={capture},infinite_rx=1,tx_pcap=/dev/null"
        with ExternalDpdk(
            plan_testpmd("io", [device], cpus=[cpus[0]], main_cpu=cpus[1])
        ) as program:
            windows = program.trial(_WINDOWS, _PACKETS, _WARMUP).windows
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
