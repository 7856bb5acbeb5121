"""Columns of estimates: one heading with unit and kind, one cell a result."""

from __future__ import annotations

from collections.abc import Sequence

from planecast.report.numbers import kinds_text
from planecast.report.table import Cell, Heading, estimate_cell
from planecast.results import Estimate


def estimate_column(
    title: str, estimates: Sequence[Estimate | None]
) -> tuple[Heading, list[Cell]] | None:
    """Heading and cells of a column; None when every estimate is absent."""
    there = [estimate for estimate in estimates if estimate is not None]
    if not there:
        return None
    kinds = {estimate.kind for estimate in there}
    detail = there[0].unit if len(kinds) > 1 else f"{there[0].unit}, {kinds_text(there)}"
    mixed = len(kinds) > 1
    return (
        Heading(title, detail, number=True),
        [estimate_cell(estimate, kind=mixed) for estimate in estimates],
    )
