"""The page of a flame graph."""

from __future__ import annotations

from collections.abc import Sequence

from planecast.explain.flame import Frame
from planecast.report.figures.flame_graph import flame_graph
from planecast.report.html import page_html
from planecast.report.numbers import digits
from planecast.report.page import Page, Verdict, drawing
from planecast.report.table import Cell, Heading, Table, number_cell

_ROWS = 25


def flame_html(
    frames: Sequence[Frame],
    name: str,
    packets: float | None = None,
    *,
    counted: str = "instructions",
    notes: Sequence[str] = (),
) -> str:
    """The page; costs are of `counted`, a packet's where `packets` says how many there were."""
    per = packets or 1.0
    unit = f"{counted}/packet" if packets else counted
    own: dict[str, float] = {}
    for frame in frames:
        own[frame.name] = own.get(frame.name, 0.0) + frame.own / per
    costliest = sorted(own.items(), key=lambda pair: -pair[1])[:_ROWS]
    whole = sum(frame.own for frame in frames) / per
    return page_html(
        Page(
            title=f"{name}, by calls",
            verdict=Verdict(
                f"Which functions take {name}'s {counted}?",
                f"{costliest[0][0]} by itself takes {digits(costliest[0][1])} of "
                f"{digits(whole)} {unit}",
            ),
            machine="",
            cards=[],
            sections=[
                *drawing(
                    "flame",
                    "Flame graph",
                    "Callers above what they call; the width is what a function takes with all "
                    "that it calls. A click looks closer.",
                    flame_graph(frames, per, unit),
                ),
                Table(
                    "functions",
                    "Functions",
                    "What each takes by itself, frames too small to show included.",
                    [Heading("function"), Heading("own", unit, number=True)],
                    [[Cell(function), number_cell(cost)] for function, cost in costliest],
                ),
            ],
            manifests=[],
            notes=notes,
        )
    )
