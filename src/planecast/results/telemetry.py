"""Telemetry: what counting found about a data plane at a found rate, in trials of its own."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from planecast.results.estimate import Estimate
from planecast.results.result import Texts
from planecast.scenario.model import Noun

TSC = "time-stamp counter"
"""Cycles of this counter (`Telemetry.cycles_of`)."""


class CountedEvent(Noun):
    """What ``perf`` counted of an event."""

    per_packet: float
    """Counts a packet, scaled up to the whole time."""
    running: Annotated[float, Field(ge=0, le=1)]
    """Share of the time in which a counter counted it."""


class InstructionSplit(Noun):
    """Instructions a packet by kind of work, and who counted them."""

    io: float
    """Getting packets in and out."""
    processing: float
    other: float
    """Outside of both: the loop around them."""
    instrument: str
    """callgrind or singlestep."""

    @property
    def total(self) -> float:
        """All of them."""
        return self.io + self.processing + self.other


class Telemetry(Noun):
    """One rate. The identities are those of the source documents: CPP = IPP / IPC = clock / pps."""

    rate: str
    """Which: NDR, PDR, throughput."""
    offered_pps: float
    """The highest load that met the goal, the mean of the repetitions."""
    forwarded_pps: Estimate
    """What came back, over the trials that were counted."""
    loss_ratio: float
    """Share of what was offered that did not."""
    cycles_per_packet: Estimate | None = None
    """CPP; of `cycles_of`."""
    cycles_of: str = ""
    """Which cycles: core cycles, or those of the time-stamp counter."""
    cycles_without_ports: Estimate | None = None
    """TSC cycles a packet less what its ports take above net_null, to compare a data plane across
    ports; None without `machine ports` on this host."""
    instructions_per_packet: Estimate | None = None
    """IPP."""
    ipc: Estimate | None = None
    """Instructions a cycle; only where both were counted over the same work."""
    split: InstructionSplit | None = None
    """IPP by I/O, processing and other; None where nobody could count by stage."""
    busy_cycles_per_packet: float | None = None
    """TSC cycles a packet in the stages of planecast's own data plane, empty polls left out."""
    stage_cycles: dict[str, float] = Field(default_factory=dict)
    """The same by stage, in pipeline order; runs of earlier versions have none."""
    disturbed_share: Annotated[float, Field(ge=0, le=1)] | None = None
    """Share of the looks by stage with another guest on the core; None where nothing shows it."""
    undisturbed_cycles_per_packet: float | None = None
    """`busy_cycles_per_packet` over the other looks; None where these are few, or all."""
    mean_burst: float | None = None
    """Packets that a poll which found some took; of planecast's own data plane."""
    events: dict[str, CountedEvent] = Field(default_factory=dict)
    """By perf's names."""
    ports: dict[str, int] = Field(default_factory=dict)
    """What the DPDK ports counted over one trial, read before and after it."""
    limits: Texts = ()
    """What the counters say limits it (top-down, level 1)."""
    marks: Texts = ()
    """How the figures came about where that is not by counters, and what is missing and why."""
