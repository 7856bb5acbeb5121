"""The page of a sensitivity: which component and which number matter."""

from __future__ import annotations

from planecast.report.figures.sensitivity_bars import sobol_indices, tornado
from planecast.report.numbers import ABSENT, count_text, digits, interval_text
from planecast.report.page import Page, drawing, machine_text
from planecast.report.table import Cell, Heading, Table, estimate_cell
from planecast.results import Sensitivity


def sensitivity_page(found: Sensitivity) -> Page:
    """What the report of a sensitivity says."""
    return Page(
        title=f"What matters to {found.base.scenario.name}",
        lead=_lead(found),
        machine=machine_text(found.manifest),
        cards=[],
        drawings=[
            *drawing(
                "tornado",
                "One at a time",
                "Packets a second with one key at either end of its range and all others as they "
                "are.",
                tornado(found),
            ),
            *drawing(
                "sobol",
                "All together",
                "Sobol's total index of each key: its share of the variance when all are drawn, "
                "with what it makes together with others, and the 95 % interval.",
                sobol_indices(found),
            ),
        ],
        tables=[_table(found)],
        manifests=[found.manifest],
        notes=found.notes,
    )


def _lead(found: Sensitivity) -> str:
    base = found.base.throughput_pps.scaled(1e-6, "Mpps")
    text = f"{digits(base.value)} {interval_text(base)} million packets a second ({base.kind})"
    if not found.swings:
        return f"{text}; nothing varies."
    first = found.swings[0]
    return (
        f"{text} as it is. {first.key} moves it most: from {digits(first.at_low_pps / 1e6)} at "
        f"{first.low} to {digits(first.at_high_pps / 1e6)} at {first.high}. "
        f"{count_text(found.evaluations, 'scenario')} were asked."
    )


def _table(found: Sensitivity) -> Table:
    return Table(
        "keys",
        "Keys",
        "Elasticity: per cent more packets for a per cent more of the key, over its whole range.",
        [
            Heading("key"),
            Heading("from"),
            Heading("to"),
            Heading("rate at from", "Mpps, computed", number=True),
            Heading("rate at to", "Mpps, computed", number=True),
            Heading("elasticity", "computed", number=True),
            Heading("first-order index", "share of the variance, computed", number=True),
            Heading("total index", "share of the variance, computed", number=True),
        ],
        [
            [
                Cell(swing.key),
                Cell(swing.low),
                Cell(swing.high),
                Cell(digits(swing.at_low_pps / 1e6)),
                Cell(digits(swing.at_high_pps / 1e6)),
                Cell(ABSENT if swing.elasticity is None else digits(swing.elasticity)),
                estimate_cell(swing.first_order),
                estimate_cell(swing.total),
            ]
            for swing in found.swings
        ],
    )
