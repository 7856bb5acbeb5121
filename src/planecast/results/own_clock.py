"""A result of another machine with its cycles in that machine's own clock, and labelled so."""

from __future__ import annotations

from planecast.results.estimate import Estimate
from planecast.results.result import Result, StageResult
from planecast.scenario.machine import HOST, machine_of
from planecast.scenario.own_clock import own_clock_factor

_MARK = "cycles are those of"


def in_own_clock(result: Result, tsc_hz: float) -> Result:
    """The result, its cycles those of the time-stamp counter of the machine that it is for.

    `tsc_hz` is the clock that they are in so far: the calibrated host's. Raises InputError for a
    machine that is unknown.
    """
    name = result.scenario.machine
    if name == HOST:
        return result
    factor = own_clock_factor(name, tsc_hz)
    machine = machine_of(name)
    note = (
        f"{_MARK} {machine.title}'s own time-stamp counter, {machine.values.base_ghz.value:g} GHz"
    )
    return _with_clock(result, factor).model_copy(update={"notes": (*result.notes, note)})


def in_clock_of_host(result: Result, tsc_hz: float) -> Result:
    """The same back again: what the calibrated model's parts add up to.

    A result that `in_own_clock` has not changed stays as it is.
    """
    if not any(note.startswith(_MARK) for note in result.notes):
        return result
    back = _with_clock(result, 1 / own_clock_factor(result.scenario.machine, tsc_hz))
    notes = tuple(note for note in result.notes if not note.startswith(_MARK))
    return back.model_copy(update={"notes": notes})


def _with_clock(result: Result, factor: float) -> Result:
    stages = {
        stage: StageResult(
            cycles_per_packet=_scaled(part.cycles_per_packet, factor),
            instructions_per_packet=part.instructions_per_packet,
        )
        for stage, part in result.stages.items()
    }
    whole = result.cycles_per_packet
    return result.model_copy(
        update={"cycles_per_packet": whole.scaled(factor, whole.unit), "stages": stages}
    )


def _scaled(cycles: Estimate | None, factor: float) -> Estimate | None:
    return None if cycles is None else cycles.scaled(factor, cycles.unit)
