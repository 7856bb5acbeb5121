"""The engine: scenarios to models, models to the native core, what it answers to Results."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence

from planecast.engines.simulate import _simulator as sim
from planecast.engines.simulate.histogram import encoded
from planecast.engines.simulate.model import model_of
from planecast.engines.simulate.service import Service, services
from planecast.engines.solve import Calibration, solve
from planecast.errors import InputError, RunError
from planecast.results.estimate import Estimate
from planecast.results.manifest import Manifest
from planecast.results.result import Result, StageResult
from planecast.scenario.scenario import Scenario

PERCENTILES = (50.0, 90.0, 99.0, 99.9)
MAX_PACKETS = 200_000_000
"""Packets of a scenario, over all lcores, after which it ends however precise it is."""
HOST_SECONDS = 60.0
"""Host time of a scenario, likewise."""
MISFIT_WORTH_A_WORD = 0.02
_RARELY_IDLE = 0.01
"""A core that polls in vain for less of its time is what limits."""


def simulate(
    scenarios: Sequence[Scenario],
    calibration: Calibration,
    manifest: Manifest,
    *,
    precision: float = 0.01,
    seed: int | None = None,
    threads: int | None = None,
    packets: int = MAX_PACKETS,
    host_seconds: float = HOST_SECONDS,
) -> list[Result]:
    """Simulates scenarios. Intervals are 95 %, from batch means: the simulation's own.

    Each runs until the half-width of its throughput (its mean latency, with an offered rate) is no
    more than `precision` times the value; `packets` and `host_seconds` end it before. `seed` is by
    default that of the scenario's traffic. The same seed gives the same Results on any number of
    `threads`, by default one a CPU.
    """
    if not 0 < precision < 1:
        raise InputError(f"got a precision of {precision}", what_to_do="it is a share such as 0.01")
    closed = solve(scenarios, calibration, manifest)
    costs = services(scenarios, calibration)
    tsc_hz = calibration.hierarchy.tsc_hz
    models = [
        model_of(
            scenario,
            service,
            tsc_hz,
            precision=precision,
            seed=scenario.traffic.seed if seed is None else seed,
            packets=packets,
            host_seconds=host_seconds,
        )
        for scenario, service in zip(scenarios, costs, strict=True)
    ]
    try:
        answers = sim.simulate_many(models, threads=threads or len(os.sched_getaffinity(0)))
    except (sim.ModelError, sim.InvariantError) as error:
        raise RunError(f"the simulator refused its model or its own answer: {error}") from error
    made_by = manifest.model_copy(
        update={"engine": "simulate"} | ({} if seed is None else {"seed": seed})
    )
    return [
        _result(solved, service, answer, precision, made_by)
        for solved, service, answer in zip(closed, costs, answers, strict=True)
    ]


def _result(
    solved: Result, service: Service, answer: sim.Results, precision: float, manifest: Manifest
) -> Result:
    offered = solved.scenario.traffic.offered_pps is not None
    burst = _mean_burst(answer)
    latency = _latency(answer) if offered else {}
    lost = answer.dropped if offered else 0
    return Result(
        scenario=solved.scenario,
        throughput_pps=_estimate(answer.throughput_pps, "pps"),
        cycles_per_packet=_cost(service.per_packet, burst),
        # At part load bursts are smaller than those that instructions were counted at.
        instructions_per_packet=None if offered else solved.instructions_per_packet,
        ipc=None if offered else solved.ipc,
        stages={
            stage.name: StageResult(
                cycles_per_packet=_cost(stage.per_packet, burst),
                instructions_per_packet=None
                if offered
                else solved.stages[stage.name].instructions_per_packet,
            )
            for stage in service.stages
        },
        # What an always full source can't get rid of isn't lost: it waits.
        packets_in=answer.offered if offered else answer.offered - answer.dropped,
        packets_out=answer.forwarded,
        drops=_drops(answer) if offered else {},
        latency_ns=latency,
        latency_histogram=encoded(answer.latency) if latency else None,
        capped_by=_limit(answer, solved.capped_by, lost) if offered else solved.capped_by,
        notes=(*solved.notes, *_notes(solved, service, answer, precision, latency)),
        manifest=manifest,
    )


def _estimate(found: sim.Estimate, unit: str) -> Estimate:
    return Estimate(
        value=found.value,
        low=found.low,
        high=found.high,
        samples=found.samples,
        unit=unit,
        kind="simulated",
    )


def _mean_burst(answer: sim.Results) -> Estimate:
    """Packets of a poll that found some, over all lcores; their errors are independent."""
    cores = [
        (core.vectors_per_call, sum(task.bursts for task in core.tasks)) for core in answer.cores
    ]
    bursts = sum(count for _, count in cores)
    if bursts == 0:
        raise RunError("the simulation ended before a packet came", what_to_do="offer more")
    value = sum(size.value * count for size, count in cores) / bursts
    half = math.hypot(*((size.high - size.value) * count / bursts for size, count in cores))
    return Estimate(
        value=value,
        low=max(1.0, value - half),
        high=max(value, value + half),
        samples=sum(size.samples for size, _ in cores),
        unit="packets",
        kind="simulated",
    )


def _cost(per_packet: Callable[[float], float], burst: Estimate) -> Estimate:
    """Cycles a packet in bursts of this mean size: the larger they are, the cheaper."""
    low, high = burst.interval or (burst.value, burst.value)
    value = per_packet(burst.value)
    return Estimate(
        value=value,
        low=min(value, per_packet(high)),
        high=max(value, per_packet(low)),
        samples=burst.samples,
        unit="cycles/packet",
        kind="simulated",
    )


def _latency(answer: sim.Results) -> dict[str, Estimate]:
    """Mean with its interval, percentiles without: neighbours wait alike."""
    histogram = answer.latency
    if histogram.total == 0:
        return {}
    points = {f"p{percent:g}": histogram.percentile(percent) for percent in PERCENTILES}
    return {"mean": _estimate(answer.mean_latency_ns, "ns")} | {
        name: Estimate(value=float(value), samples=histogram.total, unit="ns", kind="simulated")
        for name, value in (points | {"max": histogram.max}).items()
    }


def _drops(answer: sim.Results) -> dict[str, int]:
    found: dict[str, int] = {}
    for drop in answer.drops:
        if drop.packets:
            found[drop.cause] = found.get(drop.cause, 0) + drop.packets
    return found


def _limit(answer: sim.Results, core: str | None, lost: int) -> str | None:
    """What set the throughput at an offered rate."""
    if lost == 0:
        return "generator"
    polling = max(one.polling for one in answer.cores)
    return core if polling < _RARELY_IDLE else "ring"


def _notes(
    solved: Result,
    service: Service,
    answer: sim.Results,
    precision: float,
    latency: dict[str, Estimate],
) -> list[str]:
    notes = []
    if latency:
        shown = ", ".join(f"{name} {one.value:,.0f}" for name, one in latency.items())
        notes.append(f"latency in ns from arrival to departure: {shown}")
    if answer.dropped and latency:
        lost = answer.loss_ratio
        notes.append(f"{100 * lost.value:.3g} % lost [{100 * lost.low:.3g}, {100 * lost.high:.3g}]")
    own = solved.cycles_per_packet.half_width_percent
    if own is not None:
        notes.append(
            "the interval is the simulation's own; what the calibration leaves open comes on top: "
            f"{own:.1f} %"
        )
    wanted = answer.mean_latency_ns if latency else answer.throughput_pps
    if wanted.high - wanted.value > precision * wanted.value:
        notes.append(
            f"ended by its {answer.stopped_by} before a precision of {100 * precision:g} %"
        )
    return notes + (_about_small_bursts(service) if latency else [])


def _about_small_bursts(service: Service) -> list[str]:
    """How far the costs of partly filled bursts can be trusted: they rule at part load."""
    notes = []
    if service.misfit > MISFIT_WORTH_A_WORD:
        notes.append(
            "bursts below the limit cost a part a burst and a part a packet here, up to "
            f"{100 * service.misfit:.0f} % off the closed form"
        )
    if service.fitted_from > 1:
        notes.append(
            f"the calibration has no bursts below {service.fitted_from}: their cost is extrapolated"
        )
    return notes
