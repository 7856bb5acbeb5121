"""The Python bindings: constructors, errors, what runs while the simulation does."""

from __future__ import annotations

import json
import math
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType

import pytest

from planecast.engines.simulate import _simulator as sim

MakeQueue = Callable[..., sim.Model]


def endless(make_queue: MakeQueue) -> sim.Model:
    arrivals = sim.Arrivals(rate_pps=5e6)
    return make_queue(arrivals, sim.Distribution(mean=100), run=sim.Run(duration_ns=1e15))


def test_fields_by_keyword() -> None:
    port = sim.Port(name="p", line_rate_bps=1e10)
    assert (port.name, port.line_rate_bps, port.rx_ring) == ("p", 1e10, 1024)
    with pytest.raises(AttributeError, match="linerate"):
        sim.Port(linerate=1e10)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        sim.Port(line_rate_bps="fast")  # type: ignore[arg-type]


def test_lists_are_copies_and_say_so() -> None:
    model = sim.Model(ports=[sim.Port(name="p")])
    assert isinstance(model.ports, tuple)
    model.ports = [*model.ports, sim.Port(name="q")]
    assert [port.name for port in model.ports] == ["p", "q"]


def test_nested_structs_are_not_copies() -> None:
    model = sim.Model()
    model.run.seed = 7
    assert model.run.seed == 7


def test_an_error_names_the_field(make_queue: MakeQueue) -> None:
    model = make_queue(sim.Arrivals(rate_pps=1e6), sim.Distribution(mean=-1))
    with pytest.raises(
        sim.ModelError,
        match=r"^cores\[0\]\.tasks\[0\]\.stages\[0\]\.packet_cycles\.mean: -1 is outside 0 … 1e",
    ):
        sim.validate(model)
    model.run.duration_ns = math.nan
    with pytest.raises(ValueError, match="mean"):
        sim.simulate(model)


def test_many_in_order(make_queue: MakeQueue) -> None:
    rates = [1e6 * 2**i for i in range(6)]
    models = [
        make_queue(
            sim.Arrivals(rate_pps=rate), sim.Distribution(mean=10), run=sim.Run(duration_ns=1e6)
        )
        for rate in rates
    ]
    results = sim.simulate_many(models, threads=3)
    assert [one.offered for one in results] == [round(rate * 1e-3) for rate in rates]
    models[3].run.duration_ns = -1
    with pytest.raises(sim.ModelError, match=r"run\.duration_ns"):
        sim.simulate_many(models, threads=3)


def test_other_threads_run_during_it(make_queue: MakeQueue) -> None:
    model = endless(make_queue)
    model.run.max_host_seconds = 0.5
    turns = 0
    done = threading.Event()

    def count() -> None:
        nonlocal turns
        while not done.is_set():
            turns += 1
            time.sleep(0.001)

    other = threading.Thread(target=count)
    other.start()
    results = sim.simulate(model)
    done.set()
    other.join()
    assert results.stopped_by == "host time limit"
    assert turns > 20


def test_a_signal_interrupts(make_queue: MakeQueue) -> None:
    class RungError(Exception):
        pass

    def ring(number: int, frame: FrameType | None) -> None:
        raise RungError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        started = time.monotonic()
        with pytest.raises(RungError):
            sim.simulate(endless(make_queue))
        assert time.monotonic() - started < 30
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_the_trace_is_json(make_queue: MakeQueue) -> None:
    model = make_queue(sim.Arrivals(rate_pps=1e6), sim.Distribution(mean=100))
    model.run = sim.Run(duration_ns=1e5, trace_events=20)
    results = sim.simulate(model)
    events = json.loads(results.trace_json)["traceEvents"]
    bursts = [event for event in events if event["ph"] == "X"]
    assert [event["args"]["packets"] for event in bursts] == [1] * len(bursts)
    assert bursts[1]["ts"] - bursts[0]["ts"] == pytest.approx(1, abs=1e-5)  # microseconds
    assert bursts[0]["dur"] == pytest.approx(0.1)
    assert results.trace_left_out > 0


def hdr_lowest(value: int, digits: int) -> int:
    """HdrHistogram's lowest equivalent value, from its definition."""
    sub_buckets = 1 << math.ceil(math.log2(2 * 10**digits))
    bucket = max(0, value.bit_length() - sub_buckets.bit_length() + 1)
    return value >> bucket << bucket


def test_the_histogram_is_hdr(make_queue: MakeQueue) -> None:
    for digits in (1, 2, 3, 4):
        model = make_queue(
            sim.Arrivals(kind=sim.ArrivalKind.poisson, rate_pps=8e6),
            sim.Distribution(kind=sim.DistributionKind.lognormal, mean=100, cv=3),
            run=sim.Run(duration_ns=1e7, histogram_digits=digits),
        )
        results = sim.simulate(model)
        bars = results.latency.bars()
        assert sum(bar.count for bar in bars) == results.forwarded
        for bar in bars:
            assert hdr_lowest(bar.low, digits) == bar.low
            assert hdr_lowest(bar.high, digits) == bar.low
            assert hdr_lowest(bar.high + 1, digits) == bar.high + 1


def test_same_seed_same_answer_pinned(make_queue: MakeQueue) -> None:
    """Whoever changes these numbers changes what is simulated of every scenario."""
    model = make_queue(
        sim.Arrivals(kind=sim.ArrivalKind.poisson, rate_pps=9e6),
        sim.Distribution(kind=sim.DistributionKind.lognormal, mean=100, cv=0.5),
        ring=64,
        burst=32,
        poll=40,
        run=sim.Run(duration_ns=1e7, seed=42),
    )
    results = sim.simulate(model)
    assert (results.offered, results.forwarded, results.dropped) == (89502, 89499, 0)
    assert results.classes[0].mean_latency_ns.hex() == "0x1.c848efc4b1632p+9"
