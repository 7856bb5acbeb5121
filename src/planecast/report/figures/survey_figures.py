"""A survey's figures: bars by data plane, stacked instructions, lines over cores or flows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from planecast.report.figures.style import (
    OTHER_COLOUR,
    STAGE_COLOURS,
    Figure,
    error_bars,
    new_figure,
)
from planecast.results import Estimate, SurveyPoint

_PALETTE = tuple(STAGE_COLOURS.values())
_DASHES = ("solid", "dash", "dot")
_SYMBOLS = ("circle", "diamond", "square", "cross", "x", "triangle-up", "star")
_KINDS = (("io", "I/O"), ("processing", "processing"), ("other", "other"))

Picked = Callable[[SurveyPoint], Estimate | None]


def grouped_bars(
    points: Sequence[SurveyPoint], setting: Callable[[SurveyPoint], str], picked: Picked, axis: str
) -> Figure | None:
    """A group of bars a data plane, a bar a setting; None where nothing is known."""
    known = [(point, estimate) for point in points if (estimate := picked(point)) is not None]
    if not known:
        return None
    figure = new_figure(height=360, barmode="group")
    settings = list(dict.fromkeys(setting(point) for point, _ in known))
    for colour, name in zip(_cycled(_PALETTE, len(settings)), settings, strict=True):
        mine = [(point, estimate) for point, estimate in known if setting(point) == name]
        values = [estimate.value for _, estimate in mine]
        ends = [estimate.interval or (estimate.value, estimate.value) for _, estimate in mine]
        figure.add_bar(
            x=[point.label for point, _ in mine],
            y=values,
            name=name,
            marker={"color": colour},
            error_y=error_bars(values, [low for low, _ in ends], [high for _, high in ends]),
        )
    figure.update_layout(yaxis={"title": {"text": axis}, "rangemode": "tozero"})
    return figure


def split_bars(
    points: Sequence[SurveyPoint], setting: Callable[[SurveyPoint], str]
) -> Figure | None:
    """Instructions a packet by kind of work, stacked; None where nobody counted by stage."""
    known = [point for point in points if point.split is not None]
    if not known:
        return None
    several = len({setting(point) for point in known}) > 1
    labels = [f"{point.label}<br>{setting(point)}" if several else point.label for point in known]
    figure = new_figure(height=360, barmode="stack")
    for colour, (kind, title) in zip(_PALETTE, _KINDS, strict=False):
        figure.add_bar(
            x=labels,
            y=[getattr(point.split, kind) for point in known],
            name=title,
            marker={"color": colour},
        )
    figure.update_layout(yaxis={"title": {"text": "instructions a packet"}, "rangemode": "tozero"})
    return figure


def lines_over(
    points: Sequence[SurveyPoint],
    along: Callable[[SurveyPoint], int],
    title: str,
    ceilings: Mapping[str, Mapping[str, float]],
    *,
    linear: bool = False,
) -> Figure | None:
    """Throughput over cores or flows, a line a data plane; None where nothing varies.

    With `linear` a thin line from each first point on: so much more with every core. `ceilings` are
    by the value of the axis.
    """
    known = [point for point in points if point.pps is not None]
    if len({along(point) for point in known}) < 2:
        return None
    figure = new_figure(height=460, hovermode="closest")
    names = list(dict.fromkeys((point.label, point.threads) for point in known))
    for number, (label, threads) in enumerate(names):
        mine = sorted((p for p in known if (p.label, p.threads) == (label, threads)), key=along)
        colour = _PALETTE[number % len(_PALETTE)]
        figure.add_scatter(
            x=[along(point) for point in mine],
            y=[(point.pps or 0) / 1e6 for point in mine],
            mode="lines+markers",
            name=label if threads == 1 else f"{label}, HT",
            line={"color": colour, "dash": _DASHES[threads - 1], "width": 2},
            marker={"symbol": _SYMBOLS[number % len(_SYMBOLS)], "size": 8},
        )
        if linear and len(mine) > 1:
            first = (mine[0].pps or 0) / along(mine[0])
            figure.add_scatter(
                x=[along(point) for point in mine],
                y=[first * along(point) / 1e6 for point in mine],
                mode="lines",
                line={"color": colour, "width": 1, "dash": "dot"},
                opacity=0.6,
                showlegend=False,
                hoverinfo="skip",
            )
    for number, part in enumerate(dict.fromkeys(p for c in ceilings.values() for p in c)):
        figure.add_scatter(
            x=[int(value) for value in ceilings],
            y=[limits[part] / 1e6 for limits in ceilings.values()],
            mode="lines",
            name=f"ceiling: {part}",
            line={"color": OTHER_COLOUR, "width": 1.5, "dash": _DASHES[number % 3]},
        )
    wide = max(along(point) for point in known) > 50 * min(along(point) for point in known)
    figure.update_layout(
        xaxis={"title": {"text": title}, "type": "log" if wide else "linear"},
        yaxis={"title": {"text": "Mpps"}, "rangemode": "tozero"},
    )
    return figure


def _cycled(colours: Sequence[str], count: int) -> list[str]:
    return [colours[number % len(colours)] for number in range(count)]
