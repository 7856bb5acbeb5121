"""Result: the one kind of answer that every engine gives to a Scenario."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from planecast.results.estimate import Estimate
from planecast.results.manifest import Manifest
from planecast.scenario.earlier_versions import Recorded
from planecast.scenario.model import Noun, listed

Texts = Annotated[tuple[str, ...], BeforeValidator(listed)]


IN_MEMORY = (
    "between ports in memory, without links; source is what making its packets takes, which is in "
    "the cycles a packet"
)
"""A note on what is measured or predicted of programs of others."""
CLOCK_AND_MODEL = (
    "a clock counts a wait in the stage in which it passes, the model in the stage that causes it: "
    "measured and modelled stages may differ where the wholes agree"
)
"""A note on stages that were measured, next to what the model says of the same."""
FEW_WINDOWS = "too few undisturbed windows"
"""How the note of a result begins that rests on disturbed windows: its true cost may be lower."""


MEMORY_BANDWIDTH = "memory bandwidth"
"""Among the stages of a prediction: what a packet waits because one core fetches no more lines from
memory, whichever stages they are of."""


class StageResult(Noun):
    """What one stage costs; source and tx are stages here too."""

    cycles_per_packet: Estimate | None = None
    """Core cycles a packet spends in the stage."""
    instructions_per_packet: Estimate | None = None
    """Instructions a packet takes in the stage."""


class QueueResult(Noun):
    """How full a queue was: a receive or transmit ring, a ring between lcores, a device's."""

    capacity: Annotated[int, Field(ge=0)]
    """Packets that it holds."""
    mean: Annotated[float, Field(ge=0)]
    """Packets in it, on average over time."""
    max: Annotated[int, Field(ge=0)]
    """Packets in it at most."""
    mean_wait_ns: Annotated[float, Field(ge=0)]
    """Nanoseconds that a packet stays in it, on average."""


class LcoreResult(Noun):
    """What an lcore did with its time: shares that add up to 1."""

    busy: Annotated[float, Field(ge=0, le=1)]
    """Serving packets."""
    polling: Annotated[float, Field(ge=0, le=1)]
    """Polling empty rings."""
    waiting: Annotated[float, Field(ge=0, le=1)]
    """For room in a ring, or for a device."""
    disturbed: Annotated[float, Field(ge=0, le=1)]
    """Preempted by something else."""
    vectors_per_call: Estimate
    """Packets of a poll that found some."""


class ClassResult(Noun):
    """What became of the packets of one flow class."""

    packets_in: Annotated[int, Field(ge=0)]
    """Packets that came in."""
    packets_out: Annotated[int, Field(ge=0)]
    """Packets that went out."""
    dropped: Annotated[int, Field(ge=0)]
    """Packets that were dropped, whatever the cause; the rest was inside when it ended."""
    throughput_pps: Estimate
    """Packets forwarded a second."""
    loss: Estimate
    """Share of those that came in that was dropped."""
    latency_ns: dict[str, Estimate] = Field(default_factory=dict)
    """Nanoseconds from arrival to departure, as of all packets; none if unknown."""


class Result(Noun):
    """How a scenario performs, by whatever engine."""

    scenario: Recorded
    """What was asked."""
    throughput_pps: Estimate
    """Packets forwarded a second, over all lcores."""
    cycles_per_packet: Estimate
    """Cycles that one lcore spends on a packet."""
    instructions_per_packet: Estimate | None = None
    """Instructions a packet, when they were counted."""
    ipc: Estimate | None = None
    """Instructions a cycle, when instructions were counted."""
    stages: dict[str, StageResult] = Field(default_factory=dict)
    """Cost by stage, in pipeline order, with source first and tx last; of a prediction that memory
    caps, what a packet waits for its bandwidth comes after them."""
    packets_in: Annotated[int, Field(ge=0)] | None = None
    """Packets that came in; None when the engine moves no packets."""
    packets_out: Annotated[int, Field(ge=0)] | None = None
    """Packets that went out."""
    drops: dict[str, Annotated[int, Field(ge=0)]] = Field(default_factory=dict)
    """Packets dropped, by cause."""
    latency_ns: dict[str, Estimate] = Field(default_factory=dict)
    """Nanoseconds from arrival to departure: mean, p50, p90, p99, p99.9, max; none if unknown."""
    latency_histogram: str | None = None
    """All latencies, in nanoseconds, as HdrHistogram's compressed V2 encoding in base64."""
    classes: dict[str, ClassResult] = Field(default_factory=dict)
    """By flow class, where there are several and the engine distinguishes them."""
    queues: dict[str, QueueResult] = Field(default_factory=dict)
    """How full rings were, where the engine knows."""
    lcores: dict[str, LcoreResult] = Field(default_factory=dict)
    """What each lcore did with its time, where the engine knows."""
    capped_by: str | None = None
    """What set the limit: core, core waiting for accelerator, ring, link, NIC, port, PCIe,
    accelerator, memory, generator."""
    second_opinion: dict[str, Estimate] = Field(default_factory=dict)
    """What the program's own counters say of the same packets, where it has some."""
    disturbed_share: Annotated[float, Field(ge=0, le=1)] | None = None
    """Share of the trials that were disturbed and left out of the estimate."""
    steady_share: Annotated[float, Field(ge=0, le=1)] | None = None
    """Share of the trials whose cost was steady before it was counted; None if nobody looked."""
    notes: Texts = ()
    """What a reader should know about this result."""
    manifest: Manifest
    """What made it."""

    @property
    def few_windows(self) -> bool:
        """Whether the estimate rests on disturbed windows, for too few others: what it costs is
        less, nobody knows by how much."""
        return any(note.startswith(FEW_WINDOWS) for note in self.notes)


class ResultSet(Noun):
    """What measure, predict and other verbs with several answers write as ``result.json``."""

    results: tuple[Result, ...]
    """The results, in the order of the question."""
