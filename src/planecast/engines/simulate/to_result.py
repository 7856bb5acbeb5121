"""What the native core answers, as a Result."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planecast.engines.simulate import _simulator as sim
from planecast.engines.simulate.bottleneck import SOURCE_CAUSES, capped_by
from planecast.engines.simulate.drops import lost_by_cause
from planecast.engines.simulate.generator_latency import NOTHING, without_generator
from planecast.engines.simulate.handoff import LineCosts
from planecast.engines.simulate.histogram import encoded
from planecast.engines.simulate.notes import notes_of
from planecast.engines.simulate.pipeline_split import Segment, per_packet
from planecast.engines.simulate.stage_cost import PipelineCost
from planecast.errors import RunError
from planecast.model.prediction import widened
from planecast.results.estimate import Estimate
from planecast.results.manifest import Manifest
from planecast.results.result import (
    ClassResult,
    LcoreResult,
    QueueResult,
    Result,
    StageResult,
)
from planecast.scenario.scenario import Scenario

CORES = ("core", "memory")
"""Caps that a predicted cost decides about."""
PERCENTILES = (50.0, 90.0, 99.0, 99.9)


@dataclass(frozen=True)
class Prepared:
    """One scenario and what was known of it before it ran."""

    scenario: Scenario
    solved: Result
    """The closed form's answer to the uncut pipeline from memory to memory."""
    cost: PipelineCost
    segments: tuple[Segment, ...]
    lines: LineCosts
    """Of handoffs."""
    tsc_hz: float
    limits: dict[str, float]
    """Packets a second that card, link, PCIe and devices let through."""
    precision: float | None
    """Share of the value that the interval was to be within; None: a time was asked for."""
    more_notes: tuple[str, ...] = ()
    """What else a reader should know, as sentences."""

    @property
    def plain(self) -> bool:
        """Whether it is what the closed form knows, at its full load."""
        return not self.scenario.traffic.at_a_rate and len(self.segments) == 1


def to_result(asked: Prepared, answer: sim.Results, manifest: Manifest) -> Result:
    """The Result of a simulated scenario. Raises RunError when no packet came."""
    scenario, solved = asked.scenario, asked.solved
    offered = scenario.traffic.at_a_rate
    costs = _costs(asked.segments, answer)
    latency = latency_of(answer) if offered else {}
    drops = _drops(answer, offered)
    # What an always full source can't get rid of isn't lost: it waits.
    unsent = 0 if offered else sum(lost_by_cause(answer).get(cause, 0) for cause in SOURCE_CAUSES)
    counted = asked.plain and scenario.accelerator.stage == "none"
    cause = capped_by(scenario, asked.limits, answer, solved.capped_by)
    rate = estimate(answer.throughput_pps, "pps")
    if cause in CORES:  # what cores limit is as uncertain as what they cost
        most = answer.offered_pps.high if offered else math.inf
        rate = _at_most(most, widened(rate, solved.cycles_per_packet))
    slowest = max((cost for cost, _ in costs), key=lambda cost: cost.value)
    return Result(
        scenario=scenario,
        throughput_pps=rate,
        cycles_per_packet=widened(slowest, solved.cycles_per_packet),
        # At part load bursts are smaller than those that instructions were counted at.
        instructions_per_packet=solved.instructions_per_packet if counted else None,
        ipc=solved.ipc if counted else None,
        stages=_stages([stages for _, stages in costs], solved if counted else None),
        packets_in=answer.offered - unsent,
        packets_out=answer.forwarded,
        drops=drops,
        latency_ns=latency,
        latency_histogram=encoded(answer.latency) if latency else None,
        classes=classes_of(answer) if scenario.traffic.classes != "none" and offered else {},
        queues={queue.name: _queue(queue) for queue in answer.queues if queue.name != NOTHING},
        lcores={core.name: _lcore(core) for core in without_generator(answer)},
        capped_by=cause,
        notes=(
            *solved.notes,
            *notes_of(
                scenario,
                solved,
                asked.lines,
                answer,
                precision=asked.precision,
                latency=latency,
            ),
            *asked.more_notes,
        ),
        manifest=manifest,
    )


def _at_most(most: float, rate: Estimate) -> Estimate:
    """A rate whose interval ends where no more packets come: cheaper ones would not be more."""
    if rate.high is None or rate.high <= most:
        return rate
    return rate.model_copy(update={"high": max(most, rate.value)})


def estimate(found: sim.Estimate, unit: str) -> Estimate:
    """An estimate of the core's; its interval is 95 %."""
    return Estimate(
        value=found.value,
        low=found.low,
        high=found.high,
        samples=found.samples,
        unit=unit,
        kind="simulated",
    )


def _costs(
    segments: tuple[Segment, ...], answer: sim.Results
) -> list[tuple[Estimate, dict[str, Estimate]]]:
    """Of each segment the cycles a packet, together and by stage, in the bursts that it took."""
    found = []
    for number, segment in enumerate(segments):
        bursts = _bursts(without_generator(answer)[number :: len(segments)])
        whole = _cost(segment, bursts)
        found.append((whole, {stage.name: _cost((stage,), bursts) for stage in segment}))
    return found


