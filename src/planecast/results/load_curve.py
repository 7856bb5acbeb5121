"""A load curve: loss and latency against offered load, measured and simulated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import BeforeValidator, Field

from planecast.results.estimate import Estimate
from planecast.results.manifest import Manifest
from planecast.results.result import Result, Texts
from planecast.scenario.earlier_versions import Recorded
from planecast.scenario.model import Noun, listed

KNEE_LOSS = 0.001
"""Loss, as a share of what was offered, that the knee is the highest load without."""


def knee_pps(
    loads_pps: Sequence[float], losses: Sequence[float], limit: float = KNEE_LOSS
) -> float | None:
    """The highest load in packets a second with a loss under `limit`, interpolated.

    `losses` are shares at ascending loads. From the highest load that is under it, one continues in
    a straight line to the next, which isn't. None when all are under it or none is: the knee is not
    between the loads then.
    """
    under = [loss < limit for loss in losses]
    if not any(under) or under[-1]:
        return None
    last = max(number for number, one in enumerate(under) if one)
    low, high = losses[last], losses[last + 1]
    share = (limit - low) / (high - low)
    return loads_pps[last] + share * (loads_pps[last + 1] - loads_pps[last])


class LoadPoint(Noun):
    """One offered load, measured and simulated."""

    offered_pps: float
    """Packets a second that came to the receive ring, or found it full; lost ones included."""
    load: float
    """The same as a share of the measured capacity."""
    measured: Result
    """By the data plane; packets and drops are sums over all trials that count."""
    simulated: Result
    """By the simulator, at the same load."""
    measured_loss: Estimate
    """Share of the offered packets that did not come back: the 10th percentile of the trials."""
    simulated_loss: Estimate
    """The same of the simulation."""
    unsent: Annotated[int, Field(ge=0)]
    """Packets that the generator was too late for: no load, and no loss."""
    mean_burst: float
    """Packets that the generator handed over at once, in the mean: it sends what is due."""
    send_call_ns: float
    """How long its send call took, which is in each latency, measured and simulated."""
    receive_call_ns: float | None = None
    """The same of its receive call. None in runs from before it was timed: their simulated
    latencies have nothing of the tester in them."""
    receive_wait_ns: float | None = None
    """How long a packet that has come back waits for it on average."""
    trials: Annotated[int, Field(ge=0)]
    """Trials that were made at this load."""

    @property
    def lost_share(self) -> float | None:
        """Share of what was offered in all trials that count that was lost; None without any."""
        offered, forwarded = self.measured.packets_in, self.measured.packets_out
        if not offered or forwarded is None:
            return None
        return max(0.0, 1 - forwarded / offered)


class CpuPauses(Noun):
    """How a CPU was taken from a program that only polled: measured without any packets."""

    role: str
    """``data plane`` or ``generator``."""
    cpu: int
    watched_s: float
    """For how long, over all rounds."""
    per_second: float
    """Times that it was away for more than a microsecond."""
    median_us: float
    """How long, microseconds."""
    p99_us: float
    longest_us: float
    share: Annotated[float, Field(ge=0, le=1)]
    """Of the time that it was away."""


class LoadCalibration(Noun):
    """All that was measured of the port for the simulation. The curve is not in it."""

    capacity_pps: Estimate
    """Packets forwarded a second at overload: every burst is full."""
    poll_cycles: Estimate
    """TSC cycles of a poll that finds the ring empty."""
    single_cycles: Estimate
    """TSC cycles that packets which came one by one kept the core busy, by the stage clock."""
    port_cycles: float
    """TSC cycles a packet that the capacity leaves over the calibrated stages in full bursts."""
    single_port_cycles: float
    """The same that a packet which comes alone leaves over them."""


class LoadCurve(Noun):
    """What ``curve`` writes as ``result.json``."""

    scenario: Recorded
    """What was asked; its points differ in the offered load."""
    loads: Annotated[tuple[LoadPoint, ...], BeforeValidator(listed)]
    """The points, in ascending order of load."""
    calibration: LoadCalibration
    """What the simulation knows of the port."""
    measured_knee: Estimate | None
    """Highest load with a loss under KNEE_LOSS; None when it is not between the loads."""
    simulated_knee: Estimate | None
    """The same of the simulation."""
    disturbed_share: Annotated[float, Field(ge=0, le=1)]
    """Share of the trials that were disturbed."""
    simulated_disturbed_share: Annotated[float, Field(ge=0, le=1)] | None = None
    """The same of the simulated trials, by the same rule; None where loads were not simulated in
    trials."""
    pauses: Annotated[tuple[CpuPauses, ...], BeforeValidator(listed)] = ()
    """What took the CPUs away, which the simulated trials have in them; empty in older runs."""
    notes: Texts = ()
    """What a reader should know."""
    manifest: Manifest
    """What made it."""

    @property
    def knee_error_percent(self) -> float | None:
        """Simulated over measured knee, less one, in percent; None without both."""
        if self.measured_knee is None or self.simulated_knee is None:
            return None
        return 100 * (self.simulated_knee.value / self.measured_knee.value - 1)
