"""Caveats: what an explanation without counters can't know, what would, and what it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from planecast.explain.core import Core
from planecast.explain.explain_input import Case
from planecast.explain.explanation import CauseCycles, StageExplanation
from planecast.explain.stall_causes import CORES_OWN
from planecast.model.calibrated_range import outside
from planecast.results.arithmetic import total
from planecast.results.estimate import Estimate
from planecast.results.result import CLOCK_AND_MODEL
from planecast.scenario.machine import HOST, machine_of
from planecast.scenario.own_clock import own_clock_factor

LOOP = "loop"
"""The loop around the stages, as a stage of its own."""

NO_COUNTERS = (
    "no hardware counters were read: causes are computed from counted instructions, time-stamp "
    "cycles and the calibrated model"
)

BOUNDED = (
    "stalls by level follow from the tables that the stages touch: from zero to the full latency "
    "of every line, the value with overlapping misses; core is the remainder of a measured stage"
)

TRACED_BOUNDS = (
    "stalls by level follow from a trace's distances: from nothing to every load beyond L1 waited "
    "for alone, the value as lines cost that are asked for together; traced by"
)


def unknown(
    case: Case, stages: tuple[StageExplanation, ...], why_not: str, bounded: bool
) -> list[str]:
    """What this run can't know and what would, as sentences; `why_not` is why there is no model of
    it."""
    found = []
    if case.result is None:
        found.append(
            "this run counted instructions and no cycles: measured cycles, and what the model "
            "leaves unexplained (planecast measure)"
        )
    if case.result and not any(stage.cycles for stage in stages if stage.stage != LOOP):
        found.append(
            "cycles by stage: this data plane has no stages that read a clock. I/O and "
            "processing, and causes, are one number here; counters and a sampling profile would "
            "distinguish them (perf record; planecast explain --from)"
        )
    if why_not:
        found.append(f"{'how much of the stalls shows' if bounded else 'causes'}: {why_not}")
    if not any(stage.instructions for stage in stages) and not (
        case.result and case.result.instructions_per_packet
    ):
        found.append(
            "instructions a packet, and so IPC and retiring: none were counted; planecast profile "
            "of the same scenario counts them, and is found here"
        )
    return found


def only_counted(causes: tuple[CauseCycles, ...], whole: Estimate | None) -> str:
    """What the top-down tree lacks, and how much it is together where the model shows it."""
    rest = total(part.cycles for part in causes if part.cause in CORES_OWN)
    known = rest is not None and whole is not None and whole.value > 0
    if not known:
        return "frontend, bad speculation, ports and L1 one by one: only counters show them"
    share = f"{min(1.0, rest.value / whole.value):.0%}" if rest and whole else ""
    return (
        f"ports and L1, which only counters distinguish; with frontend and bad speculation, which "
        f"are only bounded, they are {share} of the cycles together"
    )


def rests_on(case: Case, core: Core | None, bounded: bool) -> list[str]:
    """What the answer rests on, as sentences; `bounded`: stalls are bounds, not a calibration's."""
    found = [NO_COUNTERS]
    if bounded and case.traced is not None:
        found.append(f"{TRACED_BOUNDS} {case.traced_by or 'this run'}")
    elif bounded:
        found.append(BOUNDED)
    if case.counted_by and case.counts is not None:
        found.append(
            f"instructions are those of {case.counted_by}, by {case.counts.instrument} "
            f"({case.counts.instruction_set})"
        )
    if core is None:
        found.append(
            "the run doesn't say on which core it was made, or the catalogue doesn't know it: the "
            "issue width is part of core"
        )
    else:
        found.append(f"issue width: {core.slots:g} instructions a cycle ({core.title})")
    if case.calibration is not None:
        if case.calibration.is_of(case.scenario):
            found += outside(case.scenario, case.calibration.span)
        theirs = case.calibration.manifest.host.get("cpu")
        if case.result and case.result.manifest.host.get("cpu") != theirs:
            found.append(f"calibrated on another machine ({theirs})")
        if case.scenario.machine != HOST:
            found.insert(0, _clock(case.scenario.machine, case.calibration.hierarchy.tsc_hz))
    return found


def clock_and_model(stages: Iterable[StageExplanation]) -> Iterator[str]:
    """What keeps the clock's stages and the model's from being alike, where both are shown."""
    if any(stage.clocked_and_modelled for stage in stages):
        yield CLOCK_AND_MODEL


def _clock(machine: str, tsc_hz: float) -> str:
    """Whose cycles those of another machine are: the model's parts add up in the host's."""
    return (
        f"cycles are those of the calibrated host's time-stamp counter, {tsc_hz / 1e9:.2f} GHz; in "
        f"those of {machine_of(machine).title} they are "
        f"{own_clock_factor(machine, tsc_hz):.3f} times as many"
    )
