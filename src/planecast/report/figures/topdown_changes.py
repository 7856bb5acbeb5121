"""From one recording to another: what changed, in points by node and in cycles a packet."""

from __future__ import annotations

from planecast.explain.counters import CounterDifference
from planecast.report.colours import BETTER, WORSE
from planecast.report.figures.style import Figure, interval_bars, rows_figure
from planecast.report.figures.waterfall import Step, steps_figure
from planecast.report.labels import plain, unique
from planecast.report.numbers import digits, estimate_text

_INDENT = "· "


def topdown_changes(found: CounterDifference) -> Figure | None:
    """Points by node; None when they have no node in common."""
    if not found.changes:
        return None
    labels = unique([_INDENT * (c.level - 1) + plain(c.title) for c in found.changes])
    changes = [change.change.scaled(100, "points") for change in found.changes]
    figure = rows_figure(labels, xaxis={"title": {"text": "points, B less A"}}, showlegend=False)
    figure.update_xaxes(zeroline=True)
    figure.add_bar(
        x=[change.value for change in changes],
        y=labels,
        orientation="h",
        marker={
            "color": [WORSE if change.value > 0 else BETTER for change in changes],
            "opacity": [0.45 if change.moved is False else 1.0 for change in found.changes],
            "line": {"width": 0},
        },
        error_x=interval_bars(changes),
        hovertext=[
            f"{plain(one.title)}: {digits(100 * one.a.value)} % to {digits(100 * one.b.value)} %, "
            f"{plain(estimate_text(change))}"
            for one, change in zip(found.changes, changes, strict=True)
        ],
        hoverinfo="text",
    )
    return figure


def topdown_steps(found: CounterDifference) -> Figure | None:
    """Cycles a packet from A to B by node of level 1; None where they aren't known of both."""
    if found.a_cycles is None or found.b_cycles is None:
        return None
    steps = [
        Step(plain(c.title), c.cycles.value, estimate_text(c.cycles), not c.cycles.covers(0.0))
        for c in found.changes
        if c.cycles is not None
    ]
    return steps_figure(found.a_cycles, found.b_cycles, steps, "core cycles/packet")
