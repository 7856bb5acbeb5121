"""Counting by perf while packets flow: instructions and cycles a packet, and what limits it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from planecast.explain.counters import Asked, CounterExplanation, explain_recording
from planecast.explain.counters.live import CountingPlan, counting_plan
from planecast.host.root import Root
from planecast.instruments.perf import count_events
from planecast.instruments.recorded import Recording
from planecast.results.estimate import Estimate
from planecast.results.telemetry import CountedEvent
from planecast.topdown.event_names import perf_event

_LEVEL = 1
_METRIC = "instructions_per_cycle"
"""Its events are what IPC takes; a definition without fixed counters counts them in no group."""


@dataclass(frozen=True)
class Counted:
    """What perf counted."""

    explanation: CounterExplanation
    events: dict[str, CountedEvent]

    def metric(self, name: str) -> Estimate | None:
        """An Estimate of the explanation's metrics by name; None without."""
        return next((m.value for m in self.explanation.metrics if m.metric == name), None)


def counting(cpus: tuple[int, ...], seconds: float, root: Root | None = None) -> CountingPlan:
    """What is counted on CPUs: top-down level 1, and what IPC takes, in groups that fit.

    Raises MissingError for a processor without a definition.
    """
    plan = counting_plan(cpus, _LEVEL, seconds, Asked("telemetry"), root)
    definition = plan.definition
    wanted = sorted(definition.events_of(_METRIC, plan.asked.smt or False))
    base = tuple(event for event in wanted if perf_event(definition, event) is not None)
    if any(set(base) <= set(group) for group in plan.request.groups):
        return plan
    request = replace(plan.request, groups=(base, *plan.request.groups))
    return replace(plan, request=request)


def count(plan: CountingPlan) -> Recording:
    """What perf counts of the plan, now. Raises MissingError and RunError as `count_events`."""
    return count_events(plan.definition, plan.request)


def counted(plan: CountingPlan, recording: Recording, pps: float) -> Counted:
    """The recording as figures a packet, of packets that were forwarded at `pps`."""
    seconds = recording.seconds or plan.request.seconds
    packets = pps * seconds
    explanation = explain_recording(recording, replace(plan.asked, packets=packets))
    sums: dict[str, float] = {}
    running: dict[str, float] = {}
    places: dict[tuple[str, float, str], list[float]] = {}
    for one in recording.counts:
        if one.value is not None:
            places.setdefault((one.event, one.round, one.place), []).append(one.value)
            running[one.event] = min(running.get(one.event, 1.0), one.running)
    for (event, _, _), values in places.items():
        # An event that stands in several groups was counted as often.
        sums[event] = sums.get(event, 0.0) + sum(values) / len(values)
    events = {
        event: CountedEvent(per_packet=value / packets, running=running[event])
        for event, value in sums.items()
    }
    return Counted(explanation, events)
