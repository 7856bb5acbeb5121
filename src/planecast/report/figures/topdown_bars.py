"""The top-down tree as bars: every node's share with its interval, next to its threshold."""

from __future__ import annotations

from collections.abc import Sequence

from planecast.explain.counters import ExplainedNode
from planecast.report.figures.style import Figure, interval_bars, rows_figure
from planecast.report.figures.topdown_colours import node_colour
from planecast.report.labels import plain, unique
from planecast.report.numbers import estimate_text

_INDENT = "· "
"""A dot a level: labels are set right, where spaces would not be seen."""


def topdown_bars(nodes: Sequence[ExplainedNode]) -> Figure | None:
    """The figure; None when no share is known."""
    shown = [node for node in nodes if node.share is not None]
    if not shown:
        return None
    known = {node.node: node for node in nodes}
    labels = unique([_INDENT * (node.level - 1) + plain(node.title) for node in shown])
    figure = rows_figure(labels, xaxis={"title": {"text": "percent"}, "rangemode": "tozero"})
    shares = [node.share.scaled(100, "%") for node in shown if node.share is not None]
    figure.add_bar(
        x=[share.value for share in shares],
        y=labels,
        orientation="h",
        name="share",
        showlegend=False,
        marker={
            "color": [node_colour(node.node, known) for node in shown],
            "opacity": [1.0 if node.over else 0.55 for node in shown],
            "line": {"width": 0},
        },
        error_x=interval_bars(shares),
        hovertext=[
            f"{plain(node.title)}: {plain(estimate_text(share))} of {node.of.replace('_', ' ')}"
            f"{', over its threshold' if node.over else ''}"
            for node, share in zip(shown, shares, strict=True)
        ],
        hoverinfo="text",
    )
    figure.add_scatter(
        x=[100 * node.threshold for node in shown],
        y=labels,
        mode="markers",
        name="threshold",
        marker={"symbol": "line-ns-open", "size": 14, "color": "#8a8f98", "line": {"width": 2}},
        hovertemplate="threshold: %{x:.4g} %<extra></extra>",
    )
    return figure
