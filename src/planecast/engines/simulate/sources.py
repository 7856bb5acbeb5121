"""Where a scenario's packets come from: arrivals, frame sizes and flows of each port."""

from __future__ import annotations

import ipaddress
from collections import Counter

from planecast.engines.simulate import _simulator as sim
from planecast.engines.simulate.capture import Capture, read_capture
from planecast.scenario.dataplanes.packets import IPV4_ADDRESSES
from planecast.scenario.scenario import Scenario

_FIRST_SOURCE = int(ipaddress.IPv4Address("10.0.0.1"))
_FIRST_DESTINATION = int(ipaddress.IPv4Address("198.18.0.1"))
"""RFC 2544's range."""
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


def sources(
    scenario: Scenario,
    capture: Capture | None,
    number: int,
    rate: float,
    ports: int,
) -> list[sim.Source]:
    """What comes in by port `number` of `ports`, at `rate` packets a second: one source, of which
    each packet has a class at random, or a source for each class with a rate of its own."""
    # Together the sources send at equal distances, too.
    offset_ns = number / ports / rate * 1e9
    classes = _classes(scenario, ports)
    port = f"port{number}"
    if not scenario.traffic.rated_classes:
        arrivals = _arrivals(scenario, capture, rate, offset_ns)
        return [sim.Source(name=f"source{number}", port=port, arrivals=arrivals, classes=classes)]
    return [
        sim.Source(
            name=f"source{number}.{one.name}",
            port=port,
            arrivals=_arrivals(scenario, None, rate * one.weight, offset_ns),
            classes=[one],
        )
        for one in classes
    ]


def _classes(scenario: Scenario, ports: int) -> list[sim.FlowClass]:
    """The classes of one of so many ports; their flows follow each other."""
    traffic = scenario.traffic
    found = []
    first = 0
    step = int(ipaddress.IPv4Address(traffic.destination_step))
    for one in traffic.by_class:
        found.append(
            sim.FlowClass(
                name=one.name,
                weight=one.share,
                frames=[sim.FrameSize(bytes=size, weight=weight) for size, weight in one.frames],
                flows=max(1, one.flows // ports),
                new_flows_per_second=traffic.new_flows_pps * one.share / ports,
                source_ip=_FIRST_SOURCE + first,
                destination_ip=(_FIRST_DESTINATION + first * step) % IPV4_ADDRESSES,
                destination_ip_step=step,
            )
        )
        first += max(1, one.flows // ports)
    return found


def _arrivals(
    scenario: Scenario, capture: Capture | None, rate: float, offset_ns: float
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
    return sim.Arrivals(kind=_ARRIVALS[traffic.arrivals], rate_pps=rate, offset_ns=offset_ns)
