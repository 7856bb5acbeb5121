"""Search: the highest loads that a data plane takes, and what else trials at offered loads show."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from planecast.results.estimate import Estimate
from planecast.results.manifest import Manifest
from planecast.results.result import Texts
from planecast.results.telemetry import Telemetry
from planecast.scenario.earlier_versions import Recorded
from planecast.scenario.model import Noun, listed

Method = Literal["mlr", "rfc2544", "back-to-back", "loss-curve", "latency", "soak", "mrr"]


class Bounds(Noun):
    """What one repetition of a search found: the process was started for it again."""

    repetition: Annotated[int, Field(ge=0)]
    low_pps: Annotated[float, Field(ge=0)]
    """Highest load that met the goal; 0 when none did."""
    high_pps: Annotated[float, Field(ge=0)] | None
    """Lowest load above it that did not; None when the highest that could be offered met it."""
    trials: Annotated[int, Field(ge=0)]
    """Trials that the repetition took, for all of its goals together."""


class FoundRate(Noun):
    """A load that a search looked for: NDR, PDR, throughput, MRR."""

    loss_ratio: Annotated[float, Field(ge=0, lt=1)] | None
    """Share of the packets that may be lost; None for what has no goal (MRR)."""
    rate_pps: Estimate
    """Packets a second, of the whole stream. Its value lies between the bounds; the interval has
    in it their distance and how much repetitions differ."""
    bounds: Annotated[tuple[Bounds, ...], BeforeValidator(listed)]
    """Repetition by repetition."""
    capped_by: str
    """What kept it from being higher: the data plane (or, simulated, its core, ring, …), or what
    the data plane never got to feel the limit of: link, generator."""
    why: str
    """The same as a sentence."""

    @property
    def is_least(self) -> bool:
        """Whether the data plane may take more: what ended the search was not its own limit."""
        return self.capped_by in ("link", "generator", "--max-rate")

    @property
    def sign(self) -> str:
        """What stands before the rate: one whose upper bound nobody met is a least one."""
        met = any(bounds.high_pps is not None for bounds in self.bounds)
        return "" if met or self.rate_pps.interval is not None else "≥ "


class LoadAnswer(Noun):
    """Trials at one load: a point of the frame-loss-rate curve, or of the latency test."""

    offered_pps: float
    share: float
    """Of the highest load (curve), or of the rate that was found (latency)."""
    loss: Estimate
    """Share of the offered packets that did not come back."""
    latency_ns: dict[str, Estimate] = Field(default_factory=dict)
    """From sending to receiving: mean, p50, p99; empty when the engine reports none."""


class BurstAnswer(Noun):
    """RFC 9004: the longest burst at the highest rate without a loss."""

    packets: Estimate
    """Packets of the burst: the mean of the repetitions."""
    rate_pps: float
    """At which bursts were sent."""
    implied_s: float
    """Time that the burst takes: the buffer, if nothing left it during that time."""
    corrected_s: float
    """Time that the buffer holds, what is forwarded during it subtracted (RFC 9004, section
    6.4)."""


class SoakAnswer(Noun):
    """A long run at one rate, against a loss target."""

    rate_pps: float
    seconds: float
    """Of traffic, all trials together."""
    offered: int
    lost: int
    target: float
    """Loss ratio that was to be shown."""
    upper: float
    """Loss ratio that the true one is below, with 95 % confidence."""
    met: bool
    """Whether `upper` is below the target."""
    left_out: float = 0.0
    """Share of the time that is left out because a CPU was lost in it."""
    left_out_lost: int = 0
    """Packets lost in it, which are not in `lost`."""
    statement: str
    """The same in words."""


class CyclesCheck(Noun):
    """Cycles a packet on one trial at the highest load, by the data plane's own count and by ours:
    a second opinion on both."""

    offered_pps: float
    ours: Estimate
    """Time-stamp cycles of the trial over the packets that it took in it."""
    own: dict[str, Estimate]
    """The data plane's own counts, by name."""

    @property
    def difference_percent(self) -> dict[str, float]:
        """Of each of its counts from ours."""
        return {name: 100 * (said.value / self.ours.value - 1) for name, said in self.own.items()}


class SearchAnswer(Noun):
    """What `planecast search` writes."""

    method: Method
    scenario: Recorded
    dataplane: str
    """What was under test, in words."""
    trial_seconds: float
    """How long a trial sent."""
    rates: dict[str, FoundRate] = Field(default_factory=dict)
    """By name: NDR, PDR, throughput, MRR."""
    loads: Annotated[tuple[LoadAnswer, ...], BeforeValidator(listed)] = ()
    burst: BurstAnswer | None = None
    soak: SoakAnswer | None = None
    invalid: str = ""
    """Why the answer does not describe the data plane: a sentence; empty for a valid one."""
    trials: int
    """All trials, with those that were refused and made again."""
    refused: dict[str, int] = Field(default_factory=dict)
    """Trials that did not count, by the reason."""
    second_opinion: dict[str, Estimate] = Field(default_factory=dict)
    """The data plane's own statistics at the first rate, after the search: cycles a packet, in
    all and by node; how its caches hit, packets a batch."""
    cycles_check: CyclesCheck | None = None
    """Its cycles a packet at the highest load, next to our own; None when it counts none."""
    telemetry: Annotated[tuple[Telemetry, ...], BeforeValidator(listed)] = ()
    """What counting found at the found rates, in trials of their own, after the search."""
    notes: Texts = ()
    manifest: Manifest
