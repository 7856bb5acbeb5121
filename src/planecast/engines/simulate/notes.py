"""What a reader should know about a simulated result."""

from __future__ import annotations

from planecast.engines.simulate import _simulator as sim
from planecast.engines.simulate.generator_latency import NOTHING, without_generator
from planecast.engines.simulate.handoff import LineCosts
from planecast.engines.simulate.interruptions import about_interruptions
from planecast.results.estimate import Estimate
from planecast.results.result import Result
from planecast.scenario.scenario import Scenario

LATENCY = "latency in ns from arrival to departure"
"""How the note on the latency begins."""
NOT_INCLUDED = "which the intervals of latency and loss do not include"
"""How the note on what the calibration leaves open ends: a single run plays no other cost."""


def notes_of(
    scenario: Scenario,
    solved: Result,
    lines: LineCosts,
    answer: sim.Results,
    *,
    precision: float | None,
    latency: dict[str, Estimate],
) -> list[str]:
    """Sentences: the latency, the loss, what the interval leaves out, what is not known well."""
    notes = []
    if latency:
        shown = ", ".join(f"{name} {one.value:,.0f}" for name, one in latency.items())
        notes.append(f"{LATENCY}: {shown}")
    if answer.dropped and latency:
        lost = answer.loss_ratio
        notes.append(f"{100 * lost.value:.3g} % lost [{100 * lost.low:.3g}, {100 * lost.high:.3g}]")
    own = solved.cycles_per_packet.half_width_percent
    if own is not None:
        notes.append(
            f"the calibration leaves {own:.1f} % of a packet's cost uncertain, {NOT_INCLUDED}"
            if latency
            else f"the interval includes the calibration's uncertainty: {own:.1f} % of a cost"
        )
    wanted = answer.mean_latency_ns if latency else answer.throughput_pps
    if precision is not None and wanted.high - wanted.value > precision * wanted.value:
        notes.append(
            f"ended by its {answer.stopped_by} before a precision of {100 * precision:g} %"
        )
    if precision is None:
        notes.append(
            f"{answer.simulated_ns * 1e-6:g} ms from empty rings on, their filling included"
        )
    notes += about_interruptions(scenario, answer)
    if latency or scenario.placement.cuts:
        notes += [_about_lcores(answer), _about_queues(answer)]
    if latency and len(answer.classes) > 1:
        notes += [_about_class(one) for one in answer.classes]
    return [
        *notes,
        *_about_cuts(scenario, lines),
    ]


def _about_class(one: sim.ClassResult) -> str:
    """What became of a class's packets."""
    parts = [
        f"class {one.name}: {one.offered_pps / 1e6:.4g} Mpps in, {100 * one.loss_ratio:.3g} % lost"
    ]
    if one.latency.total:
        points = [f"p{percent:g} {one.latency.percentile(percent):,}" for percent in (50.0, 99.0)]
        parts.append(f"latency in ns: mean {one.mean_latency_ns:,.0f}, " + ", ".join(points))
    return ", ".join(parts)


_SHOWN = 4


def _about_lcores(answer: sim.Results) -> str:
    """The busiest lcores, and how many packets a poll brings them."""
    busiest = sorted(without_generator(answer), key=lambda lcore: -lcore.busy)
    shown = [
        f"{lcore.name} {100 * lcore.busy:.0f} % busy, {lcore.vectors_per_call.value:.3g} packets "
        "a poll"
        for lcore in busiest[:_SHOWN]
    ]
    return "; ".join(shown) + _others(len(busiest))


def _about_queues(answer: sim.Results) -> str:
    """The fullest rings, mean and most."""
    rings = [queue for queue in answer.queues if queue.name != NOTHING]
    fullest = sorted(rings, key=lambda queue: -queue.mean / max(1, queue.capacity))
    shown = [
        f"{queue.name} {queue.mean:.3g}, at most {queue.max} of {queue.capacity}"
        for queue in fullest[:_SHOWN]
    ]
    return "packets in rings on average: " + "; ".join(shown) + _others(len(fullest))


def _others(count: int) -> str:
    return f"; {count - _SHOWN} more in result.json" if count > _SHOWN else ""


def _about_cuts(scenario: Scenario, lines: LineCosts) -> list[str]:
    """Where the cost of a handoff comes from."""
    if not scenario.placement.cuts:
        return []
    return [
        f"a handoff's lines take {lines.said} ns each; stages cost what they do where one lcore "
        "runs all of them"
    ]
