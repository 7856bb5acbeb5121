"""From windows to a Result: undisturbed windows of steady visits, and an interval over restarts.

The estimate is a low quantile of all windows: what disturbs a machine makes it slower, in single
windows and in whole process instances. From run to run it repeats best among quantiles and means of
windows and of instances (docs/explanation/measuring.md). The interval comes from a bootstrap over
visits, because windows of one visit share a state, and is widened by the differences between
process instances.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from planecast.dataplanes import TrialAnswer
from planecast.engines.measure.counted_windows import (
    MIN_WINDOWS,
    Mask,
    canary_pairs,
    counted_windows,
    of_cpu,
)
from planecast.engines.measure.machine_state import others_matter
from planecast.engines.measure.reference import Reference, factors
from planecast.instruments.quantiles import turn_quantile
from planecast.results.estimate import Estimate
from planecast.results.manifest import Manifest
from planecast.results.result import IN_MEMORY, Result, StageResult
from planecast.results.student import DEVIATIONS, FEWEST_ROUNDS, t_quantile
from planecast.results.trials import Columns
from planecast.scenario.host_cpus import cpus_here
from planecast.scenario.scenario import Scenario
from planecast.scenario.workload import FUNCTIONS
from planecast.workload.traced.rotation import APART

QUANTILE = 0.25
"""Of a point's windows, of all process instances together."""
INSTANCES_DIFFER = 0.05
"""Relative spread of process instances above which the result has a note on it."""
INSTANCES = "process instances differ"
"""How the note of such a result begins."""
ROTATES = "packet buffers take turns"
"""How the note of a result begins many of whose packets got no buffer that was freed just now."""
OPINION = "own counters"
"""The name of what a program's own counters say."""
OPINIONS_DIFFER = 0.1
"""Relative difference of the two from which on a result has a note on it."""
LUMPS = 0.75
"""A stage whose quantile of windows is below this share of its mean is not the work of every poll,
or is shorter than a step of the clock."""
LEAST_SHARE = 0.01
"""A cost can't be nothing: an interval that would reach zero ends at this share of the value."""
SCHEDULER_SHARE = 0.001
"""Share of packets dropped by the traffic manager above which its rates are the limit."""

Floats = NDArray[np.float64]


@dataclass
class PointFacts:
    """What a point's visits counted: packets in and out, drops, page size, clock."""

    point: int
    """Its number in the table of trials."""
    packets_in: int = 0
    packets_out: int = 0
    drops: dict[str, int] = field(default_factory=dict)
    tsc_hz: int = 0
    page_size: str | None = None
    own: list[float] = field(default_factory=list)
    """TSC cycles a packet of each visit by the program's own counters, where it has some."""

    def add(self, answer: TrialAnswer) -> None:
        """Adds a visit."""
        self.tsc_hz, self.page_size = answer.tsc_hz, answer.page_size
        self.packets_in += answer.packets_in
        self.packets_out += answer.packets_out
        if answer.own_cycles_per_packet is not None:
            self.own.append(answer.own_cycles_per_packet)
        for cause, count in answer.drops.items():
            self.drops[cause] = self.drops.get(cause, 0) + count


def own_opinion(
    visits: Sequence[float], ours: Estimate
) -> tuple[dict[str, Estimate], tuple[str, ...]]:
    """Cycles a packet by the program's own counters, the median of its visits, and a note when it
    differs from ours. They have whole visits, disturbed ones and warm-ups among them, at the clock
    as it was."""
    if not visits:
        return {}, ()
    value = float(np.median(visits))
    opinion = Estimate(value=value, samples=len(visits), unit="cycles/packet", kind="measured")
    more = value / ours.value - 1
    if abs(more) <= OPINIONS_DIFFER:
        return {OPINION: opinion}, ()
    return {OPINION: opinion}, (
        f"its own counters say {value:.1f} cycles a packet in the median of {len(visits)} visits, "
        f"{abs(more):.0%} {'more' if more > 0 else 'less'} than the meter's clock: they have "
        "warm-ups and disturbed windows, too",
    )


