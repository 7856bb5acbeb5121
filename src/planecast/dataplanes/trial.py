"""One trial of planecast's data plane: what it is asked, and what it answers."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator

from planecast.scenario.model import Noun, listed
from planecast.scenario.scenario import Scenario
from planecast.workload.traced.rotation import Rotation

Integers = Annotated[tuple[int, ...], BeforeValidator(listed)]


def _pairs(value: Any) -> Any:
    return tuple(tuple(pair) for pair in value) if isinstance(value, list) else value


Pairs = Annotated[tuple[tuple[float, float], ...], BeforeValidator(_pairs)]


def _columns(value: Any) -> Any:
    return {name: tuple(column) for name, column in value.items()}


StageColumns = Annotated[dict[str, tuple[int, ...]], BeforeValidator(_columns)]


class Windows(Noun):
    """The windows of one lcore in one trial, as columns of one length."""

    count: int
    cycles: Integers
    """TSC cycles of the window."""
    packets: Integers
    bursts: Integers
    empty_polls: Integers
    canary_compute: Pairs
    """TSC cycles a round of the compute canary, before and after."""
    canary_chase: Pairs
    """TSC cycles a hop of the pointer chase, before and after."""
    sampled_packets: Integers
    """Packets of the bursts in which the clock was read between stages."""
    sampled_bursts: Integers
    ring_packets: Integers = ()
    """Packets that waited in the ring that is taken from, summed over the sampled bursts; empty for
    an lcore that takes them from ports."""
    stage_cycles: StageColumns
    """TSC cycles by stage of the sampled bursts."""


class Settled(Noun):
    """How an lcore warmed up before the windows of a trial, in blocks of packets."""

    steady: bool
    """The last blocks cost the same as those before them; False: the time for it was over."""
    blocks: int
    """Blocks that were forwarded."""
    first_cycles: float
    """TSC cycles a packet of the first block."""
    last_cycles: float
    """Median of the last four blocks, TSC cycles a packet."""


class LcoreAnswer(Noun):
    """What one lcore did in a trial."""

    cpu: int
    chain: int
    """Which chain of lcores it belongs to; packets go through all lcores of one."""
    segment: int
    """Its place in the chain."""
    clock_cost: int
    """TSC cycles that one reading of the clock takes; already taken off ``stage_cycles``."""
    began_tsc: int = 0
    """The time-stamp counter when the first window began."""
    settled: Settled | None = None
    """None where a trial warms up by a number of packets alone."""
    rotation: Rotation | None = None
    """Of its packet buffers; None where they were not followed."""
    windows: Windows


class TrialAnswer(Noun):
    """What the data plane answers to one trial. Totals are the trial's, its warm-up included."""

    trial: dict[str, Any]
    lcores: Annotated[tuple[LcoreAnswer, ...], BeforeValidator(listed)]
    packets_in: int
    copies: int
    """Packets that were made of others, by flooding."""
    packets_out: int
    in_flight: int
    """How many more packets stages hold back than before the trial."""
    drops: dict[str, int]
    conserved: bool
    interrupted: bool
    tsc_hz: int
    page_size: str | None
    """Pages that its memory lies in; null: not known."""
    simd_bits: int
    dpdk: str
    own_cycles_per_packet: float | None = None
    """TSC cycles a packet by the program's own counters, of the whole trial; null: it has none."""


class Trial(Noun):
    """One request: warm up, then measured windows on each lcore."""

    windows: int
    packets: int
    """Packets of a window on each lcore."""
    warmup: int
    """Packets before the first window on each lcore."""
    block: int = 0
    """Packets of a block: more of them are forwarded until they cost the same; 0: none are."""
    settle: float = 0.1
    """Seconds after which the windows begin, steady or not."""
    rotation: bool = False
    """Whether packet buffers are followed afterwards: of a command."""
    scenario: Scenario

    @property
    def request(self) -> str:
        """The line that asks for it."""
        own: dict[str, float] = {
            "windows": self.windows,
            "packets": self.packets,
            "warmup": self.warmup,
        }
        if self.block:
            own |= {"block": self.block, "settle": self.settle}
        return _request(self.scenario, **own)


class PortTrial(Noun):
    """One request where packets come from a port: a single window that ends by the clock."""

    seconds: float
    """How long it polls, whether packets come or not."""
    scenario: Scenario
    canary: bool = True
    """Whether canaries run before and after; packets that come in before are not taken."""

    @property
    def request(self) -> str:
        """The line that asks for it."""
        own = {"windows": 1, "warmup": 0, "seconds": self.seconds, "canary": int(self.canary)}
        return _request(self.scenario, **own)


def _request(scenario: Scenario, **own: float) -> str:
    words = {
        **own,
        "canary": own.get("canary", 1),
        "burst": scenario.placement.burst,
        "frame_bytes": scenario.traffic.frame_bytes,
        "flows": scenario.traffic.flows,
        "stages": ",".join(scenario.workload.stages) or "none",
        "stage_clock": scenario.placement.stage_clock,
        "lcores": scenario.placement.lcores,
    }
    return "trial " + " ".join(f"{key}={value}" for key, value in words.items())
