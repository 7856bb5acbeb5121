"""How our generator keeps its pace in a trial, and for how long it catches up.

A packet that could not be sent for longer than the generator catches up is given up and is no load:
otherwise a pause of the generator would end in a burst that the ring can't hold, and be the data
plane's loss. What a ring holds easily is sent late instead: a virtual CPU is preempted for 10 to
50 us hundreds of times a second, and a trial of 20 ms is no trial when 1 % of it is missing. Of
trials of testpmd on such a machine at 1.2 and 4 Mpps, 2 to 8 % offered what was asked with 10 us,
the best of them 0.5 to 0.9 % less, and 25 to 45 % with 50 us, the best of them all of it.
"""

from __future__ import annotations

from planecast.scenario.scenario import Scenario

CPU_SHARES = ("dataplane_cpu", "generator_cpu")
"""Keys that a trial's answer gets: share of its CPU that the data plane's thread had while the
trial ran, and our generator's thread."""
DATAPLANE_AWAY_S = "dataplane_away_s"
"""Likewise: seconds that the data plane's thread wanted its CPU and did not have it."""
WATCHED_S = "watched_s"
"""And of how many seconds that was: of sending, and of draining."""
LINK_GBPS = 10.0
"""Ethernet that a memory interface is taken for, where loads are shares of a link."""
WARM_UP_S = 0.003
"""Sent before each trial, at its rate, and not counted: after some milliseconds without packets the
first 3,000 take 1.8 to 1.05 times what all others do (at overload, windows of 64 packets). A ring
of 128 slots loses some of them at half the rate that it takes from then on."""
_RING_SHARE = 0.5
_CATCH_UP_US = (10.0, 50.0)


def run_keys(drain_s: float) -> dict[str, object]:
    """The generator's `[run]` section for trials."""
    return {
        "burst": 32,
        "drain_ms": drain_s * 1e3,
        "catch_up_us": _CATCH_UP_US[0],
        "when_full": "drop",
    }


def trial_keys(scenario: Scenario, offered_pps: float | None) -> dict[str, object]:
    """What the generator is asked for one trial at a rate; None: as fast as it can."""
    if offered_pps is None:
        return {"rate": "max"}
    return {"rate": f"{offered_pps:.0f}", "catch_up_us": catch_up_us(scenario, offered_pps)}


def catch_up_us(scenario: Scenario, offered_pps: float) -> float:
    """For how long packets are sent late: until half an RX ring is due, within 10 and 50 us."""
    least, most = _CATCH_UP_US
    holds_us = bridged_s(scenario, offered_pps) * 1e6
    return round(min(max(holds_us, least), most), 1)


def bridged_s(scenario: Scenario, offered_pps: float) -> float:
    """For how long a data plane may be away at a rate until its ring is full, if it was half so."""
    return _RING_SHARE * scenario.placement.rx_ring / max(offered_pps, 1.0)
