"""Placement: which CPUs forward, with what bursts, rings and pages."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from planecast.scenario.cpus import format_cpus, parse_cpus
from planecast.scenario.model import Count, Noun, listed


def _cpu_list(value: Any) -> str:
    # YAML reads `lcores: 1` as a number; bool is an int in Python and is no CPU.
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError(f"got {value}, which is not a CPU list such as 1 or 0-3,8")
    # One spelling for each set of CPUs, so that equal placements compare equal.
    return format_cpus(parse_cpus(str(value)))


CpuList = Annotated[str, BeforeValidator(_cpu_list, json_schema_input_type=int | str)]


def _power_of_two(size: int) -> int:
    if size & (size - 1):
        raise ValueError(f"got {size}, which is not a power of two")
    return size


RingSize = Annotated[Count, Field(ge=32, le=16384), AfterValidator(_power_of_two)]


class Placement(Noun):
    """How the workload is laid over the machine: run-to-completion on each forwarding lcore, or in
    segments that hand packets on."""

    lcores: CpuList = "1"
    """CPU list of the forwarding lcores, such as 1 or 0-3,8."""
    burst: Annotated[Count, Field(ge=1, le=256)] = 32
    """Packets that are taken from a ring at a time, at most."""
    page_size: Literal["auto", "4KiB", "2MiB"] = "auto"
    """Pages that tables and buffers lie in; auto takes 2 MiB pages when some are free."""
    rx_ring: RingSize = 128
    """Descriptors of a receive ring: the buffers that packets cycle through."""
    tx_ring: RingSize = 512
    """Descriptors of a transmit ring."""
    cuts: Annotated[
        tuple[str, ...], BeforeValidator(listed, json_schema_input_type=list[str] | str)
    ] = ()
    """Stages (or tx) before which packets are handed to the next lcore over a ring; none: every
    lcore runs the whole pipeline. With one cut, lcores work in pairs."""
    handover_ring: RingSize = 256
    """Packets that may wait between two lcores of a cut pipeline."""
    ring_wait: bool = True
    """An lcore waits for room in a full ring; otherwise what has no room in it is dropped."""
    handover_ns: Annotated[float | None, Field(ge=0, le=1e6)] = None
    """Nanoseconds until the next lcore sees what was handed on: a cache line's way from core to
    core. null: what the probe measured, or the published 48. For the simulator."""
    core_ghz: Annotated[float | None, Field(ge=0.1, le=10)] = None
    """Clock of the forwarding cores; null: as calibrated, or the machine's base clock. For the
    model."""
    core_priority: Literal["none", "high", "low"] = "none"
    """Speed Select class of the forwarding cores, which has a clock of its own. For the model."""
    llc_ways: Annotated[Count | None, Field(ge=1, le=64)] = None
    """Ways of the last-level cache that the lcores may fill; null: all. For the model."""
    busy_siblings: bool = False
    """The other hardware thread of each lcore's core forwards the same, too. For the model."""
    remote_memory: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Share of the lines from memory that another socket's memory serves; 0: all are local. For the
    model."""
    stage_clock: Annotated[Count, Field(ge=0, le=1 << 20)] = 16
    """The clock is read between stages in one burst of so many; 0 never reads it."""

    @property
    def segments(self) -> int:
        """Lcores that a packet passes."""
        return len(self.cuts) + 1

    @property
    def chains(self) -> tuple[tuple[int, ...], ...]:
        """CPUs of every chain that a packet may pass, in its order. Uncut, an lcore is a chain."""
        cpus, length = self.cpus, self.segments
        return tuple(cpus[first : first + length] for first in range(0, len(cpus), length))

    @property
    def cpus(self) -> tuple[int, ...]:
        """The forwarding CPUs, ascending."""
        return parse_cpus(self.lcores)
