"""The columns that the documents compare data planes by: CPP, IPP, IPC, instructions by kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from planecast.report.numbers import ABSENT, digits
from planecast.report.table import Cell, Heading, estimate_cell
from planecast.results import Estimate
from planecast.results.telemetry import TSC, InstructionSplit

_SHORT = {TSC: "TSC"}
"""What a heading calls a clock."""


class Efficient(Protocol):
    """What shows these: a point of a survey, telemetry at a rate."""

    @property
    def cycles_per_packet(self) -> Estimate | None: ...
    @property
    def cycles_of(self) -> str: ...
    @property
    def instructions_per_packet(self) -> Estimate | None: ...
    @property
    def ipc(self) -> Estimate | None: ...
    @property
    def split(self) -> InstructionSplit | None: ...


def efficiency_headings(every: Sequence[Efficient]) -> tuple[Heading, ...]:
    """Headings of the columns; of cycles with their clock where all are of one."""
    clock = _clock(every)
    return (
        Heading("CPP", f"{_SHORT.get(clock, clock)} cycles/packet".strip(), number=True),
        Heading("IPP", "instructions/packet", number=True),
        Heading("IPC", "instructions/cycle", number=True),
        Heading("I/O", "instructions/packet", number=True),
        Heading("processing", "instructions/packet", number=True),
        Heading("other", "instructions/packet", number=True),
    )


def _clock(every: Sequence[Efficient]) -> str:
    """The clock of all cycles; empty where they are of several."""
    clocks = {one.cycles_of for one in every if one.cycles_per_packet is not None}
    return clocks.pop() if len(clocks) == 1 else ""


def efficiency_cells(one: Efficient, every: Sequence[Efficient]) -> Iterator[Cell]:
    """Under those headings; cycles have their clock where the heading has none."""
    cycles = estimate_cell(one.cycles_per_packet)
    clock = "" if _clock(every) else one.cycles_of
    yield Cell(cycles.text, f"{cycles.detail} {clock}".strip())
    yield estimate_cell(one.instructions_per_packet)
    yield estimate_cell(one.ipc)
    split = one.split
    for part in ("io", "processing", "other"):
        yield Cell(ABSENT if split is None else digits(getattr(split, part)))