def at_reference(columns: Columns, good: Mask, reference: Reference | None) -> Columns:
    """The same windows with undisturbed cycles stated at the reference's clock.

    Disturbed ones stay as they are: their canaries don't show the clock.
    """
    if reference is None:
        return columns
    factor = np.where(good, factors(canary_pairs(columns).mean(axis=1), reference), 1.0)
    return {**columns, "cycles": np.asarray(columns["cycles"], dtype=np.float64) * factor}


def estimate_point(
    scenario: Scenario,
    columns: Columns,
    good: Mask,
    facts: PointFacts,
    manifest: Manifest,
    *,
    alone: bool = True,
) -> Result:
    """The Result of one point from the rows that are its own. `good` marks undisturbed rows.

    Not `alone`: something runs on another CPU that the scenario doesn't name.
    """
    rows = np.asarray(columns["point"]) == facts.point
    notes = [f"pages of {facts.page_size}"] if facts.page_size else []
    if scenario.dataplane.kind != "ours":
        notes.append(IN_MEMORY)
    cpus = cpus_here(scenario)
    usual_only = others_matter(scenario, alone=alone)
    counted = counted_windows(columns, rows, good, cpus, usual_only=usual_only)
    used = counted.rows
    notes += counted.notes
    ends = rows & (np.asarray(columns["segment"]) == scenario.placement.segments - 1)
    lcores = [
        _lcore_cost(columns, used & ends & of_cpu(columns, cpu))
        for cpu in cpus
        if (ends & of_cpu(columns, cpu)).any()
    ]
    notes += _instances_note(columns, used & ends)
    notes += _rotation_note(columns, used)
    throughput = _sum_of_rates(lcores, facts.tsc_hz)
    refused = facts.drops.get("tm", 0)
    scheduled = refused > SCHEDULER_SHARE * facts.packets_in
    if scheduled:
        notes.append(
            f"the traffic manager dropped {refused:,} of {facts.packets_in:,} packets: its rates, "
            "not the core, are the limit; raise workload.tm_rate and workload.tm_pipe_rate, or "
            "spread the traffic over more flows, to measure the core"
        )
    cost = _mean_cost(throughput, facts.tsc_hz, scenario.placement.lcores)
    second, said = own_opinion(facts.own, cost)
    notes += said
    return Result(
        scenario=scenario,
        throughput_pps=throughput,
        cycles_per_packet=cost,
        stages=_stages(columns, used, cost if scenario.placement.segments == 1 else None),
        packets_in=facts.packets_in,
        packets_out=facts.packets_out,
        drops=facts.drops,
        steady_share=counted.steady_share,
        second_opinion=second,
        capped_by="traffic manager" if scheduled else "core",
        disturbed_share=float(1 - good[rows].mean()),
        notes=tuple(notes),
        manifest=manifest,
    )


def _instances_note(columns: Columns, rows: Mask) -> list[str]:
    """A sentence where process instances differ by more than INSTANCES_DIFFER."""
    medians = _of_instances(_per_packet(columns, rows), np.asarray(columns["restart"])[rows], 0.5)
    if len(medians) < 2:
        return []
    spread = float(np.ptp(medians) / np.mean(medians))
    if spread <= INSTANCES_DIFFER:
        return []
    return [
        f"{INSTANCES} by {100 * spread:.0f} %: {min(medians):.1f} to "
        f"{max(medians):.1f} cycles/packet in {len(medians)} of them"
    ]


