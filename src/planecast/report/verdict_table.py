"""The table that answers first: what limits, how sure that is, what to try."""

from __future__ import annotations

from collections.abc import Sequence

from planecast.explain.explanation import Advice
from planecast.report.numbers import ABSENT
from planecast.report.table import Cell, Heading, Table, estimate_cell


def verdict_table(limits: Sequence[str], sure: Sequence[str], tries: Sequence[Advice]) -> Table:
    """The sentences in the order of the questions; a saving where the model shows one."""
    rows = [[Cell("limits"), Cell(text), Cell("")] for text in limits]
    rows += [[Cell("sure"), Cell(text), Cell("")] for text in sure]
    for advice in tries:
        saves = estimate_cell(advice.saves) if advice.saves else Cell(ABSENT)
        rows.append([Cell("try"), Cell(advice.try_this, advice.why), saves])
    priced = any(advice.saves for advice in tries)
    return Table(
        "verdict",
        "What limits it, how sure that is, what to try",
        "Savings are the model's, with their 95 % interval." if priced else "",
        [Heading("what"), Heading("finding"), Heading("saves", "cycles/packet", number=True)],
        rows,
    )
