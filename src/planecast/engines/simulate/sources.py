"""Where a scenario's packets come from: arrivals, frame sizes and flows of each port."""

from __future__ import annotations

import ipaddress
import math
from collections import Counter

from planecast.engines.simulate import _simulator as sim
from planecast.engines.simulate.capture import Capture, read_capture
from planecast.scenario.scenario import Scenario

_ARRIVALS = {"constant": sim.ArrivalKind.constant, "poisson": sim.ArrivalKind.poisson}


def capture_of(scenario: Scenario, ports: int) -> Capture | None:
    """The capture that each of so many ports gets, at its share of the rate that is asked for.

    Raises InputError when it can't be read.
    """
    traffic = scenario.traffic
    if traffic.pcap is None:
        return None
    capture = read_capture(traffic.pcap)
    return capture if traffic.offered_pps is None else capture.at_rate(traffic.offered_pps / ports)


def frames_of(scenario: Scenario, capture: Capture | None) -> tuple[tuple[int, float], ...]:
    """Every frame size in bytes, and how often it comes."""
    if capture is None:
        return scenario.traffic.frames
    return tuple((size, float(n)) for size, n in Counter(capture.frame_bytes).items())


def source(
    scenario: Scenario,
    capture: Capture | None,
    number: int,
    rate: float,
    ports: int,
    *,
    at_once: float = 1.0,
) -> sim.Source:
    """What comes in by port `number` of `ports`, at `rate` packets a second.

    Of constant arrivals `at_once` come together on average: a tester in software sends what has
    become due whenever it comes round.
    """
    traffic = scenario.traffic
    return sim.Source(
        name=f"source{number}",
        port=f"port{number}",
        # Together the sources send at equal distances, too.
        arrivals=_arrivals(scenario, capture, rate, number / ports / rate * 1e9, at_once),
        classes=[
            sim.FlowClass(
                frames=[
                    sim.FrameSize(bytes=size, weight=weight) for size, weight in traffic.frames
                ],
                flows=max(1, traffic.flows // ports),
                new_flows_per_second=traffic.new_flows_pps / ports,
                destination_ip_step=int(ipaddress.IPv4Address(traffic.destination_step)),
            )
        ],
    )


def _arrivals(
    scenario: Scenario, capture: Capture | None, rate: float, offset_ns: float, at_once: float
) -> sim.Arrivals:
    traffic = scenario.traffic
    if capture is not None:
        return sim.Arrivals(
            kind=sim.ArrivalKind.timestamps,
            offset_ns=offset_ns,
            times_ns=capture.times_ns,
            frame_bytes=capture.frame_bytes,
            rss_hashes=capture.rss_hashes,
            repeat=True,
            repeat_gap_ns=capture.gap_ns,
        )
    if traffic.arrivals == "on_off":
        share = rate / (traffic.offered_pps or rate)
        return sim.Arrivals(
            kind=sim.ArrivalKind.on_off,
            rate_pps=rate,
            offset_ns=offset_ns,
            peak_pps=(traffic.burst_pps or 0.0) * share,
            burst_packets=sim.Distribution(mean=float(traffic.burst_packets)),
            random_gap=traffic.burst_gaps == "poisson",
        )
    if traffic.arrivals == "constant" and at_once > 1:
        return sim.Arrivals(
            kind=sim.ArrivalKind.on_off,
            rate_pps=rate,
            offset_ns=offset_ns,
            burst_packets=_whole_packets(at_once),
        )
    return sim.Arrivals(kind=_ARRIVALS[traffic.arrivals], rate_pps=rate, offset_ns=offset_ns)


def _whole_packets(mean: float) -> sim.Distribution:
    """Batches of the two whole sizes around their mean: what is due at equal distances."""
    fewer = math.floor(mean)
    more = mean - fewer
    if more == 0:
        return sim.Distribution(mean=float(fewer))
    return sim.Distribution(
        kind=sim.DistributionKind.table,
        mean=mean,
        values=[float(fewer), fewer + 1.0],
        weights=[1 - more, more],
    )
