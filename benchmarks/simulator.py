"""The simulator's speed: simulated packets a second of CPU time of one host core.

The core is like the vPE upstream's on a 2.6 GHz server: a burst costs 120 cycles and 220 a packet,
an empty poll 40. Burst 32, ring 1,024, Poisson arrivals, latency histogram on. The peer of a load's
row is the hardware that is modelled, so the ratio is the multiple of real time.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from statistics import mean, stdev

import simpy
from scipy import stats

from planecast.engines.simulate import _simulator as sim
from planecast.errors import RunError
from planecast.results import Estimate
from row import Row, row

CLOCK_HZ = 2.6e9
BURST_CYCLES, PACKET_CYCLES, POLL_CYCLES = 120, 220, 40
BURST, RING = 32, 1024
CAPACITY_PPS = CLOCK_HZ / (PACKET_CYCLES + BURST_CYCLES / BURST)
REPEATS = 7
PACKETS = 20_000_000
SIMPY_PACKETS = 150_000
SEED = 1


def model(cores: int, load: float, packets: int, seed: int) -> sim.Model:
    """Poll loops, each with a port of its own."""
    rate = load * CAPACITY_PPS
    stage = sim.Stage(
        name="vpe",
        burst_cycles=sim.Distribution(mean=BURST_CYCLES),
        packet_cycles=sim.Distribution(mean=PACKET_CYCLES),
    )
    arrivals = sim.Arrivals(kind=sim.ArrivalKind.poisson, rate_pps=rate)
    numbers = range(cores)
    return sim.Model(
        sources=[sim.Source(name=f"s{n}", port=f"p{n}", arrivals=arrivals) for n in numbers],
        ports=[sim.Port(name=f"p{n}", rx_ring=RING) for n in numbers],
        cores=[
            sim.Core(
                name=f"c{n}",
                clock_hz=CLOCK_HZ,
                tasks=[
                    sim.Task(
                        name="forward",
                        input=sim.Input(name=f"p{n}"),
                        burst=BURST,
                        empty_poll_cycles=POLL_CYCLES,
                        stages=[stage],
                    )
                ],
            )
            for n in numbers
        ],
        run=sim.Run(seed=seed, duration_ns=packets / cores / rate * 1e9),
    )


def simulator_loads() -> list[Row]:
    """Packets a second at 90 and 50 % load and of four cores, interleaved."""
    cases = (
        ("simulator 90% load", 1, 0.9, 100e6),
        ("simulator 50% load", 1, 0.5, 70e6),
        ("simulator 4 cores", 4, 0.9, 100e6),
    )
    rates: list[list[float]] = [[] for _ in cases]
    for repeat in range(REPEATS):
        for found, (_, cores, load, _) in zip(rates, cases, strict=True):
            began = time.process_time()
            answer = sim.simulate(model(cores, load, PACKETS, SEED + repeat))
            found.append(answer.offered / (time.process_time() - began))
    return [
        row(
            name,
            _rate(found),
            _hardware(cores * load * CAPACITY_PPS),
            "packets/s; ratio: times real time",
            goal,
            at_least=True,
            of_ours=True,
        )
        for found, (name, cores, load, goal) in zip(rates, cases, strict=True)
    ]


def simulator_and_simpy() -> list[Row]:
    """The same poll loop at 90 % load in both, interleaved; they must agree on the latency."""
    ours: list[float] = []
    peer: list[float] = []
    waits: tuple[list[float], list[float]] = ([], [])
    runs: Sequence[tuple[list[float], list[float], Callable[[int], tuple[int, float]]]] = (
        (ours, waits[0], _ours),
        (peer, waits[1], _simpy),
    )
    for repeat in range(REPEATS):
        for rates, latencies, run in runs:
            began = time.process_time()
            packets, latency = run(SEED + repeat)
            rates.append(packets / (time.process_time() - began))
            latencies.append(latency)
    if abs(mean(waits[0]) / mean(waits[1]) - 1) > 0.05:
        raise RunError(f"the two models differ: mean latencies {mean(waits[0])}, {mean(waits[1])}")
    return [
        row(
            "simulator/simpy",
            _rate(ours),
            _rate(peer),
            "packets/s",
            1,
            at_least=True,
        )
    ]


def _hardware(rate: float) -> Estimate:
    return Estimate(value=rate, low=rate, high=rate, unit="packets/s", kind="computed")


def _ours(seed: int) -> tuple[int, float]:
    answer = sim.simulate(model(1, 0.9, PACKETS, seed))
    return answer.offered, answer.mean_latency_ns.value


def _simpy(seed: int) -> tuple[int, float]:
    """Packets and their mean latency in ns; what a person writes who knows SimPy."""
    env = simpy.Environment()
    draw = random.Random(seed)
    rate = 0.9 * CAPACITY_PPS / 1e9
    ns = 1e9 / CLOCK_HZ
    ring: list[float] = []
    histogram: dict[int, int] = {}

    def source() -> simpy.events.ProcessGenerator:
        for _ in range(SIMPY_PACKETS):
            yield env.timeout(draw.expovariate(rate))
            if len(ring) < RING:
                ring.append(env.now)

    def core() -> simpy.events.ProcessGenerator:
        while True:
            taken = ring[:BURST]
            if not taken:
                yield env.timeout(POLL_CYCLES * ns)
                continue
            del ring[:BURST]
            yield env.timeout((BURST_CYCLES + PACKET_CYCLES * len(taken)) * ns)
            for arrived in taken:
                waited = int(env.now - arrived)
                histogram[waited] = histogram.get(waited, 0) + 1

    env.process(core())
    env.run(env.process(source()))
    served = sum(histogram.values())
    return SIMPY_PACKETS, sum(ns * count for ns, count in histogram.items()) / served


def _rate(rates: Sequence[float]) -> Estimate:
    """Mean over the repeats with its 95 % interval."""
    value = mean(rates)
    half = float(stats.t.ppf(0.975, len(rates) - 1)) * stdev(rates) / len(rates) ** 0.5
    return Estimate(
        value=value,
        low=value - half,
        high=value + half,
        samples=len(rates),
        unit="packets/s",
        kind="measured",
    )
