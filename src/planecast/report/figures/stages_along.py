"""Cycles by stage along an axis: stacks of measured and predicted next to each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planecast.report.colours import OTHER_COLOUR
from planecast.report.figures.stage_bars import CYCLES, add_stage_bars, stage_estimates
from planecast.report.figures.style import TOTAL, Figure, few_bars_gap, interval_bars, new_figure
from planecast.report.labels import folded, plain
from planecast.report.numbers import estimate_text
from planecast.report.sweep_axis import Family
from planecast.results import Result


def stages_along(family: Family, groups: Mapping[str, Sequence[Result]]) -> Figure | None:
    """The figure of a family; `groups` gives the results of each kind, all of the run's.

    A group without stages is left out; None when no group has any.
    """
    members = {
        name: [results[position] for position in family.members] for name, results in groups.items()
    }
    drawn = {
        name: results
        for name, results in members.items()
        if any(stage_estimates(result, CYCLES) for result in results)
    }
    if not drawn:
        return None
    labels = [folded(label) for label in family.labels]
    figure = new_figure(height=460, barmode="stack", scattermode="group")
    figure.update_layout(bargap=few_bars_gap(len(labels)))
    add_stage_bars(figure, labels, drawn, CYCLES)
    for name, results in drawn.items():
        _add_totals(figure, labels, name, results)
    # Flow counts are names of places here: bars on a logarithmic axis would have no room.
    figure.update_xaxes(title_text=family.axis.title, type="category")
    figure.update_yaxes(title_text="cycles/packet", rangemode="tozero")
    return figure


def _add_totals(figure: Figure, labels: list[str], group: str, results: list[Result]) -> None:
    totals = [result.cycles_per_packet for result in results]
    figure.add_scatter(
        x=labels,
        y=[total.value for total in totals],
        error_y=interval_bars(totals),
        mode="markers",
        marker={"symbol": "line-ew-open", "size": 7, "color": OTHER_COLOUR},
        offsetgroup=group,
        name=f"total, {group}",
        showlegend=False,
        uid=f"{TOTAL}-{group}",
        hovertext=[
            f"{label}<br>total, {group}: {plain(estimate_text(total))}"
            for label, total in zip(labels, totals, strict=True)
        ],
        hoverinfo="text",
    )
