"""Telemetry as tables: the documents' IPP, IPC, CPP at each rate; perf's events; DPDK's ports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planecast.report.numbers import ABSENT, digits
from planecast.report.table import Cell, Heading, Table, estimate_cell
from planecast.results import Telemetry


def telemetry_table(told: Sequence[Telemetry]) -> Table:
    """A row a rate."""
    headings = (
        Heading("rate"),
        Heading("offered", "Mpps", number=True),
        Heading("lost", "% while watched", number=True),
        Heading("CPP", "cycles/packet", number=True),
        Heading("IPP", "instructions/packet", number=True),
        Heading("IPC", "instructions/cycle", number=True),
        Heading("I/O", "instructions/packet", number=True),
        Heading("processing", "instructions/packet", number=True),
        Heading("other", "instructions/packet", number=True),
    )
    return Table(
        "telemetry",
        "Telemetry at the found rates",
        "In trials of their own, after the search, on a fresh start. How each figure came about is "
        "in the notes.",
        headings,
        [_row(one) for one in told],
    )


def _row(one: Telemetry) -> list[Cell]:
    cycles = estimate_cell(one.cycles_per_packet)
    if one.cycles_of:
        cycles = Cell(cycles.text, f"{cycles.detail} {one.cycles_of}".strip())
    parts = [ABSENT] * 3
    if one.split is not None:
        parts = [digits(part) for part in (one.split.io, one.split.processing, one.split.other)]
    return [
        Cell(one.rate),
        Cell(digits(one.offered_pps / 1e6)),
        Cell(digits(100 * one.loss_ratio)),
        cycles,
        estimate_cell(one.instructions_per_packet),
        estimate_cell(one.ipc),
        *(Cell(part) for part in parts),
    ]


def event_table(told: Sequence[Telemetry]) -> Iterator[Table]:
    """perf's events by rate; none where nothing was counted."""
    rows = [
        [
            Cell(one.rate),
            Cell(event),
            Cell(digits(counted.per_packet)),
            Cell(f"{100 * counted.running:.0f} %"),
        ]
        for one in told
        for event, counted in one.events.items()
    ]
    if rows:
        yield Table(
            "events",
            "Hardware events",
            "As perf counted them, scaled up where events took turns on the counters.",
            (
                Heading("rate"),
                Heading("event"),
                Heading("count", "a packet", number=True),
                Heading("counted", "of the time", number=True),
            ),
            rows,
        )


def port_table(told: Sequence[Telemetry]) -> Iterator[Table]:
    """DPDK's port counters over one trial; none where nobody told them."""
    names = list(dict.fromkeys(name for one in told for name in one.ports))
    if names:
        yield Table(
            "ports",
            "DPDK's port counters",
            "Over one trial at the rate, read before it and after it.",
            (Heading("counter"), *(Heading(one.rate, "packets", number=True) for one in told)),
            [
                [
                    Cell(name),
                    *(
                        Cell(f"{one.ports[name]:,}" if name in one.ports else ABSENT)
                        for one in told
                    ),
                ]
                for name in names
            ],
        )