@dataclass(frozen=True)
class _Bursts:
    """The bursts that some lcores took."""

    mean: Estimate
    """Packets of a poll that found some."""
    polls: NDArray[np.float64]
    """That found 1, 2, … packets."""


def _bursts(cores: Sequence[sim.CoreResult]) -> _Bursts:
    """Over these lcores, whose errors are independent."""
    calls = [(core.vectors_per_call, sum(task.bursts for task in core.tasks)) for core in cores]
    bursts = sum(count for _, count in calls)
    if bursts == 0:
        raise RunError("the simulation ended before a packet came", what_to_do="offer more")
    value = sum(size.value * count for size, count in calls) / bursts
    half = math.hypot(*((size.high - size.value) * count / bursts for size, count in calls))
    mean = Estimate(
        value=max(value, 1.0),
        low=max(1.0, value - half),
        high=max(value, value + half, 1.0),
        samples=sum(size.samples for size, _ in calls),
        unit="packets",
        kind="simulated",
    )
    tasks = [task.burst_sizes for core in cores for task in core.tasks]
    return _Bursts(mean, np.array(tasks, dtype=np.float64).sum(axis=0)[1:])


def _cost(segment: Segment, bursts: _Bursts) -> Estimate:
    """Cycles a packet in these bursts: the larger they are, the cheaper."""
    cycles = np.sum([stage.cycles for stage in segment], axis=0)
    sizes = np.arange(1, cycles.size + 1)
    value = float(bursts.polls @ cycles / (bursts.polls @ sizes))

    def times(size: float) -> float:
        """Cost of such bursts over that of the mean ones."""
        usual = per_packet(segment, bursts.mean.value)
        return per_packet(segment, size) / usual if usual > 0 else 1.0

    low, high = bursts.mean.interval or (bursts.mean.value, bursts.mean.value)
    return Estimate(
        value=value,
        low=value * min(1.0, times(high)),
        high=value * max(1.0, times(low)),
        samples=bursts.mean.samples,
        unit="cycles/packet",
        kind="simulated",
    )


def _stages(parts: list[dict[str, Estimate]], solved: Result | None) -> dict[str, StageResult]:
    """Cost by stage; of several handoffs the sum, for a packet passes all of them."""
    found: dict[str, Estimate] = {}
    for part in parts:
        for name, cost in part.items():
            found[name] = _sum(found[name], cost) if name in found else cost
    return {
        name: StageResult(
            cycles_per_packet=cost,
            instructions_per_packet=solved.stages[name].instructions_per_packet if solved else None,
        )
        for name, cost in found.items()
    }


def _sum(one: Estimate, other: Estimate) -> Estimate:
    ends = [(e.interval or (e.value, e.value)) for e in (one, other)]
    return one.model_copy(
        update={
            "value": one.value + other.value,
            "low": ends[0][0] + ends[1][0],
            "high": ends[0][1] + ends[1][1],
        }
    )


def latency_of(answer: sim.Results) -> dict[str, Estimate]:
    """Mean with its interval, percentiles without: neighbours wait alike."""
    if answer.latency.total == 0:
        return {}
    return {"mean": estimate(answer.mean_latency_ns, "ns")} | _percentiles(answer.latency)


def _percentiles(histogram: sim.Histogram) -> dict[str, Estimate]:
    points = {f"p{percent:g}": histogram.percentile(percent) for percent in PERCENTILES}
    return {
        name: _plain(float(value), histogram.total, "ns")
        for name, value in (points | {"max": histogram.max}).items()
    }


def _plain(value: float, samples: int, unit: str) -> Estimate:
    """Without an interval."""
    return Estimate(value=value, samples=samples, unit=unit, kind="simulated")


def classes_of(answer: sim.Results) -> dict[str, ClassResult]:
    """What became of each class's packets; without intervals, which --replications gives."""
    return {
        one.name: ClassResult(
            packets_in=one.offered,
            packets_out=one.forwarded,
            dropped=one.dropped,
            throughput_pps=_plain(one.throughput_pps, one.forwarded, "pps"),
            loss=_plain(one.loss_ratio, one.offered, "share"),
            latency_ns={
                "mean": _plain(one.mean_latency_ns, one.latency.total, "ns"),
                **_percentiles(one.latency),
            }
            if one.latency.total
            else {},
        )
        for one in answer.classes
    }


def _drops(answer: sim.Results, offered: bool) -> dict[str, int]:
    return {
        cause: count
        for cause, count in lost_by_cause(answer).items()
        if offered or cause not in SOURCE_CAUSES
    }


def _queue(found: sim.QueueResult) -> QueueResult:
    return QueueResult(
        capacity=found.capacity, mean=found.mean, max=found.max, mean_wait_ns=found.mean_wait_ns
    )


def _lcore(found: sim.CoreResult) -> LcoreResult:
    def share(value: float) -> float:
        return min(max(value, 0.0), 1.0)  # they are sums of rounded parts

    return LcoreResult(
        busy=share(found.busy),
        polling=share(found.polling),
        waiting=share(found.waiting),
        disturbed=share(found.disturbed),
        vectors_per_call=estimate(found.vectors_per_call, "packets"),
    )
