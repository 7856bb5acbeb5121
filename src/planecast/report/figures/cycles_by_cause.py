"""Cycles by stage and cause: a bar a stage, causes stacked."""

from __future__ import annotations

from planecast.explain import Explanation
from planecast.explain.stall_causes import in_order
from planecast.report.colours import cause_colour
from planecast.report.figures.causes import cause_title
from planecast.report.figures.style import Figure, rows_figure
from planecast.report.labels import plain
from planecast.report.numbers import estimate_text

_SEEN = 1e-3
"""Cycles below which a bar has no width."""


def cycles_by_cause(explained: Explanation) -> Figure | None:
    """The figure; None where no stage has causes. What is not explained can lie left of zero."""
    stages = [
        stage
        for stage in explained.stages
        if any(abs(part.cycles.value) > _SEEN for part in stage.causes)
    ]
    if not stages:
        return None
    labels = [plain(stage.stage) for stage in stages]
    figure = rows_figure(labels, barmode="relative", xaxis={"title": {"text": "TSC cycles/packet"}})
    figure.update_xaxes(zeroline=True)
    for cause in in_order({part.cause for stage in stages for part in stage.causes}):
        found = [
            next((part.cycles for part in stage.causes if part.cause == cause), None)
            for stage in stages
        ]
        figure.add_bar(
            x=[cycles.value if cycles else None for cycles in found],
            y=labels,
            orientation="h",
            name=cause_title(cause),
            marker={"color": cause_colour(cause), "line": {"width": 0}},
            hovertext=[
                f"{label}, {cause_title(cause)}: {plain(estimate_text(cycles))}" if cycles else ""
                for label, cycles in zip(labels, found, strict=True)
            ],
            hoverinfo="text",
        )
    return figure
