"""The page of a sensitivity: which component and which number matter."""

from __future__ import annotations

from planecast.report.figures.sensitivity_bars import sobol_indices, tornado
from planecast.report.numbers import count_text, digits, estimate_text
from planecast.report.page import Page, Verdict, drawing, machine_text
from planecast.report.table import Heading, Table
from planecast.results.sensitivity import Sensitivity


def sensitivity_page(found: Sensitivity) -> Page:
    """What the report of a sensitivity says."""
    return Page(
        title=f"What matters to {found.base.scenario.name}",
        verdict=_verdict(found),
        machine=machine_text(found.manifest),
        cards=[],
        sections=[
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
            _table(found),
        ],
        manifests=[found.manifest],
        notes=found.notes,
    )


def _verdict(found: Sensitivity) -> Verdict:
    base = estimate_text(found.base.throughput_pps.scaled(1e-6, "Mpps"))
    asked = f"What moves {found.base.scenario.name} away from {base}?"
    if not found.swings:
        return Verdict(asked, "nothing varies")
    first = found.swings[0]
    return Verdict(
        asked,
        f"{first.key} most: {digits(first.at_low_pps / 1e6)} Mpps at {first.low}, "
        f"{digits(first.at_high_pps / 1e6)} at {first.high}",
        f"{count_text(found.evaluations, 'scenario')} computed",
    )


def _table(found: Sensitivity) -> Table:
    return Table.of(
        "keys",
        "Keys",
        "Elasticity: per cent more packets for a per cent more of the key, over its whole range.",
        [
            Heading("key"),
            Heading("from", of=lambda swing: swing.low),
            Heading("to", of=lambda swing: swing.high),
            Heading("rate at from", "Mpps, computed", True, lambda one: one.at_low_pps / 1e6),
            Heading("rate at to", "Mpps, computed", True, lambda one: one.at_high_pps / 1e6),
            Heading("elasticity", "computed", number=True),
            Heading(
                "first-order index",
                "share of the variance, computed",
                number=True,
                of=lambda one: one.first_order,
            ),
            Heading(
                "total index",
                "share of the variance, computed",
                number=True,
                of=lambda one: one.total,
            ),
        ],
        found.swings,
    )
