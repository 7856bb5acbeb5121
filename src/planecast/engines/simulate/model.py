"""From a Scenario and what each of its lcores does with a burst to the simulator's model.

Each chain of lcores (an lcore alone, where the pipeline is uncut) has a receive queue: they share
nothing but what the cost model already has in its cycles, a card if there is one, and what hardware
threads share. Without an offered load the sources send a tenth more than is taken (by RSS twice as
much, for queues' shares differ), so every poll finds a full burst.
"""

from __future__ import annotations

from dataclasses import dataclass

from planecast.engines.simulate import _simulator as sim
from planecast.engines.simulate import card as cards
from planecast.engines.simulate.capture import Capture
from planecast.engines.simulate.cores import lcores_of
from planecast.engines.simulate.drops import kept_share
from planecast.engines.simulate.interruptions import least_ns
from planecast.engines.simulate.pipeline_split import bottlenecks
from planecast.engines.simulate.policer import metered_share
from planecast.engines.simulate.sources import capture_of, sources
from planecast.engines.simulate.to_result import Prepared
from planecast.scenario.scenario import Scenario

OVERLOAD = 1.1
"""What a source offers that shall always have packets: so many times what its lcores can take."""
UNEVEN_OVERLOAD = 2.0
"""The same where RSS shares packets out."""
WARMUP_PACKETS = 10_000
"""Packets of each chain that are left out: rings fill, queues reach their usual length."""
LONGEST_NS = 2.5e15
"""Simulated time at most: 29 days, for rates of a few packets a second."""
BATCHES = 32
_LEAST_KEPT = 0.05


@dataclass(frozen=True)
class Recording:
    """What is to be recorded in addition to the answer."""

    duration_ns: float | None = None
    """Simulated time, from empty rings on; None: until the precision, after a warm-up."""
    interval_ns: float = 0.0
    """Of the time series; 0: none."""
    trace_events: int = 0
    """Of the trace, at most; 0: none."""


MAX_PACKETS = 200_000_000
"""Packets of a scenario, over all lcores, after which it ends however precise it is."""
HOST_SECONDS = 60.0
"""Host time of a scenario, likewise."""


def model_of(
    asked: Prepared,
    *,
    precision: float,
    seed: int,
    packets: int = MAX_PACKETS,
    host_seconds: float = HOST_SECONDS,
    recording: Recording | None = None,
) -> sim.Model:
    """The model of one scenario; it ends at the precision, after `packets` or `host_seconds`.

    Raises InputError for a capture that can't be read.
    """
    scenario, segments, tsc_hz = asked.scenario, asked.segments, asked.tsc_hz
    card = cards.card_of(scenario)
    capture = capture_of(scenario, card.ports)
    limits = asked.limits.values()
    by_burst = bottlenecks(segments)
    taken = min([_capacity_pps(scenario, by_burst[-1], tsc_hz), *limits])
    # Smaller bursts may be cheaper: a source that is to fill every burst outpaces those, too.
    most = min([_capacity_pps(scenario, by_burst.min(), tsc_hz), *limits])
    rate = _rate_pps(scenario, capture, most, card)
    lcores = lcores_of(scenario, segments, card, asked.lines, tsc_hz)
    return sim.Model(
        sources=[
            one
            for number in range(card.ports)
            for one in sources(scenario, capture, number, rate / card.ports, card.ports)
        ],
        nics=cards.nics(scenario),
        ports=cards.ports(scenario, card, _ring(scenario)),
        cores=lcores.cores,
        rings=lcores.rings,
        accelerators=lcores.accelerators,
        run=_run(
            scenario,
            rate,
            min(rate, taken),
            len(lcores.cores),
            recording or Recording(),
            precision=precision,
            seed=seed,
            packets=packets,
            host_seconds=host_seconds,
        ),
    )


def _capacity_pps(scenario: Scenario, cycles: float, tsc_hz: float) -> float:
    """Packets a second that all chains take, at so many TSC cycles a packet that none drops."""
    capacity = tsc_hz / cycles if cycles > 0 else tsc_hz
    # Packets that are dropped on the way cost less: at most as if they were dropped at once.
    kept = kept_share(scenario) * metered_share(scenario, capacity)
    capacity /= max(kept, _LEAST_KEPT)
    return capacity * len(scenario.placement.chains)


def _rate_pps(scenario: Scenario, capture: Capture | None, most: float, card: cards.Card) -> float:
    """Packets a second that come in, over all ports; `most` is what gets through at most."""
    if capture is not None:
        return capture.rate_pps * card.ports
    if scenario.traffic.offered_pps is not None:
        return scenario.traffic.offered_pps
    overload = OVERLOAD if card.queues == 1 else UNEVEN_OVERLOAD
    return overload * most


def _ring(scenario: Scenario) -> int:
    """Packets of a receive ring. A source that is always full must be able to fill a burst."""
    if scenario.traffic.at_a_rate:
        return scenario.placement.rx_ring
    return max(scenario.placement.rx_ring, 2 * scenario.placement.burst)


def _run(
    scenario: Scenario,
    rate: float,
    forwarded: float,
    lcores: int,
    recording: Recording,
    *,
    precision: float,
    seed: int,
    packets: int,
    host_seconds: float,
) -> sim.Run:
    measured_ns = packets / rate * 1e9
    # What is forwarded fills the rings' usual lengths, not what is dropped before.
    warmup_ns = WARMUP_PACKETS * len(scenario.placement.chains) / forwarded * 1e9
    warmup_ns = min(warmup_ns, measured_ns)
    longest_ns = warmup_ns + measured_ns
    offered = scenario.traffic.at_a_rate
    duration_ns, warmup_ns = min(longest_ns, LONGEST_NS), min(warmup_ns, LONGEST_NS / 10)
    run = sim.Run(
        seed=seed,
        duration_ns=duration_ns,
        warmup_ns=warmup_ns,
        batches=BATCHES,
        precision=precision,
        least_ns=min(warmup_ns + least_ns(scenario, lcores), duration_ns),
        precision_target=sim.PrecisionTarget.latency if offered else sim.PrecisionTarget.throughput,
        max_host_seconds=host_seconds,
        series_interval_ns=recording.interval_ns,
        trace_events=recording.trace_events,
    )
    if recording.duration_ns is not None:
        run.duration_ns, run.warmup_ns, run.precision = recording.duration_ns, 0.0, 0.0
    return run
