"""Profile: instructions and memory touches of a scenario's stages, with no hardware counters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator

from planecast.cleanup import private_folder
from planecast.dataplanes import once_command
from planecast.errors import InputError
from planecast.instruments.memory_touches import MemoryTouches, memory_touches
from planecast.progress import Progress
from planecast.scenario.earlier_versions import Recorded
from planecast.scenario.model import Noun, listed
from planecast.scenario.scenario import Scenario
from planecast.study.counted_program import check_program, count_program
from planecast.study.instructions import PACKETS, count_instructions
from planecast.workload.counts import InstructionCounts, Instrument


class Profile(Noun):
    """What ``profile`` answers."""

    scenario: Recorded
    counts: Annotated[tuple[InstructionCounts, ...], BeforeValidator(listed)]
    """By instrument, in the order asked for."""
    touches: MemoryTouches | None
    """Reads and writes by stage, when asked for."""


def profile_scenario(
    scenario: Scenario,
    instruments: Sequence[Instrument],
    *,
    touches: bool,
    progress: Progress = lambda done, total, words: None,
) -> Profile:
    """Counts afresh with each instrument, the scenario's own burst among the sizes.

    Raises InputError for a data plane that isn't counted, MissingError without an instrument's
    program, RunError when a run fails.
    """
    check_countable(scenario, instruments, touches)
    burst = scenario.placement.burst
    if scenario.dataplane.kind != "ours":
        done = _said(progress, "callgrind")
        counts = count_program(scenario, bursts_with(burst), done=done)
        return Profile(scenario=scenario, counts=(counts,), touches=None)
    return Profile(
        scenario=scenario,
        counts=tuple(
            count_instructions(
                scenario, name, bursts_with(burst), fresh=True, done=_said(progress, name)
            )
            for name in instruments
        ),
        touches=_touches(scenario, burst, _said(progress, "touches")) if touches else None,
    )


def check_countable(
    scenario: Scenario, instruments: Sequence[Instrument] = ("callgrind",), touches: bool = False
) -> None:
    """Raises InputError for a program that can't be counted, or not with these instruments."""
    if scenario.dataplane.kind == "ours":
        return
    check_program(scenario)
    if tuple(instruments) != ("callgrind",):
        raise InputError(
            f"{instruments[-1]} steps planecast's own data plane alone",
            "--instrument",
            f"count {scenario.dataplane.kind} with callgrind",
        )
    if touches:
        raise InputError(
            "touches are counted of planecast's own data plane alone",
            "--touches",
            "take --memory",
        )


def _said(progress: Progress, words: str) -> Callable[[int, int], None]:
    return lambda done, total: progress(done, total, words)


def bursts_with(burst: int) -> tuple[int, ...]:
    """Two burst sizes or three: the scenario's own, and what distinguishes packets from bursts."""
    return tuple(sorted({8, 32, burst}))


def _touches(scenario: Scenario, burst: int, done: Callable[[int, int], None]) -> MemoryTouches:
    with private_folder() as folder:

        def command(packets: int, _: int) -> list[str]:
            return once_command(
                scenario, Path(folder), packets, instrument="callgrind", portable=True
            )

        whole = PACKETS["callgrind"] // burst * burst
        return memory_touches(command, packets=whole, burst=burst, progress=done)
