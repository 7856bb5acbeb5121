"""Memory's latency and bandwidth as measured, against what the machine should have.

Bandwidth: the firmware shows which modules stand in which channel, so the peak of a socket is 8
bytes times transfers times channels. Latency: the catalogue knows some processors. Where neither
shows, the figure stands alone and says so.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from planecast.catalog import names
from planecast.generators.neighbour import Neighbour, Work
from planecast.host.check import BSDP, Check
from planecast.host.dimms import expected_bytes_per_second, modules
from planecast.host.root import Root
from planecast.instruments.machine_probe import MachineProbe
from planecast.scenario.machine import machine_of

_ENOUGH = 0.6
"""Share of the peak that reading from all cores should reach."""
_SLOW = 1.25
"""Times the expected latency from which on it is no longer what the machine should have."""
_SCALES = 0.85
"""Share of cores times one core's reading from which on cores, and not memory, are the limit."""
_STREAM_BYTES = 256 << 20
_STREAM_S = 1.0
_SOURCE = f"{BSDP}, §7 and §10 1.5"


@dataclass(frozen=True)
class MemorySpeed:
    """What was measured."""

    latency_ns: float
    """Of a random access, in 2 MiB pages, nothing else running."""
    one_core: float
    """Bytes a second that one core reads in order."""
    all_cores: float
    """Bytes a second that all CPUs read together."""
    cpus: int


def measured_speed(probe: MachineProbe, cpus: Sequence[int]) -> MemorySpeed:
    """The probe's figures, and what all CPUs read together now, for a second or two.

    Raises MissingError without the neighbour program, RunError when it fails.
    """
    return MemorySpeed(
        latency_ns=1e9 * probe.memory_latency_cycles.value / probe.tsc_hz,
        one_core=probe.stream_bytes_per_second.value,
        all_cores=_read_together(cpus),
        cpus=len(cpus),
    )


def _read_together(cpus: Sequence[int]) -> float:
    """Bytes a second that these CPUs read, while all of them read."""
    work = Work(mode="stream", bytes=_STREAM_BYTES)
    with ExitStack() as stack:
        readers = [stack.enter_context(Neighbour(cpu)) for cpu in cpus]
        for reader in readers:
            reader.do(work)
        before, since = [reader.done().lines for reader in readers], time.monotonic()
        time.sleep(_STREAM_S)
        lines = sum(reader.done().lines for reader in readers) - sum(before)
        return 64 * lines / (time.monotonic() - since)


def check_memory_speed(root: Root, speed: MemorySpeed | None) -> Iterator[Check]:
    """Measured against expected; without a measurement what to do for one."""
    if speed is None:
        for what in ("memory bandwidth", "memory latency"):
            yield Check(what, "note", "not measured", "planecast doctor --probe measures it")
        return
    yield _bandwidth(expected_bytes_per_second(modules(root)), speed)
    yield _latency(expected_latency_ns(root), speed)


def _bandwidth(expected: float | None, speed: MemorySpeed) -> Check:
    found = (
        f"{speed.cpus} CPUs read {speed.all_cores / 1e9:.1f} GB/s together, one "
        f"{speed.one_core / 1e9:.1f}"
    )
    if expected is None:
        return Check(
            "memory bandwidth",
            "note",
            f"{found}; expected: unknown",
            "the modules are not known (see memory channels)",
            source=_SOURCE,
        )
    found += f"; expected of a socket: {expected / 1e9:.1f}"
    if speed.all_cores >= _ENOUGH * expected:
        return Check(
            "memory bandwidth", "good", found, "as expected of its channels", source=_SOURCE
        )
    if speed.all_cores >= _SCALES * speed.cpus * speed.one_core:
        return Check(
            "memory bandwidth",
            "note",
            found,
            "these CPUs do not saturate memory: it was not the limit",
            source=_SOURCE,
        )
    return Check(
        "memory bandwidth",
        "limits",
        found,
        "memory gives less than its channels should: misses queue sooner",
        "look at channels, modules' speed and NUMA placement; end what else uses memory",
        _SOURCE,
    )


def _latency(expected: tuple[float, str] | None, speed: MemorySpeed) -> Check:
    found = f"{speed.latency_ns:.0f} ns"
    if expected is None:
        return Check(
            "memory latency",
            "note",
            f"{found}; expected: unknown",
            "the catalogue does not know this processor; servers in it have 81 to 110 ns",
            source=_SOURCE,
        )
    ns, name = expected
    found += f"; expected of {name}: {ns:.0f}"
    if speed.latency_ns <= _SLOW * ns:
        return Check(
            "memory latency", "good", found, "as expected of the processor", source=_SOURCE
        )
    return Check(
        "memory latency",
        "limits",
        found,
        "each miss costs more than it should",
        "look for memory of another node, slow modules, a hypervisor that shares the socket",
        _SOURCE,
    )


def expected_latency_ns(root: Root) -> tuple[float, str] | None:
    """Idle latency that the catalogue has of this machine's processor, and the entry's title."""
    model = _plain(" ".join(root.cpuinfo("model name")[:1]))
    for name in names("cpus"):
        part = _plain(name.rpartition("-")[2]) if not name.startswith("e5") else _plain(name)
        if len(part) >= 4 and part in model:
            entry = machine_of(name)
            return entry.values.memory_idle_ns.value, entry.title
    return None


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())
