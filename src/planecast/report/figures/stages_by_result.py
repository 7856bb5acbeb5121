"""Cycles or instructions by stage: a stack a result."""

from __future__ import annotations

from collections.abc import Sequence

from planecast.report.figures.stage_bars import StageMetric, add_stage_bars, stage_estimates
from planecast.report.figures.style import Figure, rows_figure
from planecast.report.labels import folded
from planecast.report.numbers import kinds_text
from planecast.results import Result


def stages_by_result(
    labels: Sequence[str], results: Sequence[Result], metric: StageMetric
) -> Figure | None:
    """The figure, results from the top; None when no result has the metric by stage."""
    shown = [
        (folded(label), result)
        for label, result in zip(labels, results, strict=True)
        if stage_estimates(result, metric)
    ]
    if not shown:
        return None
    places = [label for label, _ in shown]
    figure = rows_figure(places, barmode="stack")
    everything = [e for _, r in shown for e in stage_estimates(r, metric).values()]
    kind = kinds_text(everything)
    add_stage_bars(figure, places, {kind: [r for _, r in shown]}, metric, horizontal=True)
    figure.update_xaxes(title_text=f"{everything[0].unit}, {kind}", rangemode="tozero")
    return figure