def _rotation_note(columns: Columns, rows: Mask) -> list[str]:
    """A sentence where packets get buffers that were not freed just now."""
    if "rotation_share" not in columns:
        return []
    share, buffers = (
        float(np.nanmedian(own)) if np.isfinite(own).any() else 0.0
        for own in (
            np.asarray(columns[name], dtype=np.float64)[rows]
            for name in ("rotation_share", "rotation_buffers")
        )
    )
    if share <= APART:
        return []
    return [
        f"{ROTATES}: {share:.0%} of the packets got one that none of the last 256 packets had, so "
        f"all {buffers:,.0f} of the memory pool go through the caches: the pool's own cache may be "
        "too small for a burst and what is sent at once (cache_size of rte_pktmbuf_pool_create)"
    ]


def _per_packet(columns: Columns, rows: Mask) -> Floats:
    cycles = np.asarray(columns["cycles"], dtype=np.float64)[rows]
    return cycles / np.asarray(columns["packets"], dtype=np.float64)[rows]


def _lcore_cost(columns: Columns, rows: Mask) -> Estimate:
    """TSC cycles a packet of one lcore."""
    return cost_of_windows(
        _per_packet(columns, rows),
        np.asarray(columns["visit"])[rows],
        np.asarray(columns["restart"])[rows],
    )


def cost_of_windows(
    costs: Floats, visits: NDArray[np.generic], restarts: NDArray[np.generic]
) -> Estimate:
    """TSC cycles a packet from undisturbed windows' `costs`, their lower quartile.

    `visits` and `restarts` number the trial and the process of each. Raises ValueError for none.
    """
    if costs.size == 0:
        raise ValueError("there are no windows")
    value, low, high = turn_quantile(costs, visits, QUANTILE)
    extra = _between_instances(_of_instances(costs, restarts, QUANTILE))
    return Estimate(
        value=value,
        low=max(value - float(np.hypot(value - low, extra)), LEAST_SHARE * value),
        high=value + float(np.hypot(high - value, extra)),
        samples=int(costs.size),
        unit="cycles/packet",
        kind="measured",
    )


def _of_instances(costs: Floats, restarts: NDArray[np.generic], quantile: float) -> list[float]:
    """That quantile of the costs of each process instance that has enough windows to have one."""
    own = [costs[restarts == restart] for restart in np.unique(restarts)]
    return [float(np.quantile(some, quantile)) for some in own if some.size >= MIN_WINDOWS]


def _between_instances(costs: Sequence[float]) -> float:
    """Half a 95 % interval, from how process instances differ: page placement does, and so do the
    tenants next to them. By the median deviation: an instance that was disturbed all the time says
    nothing of the others."""
    count = len(costs)
    if count < 2:
        return 0.0
    deviation = DEVIATIONS * float(np.median(np.abs(np.array(costs) - np.median(costs))))
    times = 1.96 if count < FEWEST_ROUNDS else t_quantile(count - 1)
    return times * deviation / float(np.sqrt(count))


def _sum_of_rates(lcores: list[Estimate], tsc_hz: int) -> Estimate:
    """Packets a second over all lcores; their errors are independent."""
    rates = [tsc_hz / lcore.value for lcore in lcores]
    down = np.hypot.reduce(
        [r - tsc_hz / (lc.high or lc.value) for r, lc in zip(rates, lcores, strict=True)]
    )
    up = np.hypot.reduce(
        [tsc_hz / (lc.low or lc.value) - r for r, lc in zip(rates, lcores, strict=True)]
    )
    value = sum(rates)
    return Estimate(
        value=value,
        low=value - float(down),
        high=value + float(up),
        samples=sum(lcore.samples for lcore in lcores),
        unit="pps",
        kind="measured",
    )


def _mean_cost(throughput: Estimate, tsc_hz: int, lcores: int) -> Estimate:
    """Cycles that an lcore spends on a packet: the clock of all lcores over their packets."""
    clock = tsc_hz * lcores
    return Estimate(
        value=clock / throughput.value,
        low=clock / (throughput.high or throughput.value),
        high=clock / (throughput.low or throughput.value),
        samples=throughput.samples,
        unit="cycles/packet",
        kind="measured",
    )


