"""Against queueing theory, within the simulation's own 99 % interval."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from planecast.engines.simulate import _simulator as sim

MakeQueue = Callable[..., sim.Model]
SERVICE = 100.0  # ns


def poisson(load: float) -> sim.Arrivals:
    return sim.Arrivals(kind=sim.ArrivalKind.poisson, rate_pps=load / SERVICE * 1e9)


def constant() -> sim.Distribution:
    return sim.Distribution(mean=SERVICE)


def exponential() -> sim.Distribution:
    return sim.Distribution(kind=sim.DistributionKind.exponential, mean=SERVICE)


def holds(estimate: sim.Estimate, theory: float, width: float = 0.05) -> bool:
    """Inside the interval, which must say something: half-width below `width` of the value."""
    assert estimate.high - estimate.low < 2 * width * theory
    return estimate.low <= theory <= estimate.high


@pytest.mark.parametrize("load", [0.1, 0.5, 0.8, 0.95])
def test_m_d_1(make_queue: MakeQueue, load: float) -> None:
    results = sim.simulate(make_queue(poisson(load), constant()))
    assert holds(results.mean_latency_ns, SERVICE * (1 + load / (2 * (1 - load))))
    assert results.cores[0].busy == pytest.approx(load, abs=0.002)
    assert results.dropped == 0


@pytest.mark.parametrize("load", [0.2, 0.7, 0.9])
def test_m_m_1(make_queue: MakeQueue, load: float) -> None:
    results = sim.simulate(make_queue(poisson(load), exponential()))
    assert holds(results.mean_latency_ns, SERVICE / (1 - load))
    # The sojourn time is exponential: so are its percentiles.
    for percent in (50, 90, 99):
        theory = -SERVICE / (1 - load) * math.log(1 - percent / 100)
        assert results.latency.percentile(percent) == pytest.approx(theory, rel=0.03)


@pytest.mark.parametrize("cv", [0.5, 2.0])
def test_pollaczek_khinchine(make_queue: MakeQueue, cv: float) -> None:
    load = 0.6
    service = sim.Distribution(kind=sim.DistributionKind.lognormal, mean=SERVICE, cv=cv)
    results = sim.simulate(make_queue(poisson(load), service))
    theory = SERVICE * (1 + load * (1 + cv * cv) / (2 * (1 - load)))
    assert holds(results.mean_latency_ns, theory)


@pytest.mark.parametrize("rate_pps", [1e5, 3333333.3, 9.9e6])
def test_d_d_1_never_waits(make_queue: MakeQueue, rate_pps: float) -> None:
    arrivals = sim.Arrivals(rate_pps=rate_pps)
    results = sim.simulate(make_queue(arrivals, constant(), run=sim.Run(duration_ns=1e8)))
    assert results.latency.min == results.latency.max == SERVICE
    assert results.queues[0].mean_wait_ns < 2e-3  # a poll's picosecond


@pytest.mark.parametrize(
    ("ring", "load"), [(1, 0.5), (1, 1.5), (5, 0.9), (5, 1.0), (20, 0.9), (20, 1.0), (20, 1.5)]
)
def test_m_m_1_k(make_queue: MakeQueue, ring: int, load: float) -> None:
    places = ring + 1  # one more is in service
    weights = [load**n for n in range(places + 1)]
    total = sum(weights)
    loss = weights[-1] / total
    inside = sum(n * weight for n, weight in enumerate(weights)) / total
    results = sim.simulate(make_queue(poisson(load), exponential(), ring=ring))
    if loss > 1e-5:
        assert holds(results.loss_ratio, loss)
    # Little's law turns the mean number inside into the mean latency.
    assert holds(results.mean_latency_ns, inside / (load * (1 - loss)) * SERVICE)


def test_tandem(make_queue: MakeQueue, make_task: Callable[..., sim.Task]) -> None:
    """Burke: what leaves an M/M/1 queue is a Poisson process again."""
    model = make_queue(poisson(0.7), exponential())
    first = model.cores[0]
    one = first.tasks[0]
    one.output = sim.Output(kind=sim.OutputKind.ring, to="ring")
    first.tasks = [one]
    second = sim.Core(
        name="second",
        clock_hz=1e9,
        tasks=[
            make_task(
                "task",
                sim.Input(kind=sim.InputKind.ring, name="ring"),
                sim.Distribution(kind=sim.DistributionKind.exponential, mean=0.6 * SERVICE),
            )
        ],
    )
    model.cores = [first, second]
    model.rings = [sim.Ring(name="ring", capacity=1 << 16)]
    results = sim.simulate(model)
    theory = SERVICE / (1 - 0.7) + 0.6 * SERVICE / (1 - 0.7 * 0.6)
    assert holds(results.mean_latency_ns, theory)


def test_parallel_servers(make_queue: MakeQueue, make_task: Callable[..., sim.Task]) -> None:
    """A look-aside device with c engines is M/D/c; with a core in front that takes no time.

    Compared by its loss-free utilisation and by the wait of Erlang C's upper bound: M/D/c waits
    about half as long as M/M/c.
    """
    engines, load = 4, 0.8
    arrivals = sim.Arrivals(kind=sim.ArrivalKind.poisson, rate_pps=engines * load / SERVICE * 1e9)
    model = make_queue(arrivals, sim.Distribution(mean=0), run=sim.Run(duration_ns=3e8))
    model.accelerators = [
        sim.Accelerator(name="device", servers=engines, packet_ns=constant(), queue=1 << 16)
    ]
    core = model.cores[0]
    one = core.tasks[0]
    one.output = sim.Output(kind=sim.OutputKind.accelerator, to="device")
    core.tasks = [one]
    back = make_task(
        "back", sim.Input(kind=sim.InputKind.accelerator, name="device"), sim.Distribution(mean=0)
    )
    model.cores = [core, sim.Core(name="back", clock_hz=1e9, tasks=[back])]
    results = sim.simulate(model)
    offered = engines * load
    tail = offered**engines / math.factorial(engines) / (1 - load)
    erlang_c = tail / (tail + sum(offered**n / math.factorial(n) for n in range(engines)))
    m_m_c_wait = erlang_c * SERVICE / (engines * (1 - load))
    # Cosmetatos' approximation of M/D/c, good to about a percent here.
    spread = (1 - load) * (engines - 1) * (math.sqrt(4 + 5 * engines) - 2) / (16 * load * engines)
    theory = SERVICE + 0.5 * m_m_c_wait * (1 + spread)
    assert results.dropped == 0
    assert results.mean_latency_ns.value == pytest.approx(theory, rel=0.02)
