"""What to try next: changes of the scenario that the model prices, and the causes' own advice.

A change is listed with what the model says that it saves. The saving's interval is that of the
change: what the model gets wrong of both scenarios alike is not in it. A saving that it can't
distinguish from zero is not promised.
"""

from __future__ import annotations

from collections.abc import Iterator

from planecast.errors import InputError
from planecast.explain.explanation import Advice, Explanation
from planecast.explain.model_breakdown import model_change
from planecast.explain.stall_causes import BOUNDS, UNATTRIBUTED, UNEXPLAINED, WAITING, cause_of
from planecast.model.calibration import Calibration
from planecast.scenario import value_if_any, with_overrides
from planecast.scenario.scenario import Scenario

_WORTH = 0.01
"""Savings below this share of the whole are not shown."""
_CAUSES_SHOWN = 3
WAITS_BELOW = 1.75
"""Instructions a cycle below which a data plane waits more than it need (BSDP 10)."""
_ONLY_COUNTED = {UNEXPLAINED, UNATTRIBUTED, WAITING}


def advise(explained: Explanation, calibration: Calibration | None) -> tuple[Advice, ...]:
    """What to try, the largest saving first, then what helps against the largest causes."""
    found = list(_changes(explained, calibration)) if calibration is not None else []
    found.sort(key=lambda advice: -(advice.saves.value if advice.saves else 0.0))
    return (*found, *_by_cause(explained), *_unmodelled(explained))


def _unmodelled(explained: Explanation) -> Iterator[Advice]:
    """What shows more of a network function that no model takes apart."""
    if explained.modelled is not None or explained.throughput_pps is None:
        return
    stages = [s for s in explained.stages if s.cycles is not None and s.role != "other"]
    top_stage = max(stages, key=lambda s: s.cycles.value if s.cycles else 0.0, default=None)
    if top_stage is None:
        return
    if top_stage.instructions is None:
        yield Advice(
            try_this="planecast profile SCENARIO, then explain this run again",
            why=f"instructions a cycle show whether {top_stage.stage} works or waits",
        )
    elif top_stage.ipc is None:
        yield Advice(
            try_this="planecast calibrate STUDY, then explain this run again",
            why="the core's clock against the time-stamp counter's gives instructions a cycle",
        )
    elif top_stage.ipc.value < WAITS_BELOW:
        yield Advice(
            try_this=f"in {top_stage.stage}: prefetch lines some packets ahead, or touch fewer",
            why=f"{top_stage.ipc.value:.2f} instructions a cycle: it waits",
        )
    else:
        yield Advice(
            try_this=f"in {top_stage.stage}: fewer or wider instructions, or larger bursts",
            why=f"{top_stage.ipc.value:.2f} instructions a cycle: it works",
        )


def _changes(explained: Explanation, calibration: Calibration) -> Iterator[Advice]:
    scenario = explained.scenario
    whole = explained.modelled.value if explained.modelled else 0.0
    for key, value, why in _candidates(scenario, calibration):
        try:
            other = with_overrides(scenario, {key: value})
            saves = model_change(other, scenario, calibration)["all", ""]
        except InputError:
            continue  # out of what a scenario, or the model, allows
        if saves.value < _WORTH * whole:
            continue
        sure = (saves.low or 0.0) > 0
        doubt = "" if sure else "; the model can't distinguish it from zero: measure it"
        yield Advice(try_this=f"--set {key}={value}", saves=saves, why=why + doubt)


def _candidates(scenario: Scenario, calibration: Calibration) -> Iterator[tuple[str, object, str]]:
    burst = scenario.placement.burst
    _, most = calibration.ranges.get("placement.burst", (burst, burst))
    for larger in dict.fromkeys((16, 2 * burst, 4 * burst)):
        if burst < larger <= most:
            yield (
                "placement.burst",
                larger,
                "spreads each burst's cost over more packets; adds latency",
            )
    if value_if_any(scenario, "placement.page_size") == "4KiB":
        yield "placement.page_size", "2MiB", "fewer walks of the page table"
    if value_if_any(scenario, "workload.flow_table") == "rte_hash":
        yield "workload.flow_table", "buckets", "one line a look-up in place of three"
    for key in ("rx_ring", "tx_ring"):
        size = getattr(scenario.placement, key)
        if size > 2 * burst:
            yield (
                f"placement.{key}",
                size // 2,
                "buffers stay in nearer caches; shorter pauses lose packets",
            )


def _by_cause(explained: Explanation) -> Iterator[Advice]:
    """What helps against the largest causes; a cause's cycles bound what that can save."""
    whole = explained.cycles_per_packet
    largest = sorted(explained.causes, key=lambda part: -part.cycles.value)
    shown = [part for part in largest if part.cause not in _ONLY_COUNTED][:_CAUSES_SHOWN]
    for part in shown:
        cause = cause_of(part.cause)
        if whole is None or part.cycles.value < _WORTH * whole.value:
            continue
        where = _top_stage(explained, part.cause)
        most = part.cycles.value
        if explained.modelled is None or part.cause in BOUNDS:  # it may be all of it
            most = max(most, part.cycles.high or most)
        yield Advice(
            try_this=cause.advice,
            why=f"{cause.title}: at most {most:.1f} cycles a packet, most of them in {where}",
        )


def _top_stage(explained: Explanation, cause: str) -> str:
    costs = {
        stage.stage: part.cycles.value
        for stage in explained.stages
        for part in stage.causes
        if part.cause == cause
    }
    return max(costs, key=lambda stage: costs[stage]) if costs else "all stages together"