def _stages(columns: Columns, rows: Mask, cost: Estimate | None) -> dict[str, StageResult]:
    """Cycles a packet by stage: the same quantile of the sampled bursts, scaled to add up to the
    whole.

    Intervals have in them what differs between process instances, and none is narrower than a step
    of the clock. A stage that is not of every poll is a median of means over visits. Without a
    `cost` they stay as they are: lcores that wait for each other spend more than that.
    """
    packets = np.asarray(columns["sampled_packets"], dtype=np.float64)
    visits, restarts = np.asarray(columns["visit"]), np.asarray(columns["restart"])
    found: dict[str, tuple[float, float, float]] = {}
    samples = 0
    for name in _stage_names(columns):
        cycles = np.asarray(columns[f"stage_{name}_cycles"], dtype=np.float64)
        used = rows & (packets > 0) & np.isfinite(cycles)
        if not used.any():
            continue
        samples = int(used.sum())
        costs = cycles[used] / packets[used]
        value, low, high = turn_quantile(costs, visits[used], QUANTILE)
        step = max(clock_step(costs, value), 1 / float(np.median(packets[used])))
        extra = _between_instances(_of_instances(costs, restarts[used], QUANTILE))
        if value < LUMPS * float(cycles[used].sum() / packets[used].sum()):
            value, low, high = _over_visits(cycles[used], packets[used], visits[used])
            extra = 0.0  # visits are of all instances
        below, above = max(value - low, step / 2), max(high - value, step / 2)
        found[name] = (
            value,
            max(0.0, value - float(np.hypot(below, extra))),
            value + float(np.hypot(above, extra)),
        )
    whole = sum(value for value, _, _ in found.values())
    if whole <= 0:
        return {}
    scale = cost.value / whole if cost is not None else 1.0
    return {
        name: StageResult(
            cycles_per_packet=Estimate(
                value=value * scale,
                low=low * scale,
                high=high * scale,
                samples=samples,
                unit="cycles/packet",
                kind="measured",
            )
        )
        for name, (value, low, high) in found.items()
    }


def _over_visits(
    cycles: Floats, packets: Floats, visits: NDArray[np.int64]
) -> tuple[float, float, float]:
    """Cycles a packet of what a program does in one poll of several, such as to send what it has
    gathered: no quantile of single windows, of which each has a few sampled polls, has its share.
    The median over visits, each a mean of its polls, with the 95 % interval of a mean over them."""
    each = [
        float(cycles[visits == visit].sum() / packets[visits == visit].sum())
        for visit in np.unique(visits)
    ]
    value = float(np.median(each))
    if len(each) < 2:
        return value, 0.0, 2 * value
    half = t_quantile(len(each) - 1) * float(np.std(each, ddof=1)) / float(np.sqrt(len(each)))
    return value, max(0.0, value - half), value + half


def clock_step(costs: Floats, value: float) -> float:
    """The spacing of the costs that were read around a value: a step of the clock where it
    is coarse (on some CPUs tens of cycles), next to nothing where readings are spread. 0 when all
    are equal."""
    read = np.unique(np.round(costs, 9))
    value = round(value, 9)
    below, above = read[read < value], read[read > value]
    gaps = [value - below[-1] if below.size else np.inf, above[0] - value if above.size else np.inf]
    nearest = float(min(gaps))
    return nearest if np.isfinite(nearest) else 0.0


def _stage_names(columns: Columns) -> list[str]:
    names = [
        name.removeprefix("stage_").removesuffix("_cycles")
        for name in columns
        if name.startswith("stage_")
    ]
    own = [stage for stages in FUNCTIONS.values() for stage in stages]
    order = ["source", "dequeue", "rx", *dict.fromkeys(own), "program", "tx", "enqueue"]
    order += ["take", "hand"]  # dequeue and enqueue in trials of earlier versions
    return sorted(names, key=order.index) if set(names) <= set(order) else names
