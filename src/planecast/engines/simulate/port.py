"""A port's cost in the simulator: what three measurements say about it, in place of source and
sink.

A calibration knows the in-process source and sink. Over a real port other code receives and sends,
and packets and ring entries come over from another core's cache: one after the other for a packet
that comes alone, side by side for a burst. So the port has a part a burst and a part a packet of
its own. Two cases distinguish them, each being what a measured cost of the whole pipeline leaves
over the calibrated stages: full bursts, at overload, and packets that come one by one. The part a
burst thus holds all that it costs to begin after empty polls, wherever that is spent. A poll that
finds nothing is measured without traffic.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from planecast.engines.simulate.stage_cost import PipelineCost, StageCost
from planecast.errors import RunError

PORT = "port"
"""Name of the stage that stands for receiving and sending."""
_REPLACED = ("source", "tx")


@dataclass(frozen=True)
class Port:
    """What was measured over a port, in TSC cycles."""

    packet_cycles: float
    """A packet through the whole pipeline when every burst is full."""
    single_cycles: float
    """A packet through the whole pipeline that comes alone."""
    poll_cycles: float
    """A poll that finds nothing."""


def port_cycles(cost: PipelineCost, port: Port, burst: int) -> float:
    """TSC cycles a packet that full bursts of so many leave over the calibrated stages.

    Raises RunError when those alone cost as much as all was measured to.
    """
    left = port.packet_cycles - _others(cost, burst)
    if left <= 0:
        raise RunError(
            f"the calibrated stages take {port.packet_cycles - left:.0f} cycles a packet, and all "
            f"that were measured over the port are {port.packet_cycles:.0f}",
            what_to_do="calibrate again, in the same state of the machine: planecast calibrate",
        )
    return left


def with_port(cost: PipelineCost, port: Port, burst: int) -> PipelineCost:
    """The cost with the port's stage, first, in place of source and sink."""
    left = port_cycles(cost, port, burst)
    a_burst = 0.0
    if burst > 1:
        alone = port.single_cycles - _others(cost, 1)
        # alone = a burst + a packet, left = a burst / limit + a packet; neither is negative.
        a_burst = min(max((alone - left) * burst / (burst - 1), 0.0), left * burst)
    stage = StageCost.linear(
        PORT,
        burst,
        burst_cycles=a_burst,
        packet_cycles=left - a_burst / burst,
        poll_cycles=port.poll_cycles,
    )
    others = tuple(one for one in cost.stages if one.name not in _REPLACED)
    return replace(cost, stages=(stage, *others))


def _others(cost: PipelineCost, burst: int) -> float:
    """TSC cycles a packet of the stages between the port's ends."""
    return sum(one.per_packet(burst) for one in cost.stages if one.name not in _REPLACED)
