"""The columns that the documents compare data planes by: CPP, IPP, IPC, instructions by kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from planecast.report.numbers import ABSENT, digits
from planecast.report.table import Cell, Heading, estimate_cell
from planecast.results import Estimate
from planecast.results.telemetry import InstructionSplit

EFFICIENCY_HEADINGS = (
    Heading("CPP", "cycles/packet", number=True),
    Heading("IPP", "instructions/packet", number=True),
    Heading("IPC", "instructions/cycle", number=True),
    Heading("I/O", "instructions/packet", number=True),
    Heading("processing", "instructions/packet", number=True),
    Heading("other", "instructions/packet", number=True),
)


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


def efficiency_cells(one: Efficient) -> Iterator[Cell]:
    """Under those headings; cycles say of which clock they are."""
    cycles = estimate_cell(one.cycles_per_packet)
    yield Cell(cycles.text, f"{cycles.detail} {one.cycles_of}".strip())
    yield estimate_cell(one.instructions_per_packet)
    yield estimate_cell(one.ipc)
    split = one.split
    for part in ("io", "processing", "other"):
        yield Cell(ABSENT if split is None else digits(getattr(split, part)))
