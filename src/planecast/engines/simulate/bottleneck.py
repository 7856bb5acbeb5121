"""What set the throughput of a simulated scenario."""

from __future__ import annotations

import math

from planecast.engines.simulate import _simulator as sim
from planecast.engines.simulate.drops import kept_share, lost_by_cause
from planecast.engines.simulate.generator_latency import without_generator
from planecast.scenario.scenario import Scenario

SOURCE_CAUSES = ("rx_ring", "nic")
"""Drops in front of the lcores: what an always full source can't get rid of."""

_FULL = ("rx_ring", "nic", "ring", "tx_ring", "accelerator")
"""Drops because a queue was full; the others are of packets that a stage refused."""
_RARELY_IDLE = 0.01
"""An lcore that finds its ring empty for less of its time is what limits."""
WAITS = "core waiting for accelerator"
"""Neither is full: an lcore that waits for each burst's results has nothing else to do."""
_MOSTLY_USED = 0.9
"""Share of a device's rate from which on the device is what limits an lcore that waits for it."""
_AT_ITS_LIMIT = 0.99
"""Share of a part's limit from which on it is what limits."""


def capped_by(
    scenario: Scenario, limits: dict[str, float], answer: sim.Results, core: str | None
) -> str | None:
    """The part that limits; `core` is what the closed form says of a busy lcore.

    A part whose own limit is below what is offered, and as good as reached; else, where packets
    are lost or come as fast as they are taken, the lcores when the busiest never idles, or the
    queue that overflows during that time.
    """
    traffic = scenario.traffic
    # A capture comes at its own rate; where a wire holds packets up, it is less than was asked for.
    wanted = float("inf") if not traffic.at_a_rate else traffic.offered_pps
    if wanted is None:
        wanted = answer.offered_pps.value
    # A limit in front of the stages is reached though some of what it lets through is dropped.
    kept = kept_share(scenario)
    reached = [
        (limit, name)
        for name, limit in limits.items()
        if limit <= wanted and answer.throughput_pps.value >= _AT_ITS_LIMIT * kept * limit
    ]
    if reached:
        return min(reached)[1]
    lost = {cause: count for cause, count in lost_by_cause(answer).items() if cause in _FULL}
    if not lost and traffic.at_a_rate:
        return "generator"
    if min(lcore.polling for lcore in without_generator(answer)) < _RARELY_IDLE:
        waits = max(without_generator(answer), key=lambda lcore: lcore.waiting)
        if scenario.accelerator.stage != "none" and waits.waiting > waits.busy:
            able = limits.get("accelerator", math.inf)
            used = answer.throughput_pps.value / able
            return "accelerator" if used >= _MOSTLY_USED else WAITS
        return core
    return _overflowing(limits, lost)


def _overflowing(limits: dict[str, float], lost: dict[str, int]) -> str:
    """The part whose queue loses most, by its cause."""
    cause = max(lost, key=lambda name: lost[name]) if lost else "rx_ring"
    if cause == "accelerator":
        return cause
    card = [(limits[name], name) for name in ("NIC", "port", "PCIe", "memory") if name in limits]
    if cause == "nic" and card:
        return min(card)[1]
    if cause == "tx_ring" and limits:
        return min((limit, name) for name, limit in limits.items())[1]
    return "ring"
