"""A result of another machine with its cycles in that machine's own clock, and labelled so."""

from __future__ import annotations

from planecast.results.estimate import Estimate
from planecast.results.result import Result, StageResult
from planecast.scenario.machine import machine_of
from planecast.scenario.own_clock import HOST, own_clock_factor


def in_own_clock(result: Result, tsc_hz: float) -> Result:
    """The result, its cycles those of the time-stamp counter of the machine that it is for.

    `tsc_hz` is the clock that they are in so far: the calibrated host's. Raises InputError for a
    machine that nobody knows.
    """
    name = result.scenario.machine
    if name == HOST:
        return result
    factor = own_clock_factor(name, tsc_hz)
    machine = machine_of(name)
    note = (
        f"cycles are those of {machine.title}'s own time-stamp counter, "
        f"{machine.values.base_ghz.value:g} GHz"
    )
    stages = {
        stage: StageResult(
            cycles_per_packet=_scaled(part.cycles_per_packet, factor),
            instructions_per_packet=part.instructions_per_packet,
        )
        for stage, part in result.stages.items()
    }
    whole = result.cycles_per_packet
    return result.model_copy(
        update={
            "cycles_per_packet": whole.scaled(factor, whole.unit),
            "stages": stages,
            "notes": (*result.notes, note),
        }
    )


def _scaled(cycles: Estimate | None, factor: float) -> Estimate | None:
    return None if cycles is None else cycles.scaled(factor, cycles.unit)
