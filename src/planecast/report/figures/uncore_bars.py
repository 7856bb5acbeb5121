"""What pcm-memory and pcm-pcie read: a row a channel or an event, in two parts each."""

from __future__ import annotations

import re
from collections.abc import Sequence

from planecast.explain.counters import ExplainedMetric
from planecast.report.figures.style import Figure, rows_figure
from planecast.report.labels import plain
from planecast.report.numbers import estimate_text

_KINDS = {
    "pcm-memory": (re.compile(r"Ch(?P<row>\d+)(?P<part>Read|Write)"), "channel {row}", "MB/s"),
    "pcm-pcie": (re.compile(r"(?P<row>\w+) (?P<part>hit|miss)"), "{row}", "lines a second"),
}
_COLOURS = {"Read": "#0072b2", "Write": "#d55e00", "hit": "#009e73", "miss": "#d55e00"}


def uncore_bars(metrics: Sequence[ExplainedMetric], tool: str) -> Figure | None:
    """The figure of what `tool` read; None where it read nothing of the kind."""
    if tool not in _KINDS:
        return None
    pattern, row_title, unit = _KINDS[tool]
    found: dict[str, dict[str, ExplainedMetric]] = {}
    for metric in metrics:
        match = pattern.fullmatch(metric.metric)
        if match and metric.value is not None:
            row = f"{metric.place}, {row_title.format(row=match['row'])}".lstrip(", ")
            found.setdefault(row, {})[match["part"]] = metric
    if not found:
        return None
    labels = list(found)
    figure = rows_figure(
        [plain(label) for label in labels], barmode="stack", xaxis={"title": {"text": unit}}
    )
    for part in dict.fromkeys(part for parts in found.values() for part in parts):
        own = [found[label].get(part) for label in labels]
        figure.add_bar(
            x=[metric.value.value if metric and metric.value else None for metric in own],
            y=[plain(label) for label in labels],
            orientation="h",
            name=part.lower(),
            marker={"color": _COLOURS[part], "line": {"width": 0}},
            hovertext=[
                f"{plain(label)}, {part.lower()}: {plain(estimate_text(metric.value))}"
                if metric and metric.value
                else ""
                for label, metric in zip(labels, own, strict=True)
            ],
            hoverinfo="text",
        )
    return figure
