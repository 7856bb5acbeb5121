"""Against a slow simulation written another way: every packet by itself, poll by poll.

Given the same instants, the two must agree to the picosecond; given only the same distributions,
within their intervals.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planecast.engines.simulate import _simulator as sim


@dataclass(frozen=True)
class Loop:
    """A poll loop; all times in picoseconds."""

    burst: int
    ring: int
    poll_ps: int
    burst_ps: int
    packet_ps: int


@dataclass(frozen=True)
class Outcome:
    latencies_ps: list[int]
    dropped: int
    sizes: list[int]
    empty_polls: int


def slow(arrivals_ps: list[int], loop: Loop, until_ps: int) -> Outcome:
    """Polls one by one, moves packets one by one."""
    waiting: list[int] = []
    latencies: list[int] = []
    sizes: list[int] = []
    dropped = empty = following = now = 0
    while now < until_ps:
        while following < len(arrivals_ps) and arrivals_ps[following] <= now:
            if len(waiting) < loop.ring:
                waiting.append(arrivals_ps[following])
            else:
                dropped += 1
            following += 1
        taken, waiting = waiting[: loop.burst], waiting[loop.burst :]
        if not taken:
            empty += 1
            now += loop.poll_ps
            continue
        sizes.append(len(taken))
        now += loop.burst_ps + len(taken) * loop.packet_ps
        if now < until_ps:
            latencies += [now - born for born in taken]
    return Outcome(latencies, dropped, sizes, empty)


def model_of(loop: Loop, arrivals: sim.Arrivals, until_ps: int) -> sim.Model:
    stage = sim.Stage(
        name="work",
        burst_cycles=sim.Distribution(mean=loop.burst_ps / 1000),
        packet_cycles=sim.Distribution(mean=loop.packet_ps / 1000),
    )
    task = sim.Task(
        name="task",
        input=sim.Input(name="port"),
        burst=loop.burst,
        empty_poll_cycles=loop.poll_ps / 1000,
        stages=[stage],
    )
    return sim.Model(
        sources=[sim.Source(port="port", arrivals=arrivals)],
        ports=[sim.Port(name="port", rx_ring=loop.ring)],
        cores=[sim.Core(name="core", clock_hz=1e9, tasks=[task])],
        run=sim.Run(duration_ns=until_ps / 1000, histogram_digits=4),
    )


LOOPS = st.builds(
    Loop,
    burst=st.integers(1, 40),
    ring=st.integers(1, 60),
    poll_ps=st.integers(1000, 90_000),
    burst_ps=st.integers(0, 500_000),
    packet_ps=st.integers(1000, 300_000),
)


@settings(max_examples=150)
@given(loop=LOOPS, gaps=st.lists(st.integers(0, 400_000), min_size=1, max_size=400))
def test_agrees_to_the_picosecond(loop: Loop, gaps: list[int]) -> None:
    arrivals, at = [], 0
    for gap in gaps:
        at += gap
        arrivals.append(at)
    until = at + 2_000_000
    arrivals = [instant for instant in arrivals if instant < until]
    expected = slow(arrivals, loop, until)
    times = sim.Arrivals(
        kind=sim.ArrivalKind.timestamps, times_ns=[instant / 1000 for instant in arrivals]
    )
    results = sim.simulate(model_of(loop, times, until))
    task = results.cores[0].tasks[0]
    assert results.offered == len(arrivals)
    assert results.forwarded == len(expected.latencies_ps)
    assert task.bursts == len(expected.sizes)
    assert [size for size, count in enumerate(task.burst_sizes) for _ in range(count)] == sorted(
        expected.sizes
    )
    assert task.empty_polls == pytest.approx(expected.empty_polls, abs=1)
    seen = [bar.low for bar in results.latency.bars() for _ in range(bar.count)]
    exact = sorted(latency // 1000 for latency in expected.latencies_ps)
    assert [low <= value for low, value in zip(seen, exact, strict=True)] == [True] * len(exact)
    if exact and exact[-1] < 32768:  # counted one by one
        assert seen == exact
    if exact:
        mean = statistics.fmean(expected.latencies_ps) / 1000
        assert results.classes[0].mean_latency_ns == pytest.approx(mean, rel=1e-12)
    # What came after the last poll was never looked at by the slow one.
    assert results.dropped >= expected.dropped


@pytest.mark.parametrize("load", [0.5, 0.9])
def test_batch_service_with_polling(load: float) -> None:
    """Poisson arrivals, a + b·n a burst: no closed form, so the slow one is the theory."""
    loop = Loop(burst=32, ring=64, poll_ps=40_000, burst_ps=120_000, packet_ps=100_000)
    rate_pps = load * 32 / (120e-9 + 32 * 100e-9)
    rng = random.Random(5)
    means = []
    for _ in range(12):
        at, arrivals = 0.0, []
        while at < 20e9:
            at += rng.expovariate(rate_pps * 1e-12)
            arrivals.append(int(at))
        means.append(statistics.fmean(slow(arrivals, loop, 20_000_000_000).latencies_ps) / 1000)
    spread = 3.106 * statistics.stdev(means) / len(means) ** 0.5  # t(11), 99 %
    model = model_of(
        loop, sim.Arrivals(kind=sim.ArrivalKind.poisson, rate_pps=rate_pps), 1_000_000_000_000
    )
    model.run.confidence = 0.99
    mean = sim.simulate(model).mean_latency_ns
    assert abs(mean.value - statistics.fmean(means)) <= spread + (mean.high - mean.value)


def test_saturated_throughput_is_the_closed_form(make_queue: Callable[..., sim.Model]) -> None:
    """A full ring gives full bursts: burst / (a + b·burst)."""
    loop = Loop(burst=32, ring=512, poll_ps=40_000, burst_ps=120_000, packet_ps=84_600)
    results = sim.simulate(model_of(loop, sim.Arrivals(rate_pps=2e7), 50_000_000_000))
    closed = 32 / (120e-9 + 32 * 84.6e-9)
    assert results.throughput_pps.value == pytest.approx(closed, rel=0.005)
    # The published law of a saturated ring: ring length × time a packet, and a constant.
    assert results.latency.percentile(50) == pytest.approx(512 / closed * 1e9, rel=0.07)
