"""Telemetry as tables: the documents' IPP, IPC, CPP at each rate; perf's events; DPDK's ports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planecast.report.efficiency_columns import efficiency_cells, efficiency_headings
from planecast.report.numbers import ABSENT, digits
from planecast.report.table import Cell, Heading, Table
from planecast.results.telemetry import Telemetry


def telemetry_table(observed: Sequence[Telemetry]) -> Table:
    """A row a rate."""
    headings = (
        Heading("rate"),
        Heading("offered", "Mpps", number=True),
        Heading("lost", "% while watched", number=True),
        *efficiency_headings(observed),
    )
    return Table(
        "telemetry",
        "Telemetry at the found rates",
        "In trials of their own, after the search, on a fresh start. How each figure came about is "
        "in the notes.",
        headings,
        [_row(one, observed) for one in observed],
    )


def _row(one: Telemetry, every: Sequence[Telemetry]) -> list[Cell]:
    return [
        Cell(one.rate),
        Cell(digits(one.offered_pps / 1e6)),
        Cell(digits(100 * one.loss_ratio)),
        *efficiency_cells(one, every),
    ]


def event_table(observed: Sequence[Telemetry]) -> Iterator[Table]:
    """perf's events by rate; none where nothing was counted."""
    rows = [
        [
            Cell(one.rate),
            Cell(event),
            Cell(digits(counted.per_packet)),
            Cell(f"{100 * counted.running:.0f} %"),
        ]
        for one in observed
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


def port_table(observed: Sequence[Telemetry]) -> Iterator[Table]:
    """Port counters over one trial; none where none were reported."""
    names = list(dict.fromkeys(name for one in observed for name in one.ports))
    if names:
        yield Table(
            "ports",
            "Port counters",
            "Over one trial at the rate, read before it and after it.",
            (Heading("counter"), *(Heading(one.rate, "packets", number=True) for one in observed)),
            [
                [
                    Cell(name),
                    *(
                        Cell(f"{one.ports[name]:,}" if name in one.ports else ABSENT)
                        for one in observed
                    ),
                ]
                for name in names
            ],
        )
