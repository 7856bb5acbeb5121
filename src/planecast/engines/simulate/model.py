"""From a Scenario and what its bursts cost to the simulator's model.

Each forwarding lcore is a core with a port, a receive ring and a source of its own: they share
nothing but what the cost model already has in its cycles. Without an offered load the sources send
a tenth more than the cores can take, so every poll finds a full burst.
"""

from __future__ import annotations

from planecast.engines.simulate import _simulator as sim
from planecast.engines.simulate.service import Service
from planecast.scenario.scenario import Scenario

OVERLOAD = 1.1
"""What a source offers that shall always have packets, as a multiple of what its core can take."""
IDLE_CYCLES = 20.0
"""TSC cycles of a poll that finds nothing, at least: one turn of the loop."""
WARMUP_PACKETS = 10_000
"""Packets of each lcore that are left out: rings fill, queues reach their usual length."""
LONGEST_NS = 2.5e15
"""Simulated time at most: 29 days, for rates of a few packets a second."""
BATCHES = 32
_ARRIVALS = {"constant": sim.ArrivalKind.constant, "poisson": sim.ArrivalKind.poisson}


def model_of(
    scenario: Scenario,
    service: Service,
    tsc_hz: float,
    *,
    precision: float,
    seed: int,
    packets: int,
    host_seconds: float,
) -> sim.Model:
    """The model of one scenario; it ends at the precision, after `packets` or `host_seconds`."""
    lcores = len(scenario.placement.cpus)
    rate = _rate_pps(scenario, service, tsc_hz)
    offered = scenario.traffic.offered_pps is not None
    warmup_ns = WARMUP_PACKETS / rate * 1e9
    target = sim.PrecisionTarget.latency if offered else sim.PrecisionTarget.throughput
    return sim.Model(
        sources=[_source(scenario, number, rate, lcores) for number in range(lcores)],
        ports=[sim.Port(name=f"port{n}", rx_ring=_ring(scenario)) for n in range(lcores)],
        cores=[
            _core(scenario, service, tsc_hz, number, cpu)
            for number, cpu in enumerate(scenario.placement.cpus)
        ],
        run=sim.Run(
            seed=seed,
            duration_ns=min(warmup_ns + packets / lcores / rate * 1e9, LONGEST_NS),
            warmup_ns=min(warmup_ns, LONGEST_NS / 10),
            batches=BATCHES,
            precision=precision,
            precision_target=target,
            max_host_seconds=host_seconds,
        ),
    )


def _rate_pps(scenario: Scenario, service: Service, tsc_hz: float) -> float:
    """Packets a second that come to each lcore."""
    if scenario.traffic.offered_pps is not None:
        return scenario.traffic.offered_pps / len(scenario.placement.cpus)
    return OVERLOAD * tsc_hz / service.per_packet(scenario.placement.burst)


def _ring(scenario: Scenario) -> int:
    """Packets of a receive ring. A source that is always full must be able to fill a burst."""
    if scenario.traffic.offered_pps is not None:
        return scenario.placement.rx_ring
    return max(scenario.placement.rx_ring, 2 * scenario.placement.burst)


def _source(scenario: Scenario, number: int, rate: float, lcores: int) -> sim.Source:
    traffic = scenario.traffic
    return sim.Source(
        name=f"source{number}",
        port=f"port{number}",
        arrivals=sim.Arrivals(
            kind=_ARRIVALS[traffic.arrivals],
            rate_pps=rate,
            # Together the sources send at equal distances, too.
            offset_ns=number / lcores / rate * 1e9,
        ),
        classes=[
            sim.FlowClass(
                frames=[sim.FrameSize(bytes=traffic.frame_bytes)],
                flows=max(1, traffic.flows // lcores),
            )
        ],
    )


def _core(scenario: Scenario, service: Service, tsc_hz: float, number: int, cpu: int) -> sim.Core:
    task = sim.Task(
        name="forward",
        input=sim.Input(kind=sim.InputKind.port, name=f"port{number}"),
        burst=scenario.placement.burst,
        # A poll that finds nothing is the source's burst without packets.
        empty_poll_cycles=max(service.stages[0].burst_cycles, IDLE_CYCLES),
        stages=[
            sim.Stage(
                name=stage.name,
                burst_cycles=sim.Distribution(mean=stage.burst_cycles),
                packet_cycles=sim.Distribution(mean=stage.packet_cycles),
            )
            for stage in service.stages
        ],
    )
    return sim.Core(name=f"cpu{cpu}", clock_hz=tsc_hz, tasks=[task])
