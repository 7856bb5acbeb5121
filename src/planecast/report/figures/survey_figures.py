"""A survey's figures: bars by data plane, stacked instructions, lines over cores or flows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from planecast.report.colours import OTHER_COLOUR, SERIES_COLOURS
from planecast.report.figures.style import (
    Figure,
    interval_bars,
    new_figure,
    number_axis,
    rows_figure,
)
from planecast.report.labels import folded, plain, unique
from planecast.report.numbers import estimate_text
from planecast.results import Estimate
from planecast.results.survey import SurveyPoint

_DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
_SYMBOLS = ("circle", "diamond", "square", "cross", "x", "triangle-up", "star")
_KINDS = (("io", "I/O"), ("processing", "processing"), ("other", "other"))

Picked = Callable[[SurveyPoint], Estimate | None]
Setting = Callable[[SurveyPoint], str]


def point_bars(
    points: Sequence[SurveyPoint], setting: Setting, picked: Picked, axis: str
) -> Figure | None:
    """A bar a point, its colour by setting; None where nothing is known."""
    known = [(point, estimate) for point in points if (estimate := picked(point)) is not None]
    if not known:
        return None
    places = _places([point for point, _ in known], setting)
    figure = rows_figure(places)
    settings = list(dict.fromkeys(setting(point) for point, _ in known))
    for number, name in enumerate(settings):
        mine = [at for at, (point, _) in enumerate(known) if setting(point) == name]
        values = [known[at][1].value for at in mine]
        figure.add_bar(
            y=[places[at] for at in mine],
            x=values,
            orientation="h",
            name=plain(name),
            marker={"color": SERIES_COLOURS[number % len(SERIES_COLOURS)]},
            error_x=interval_bars([known[at][1] for at in mine]),
            hovertext=[f"{places[at]}<br>{plain(estimate_text(known[at][1]))}" for at in mine],
            hoverinfo="text",
            # A row has one bar, whatever its setting.
            offsetgroup="0",
            showlegend=len(settings) > 1,
        )
    figure.update_xaxes(title_text=axis, rangemode="tozero")
    return figure


def split_bars(points: Sequence[SurveyPoint], setting: Setting) -> Figure | None:
    """Instructions a packet by kind of work, stacked; None where nobody counted by stage."""
    known = [point for point in points if point.split is not None]
    if not known:
        return None
    places = _places(known, setting)
    figure = rows_figure(places, barmode="stack", legend_traceorder="normal")
    for colour, (kind, title) in zip(SERIES_COLOURS, _KINDS, strict=False):
        figure.add_bar(
            y=places,
            x=[getattr(point.split, kind) for point in known],
            orientation="h",
            name=title,
            marker={"color": colour},
        )
    figure.update_xaxes(title_text="instructions a packet", rangemode="tozero")
    return figure


def _places(points: Sequence[SurveyPoint], setting: Setting) -> list[str]:
    """What the rows of these points are called."""
    several = len({setting(point) for point in points}) > 1
    return [
        folded(label)
        for label in unique([f"{p.label}, {setting(p)}" if several else p.label for p in points])
    ]


def lines_over(
    points: Sequence[SurveyPoint],
    key: Literal["cores", "flows"],
    setting: Setting,
    ceilings: Mapping[str, Mapping[str, float]],
    *,
    linear: bool = False,
) -> Figure | None:
    """Throughput over cores or flows, a line a data plane and `setting` of all else; None where
    nothing varies.

    With `linear` a thin line from each first point on: so much more with every core. `ceilings` are
    by the value of the axis.
    """

    def along(point: SurveyPoint) -> int:
        return int(getattr(point, key))

    known = [point for point in points if point.pps is not None]
    values = sorted({along(point) for point in known})
    if len(values) < 2:
        return None
    figure = new_figure(height=460, hovermode="closest")
    labels = list(dict.fromkeys(point.label for point in known))
    settings = list(dict.fromkeys(setting(point) for point in known))
    for label, words in dict.fromkeys((point.label, setting(point)) for point in known):
        mine = sorted((p for p in known if (p.label, setting(p)) == (label, words)), key=along)
        number = labels.index(label)
        colour = SERIES_COLOURS[number % len(SERIES_COLOURS)]
        figure.add_scatter(
            x=[along(point) for point in mine],
            y=[(point.pps or 0) / 1e6 for point in mine],
            mode="lines+markers",
            name=plain(f"{label}, {words}" if words else label),
            line={
                "color": colour,
                "dash": _DASHES[settings.index(words) % len(_DASHES)],
                "width": 2,
            },
            marker={"symbol": _SYMBOLS[number % len(_SYMBOLS)], "size": 8},
        )
        if linear:
            _add_linear(figure, [(along(point), point.pps or 0.0) for point in mine], colour)
    _add_ceilings(figure, ceilings)
    figure.update_layout(
        xaxis={"title": {"text": key}, **number_axis(values)},
        yaxis={"title": {"text": "Mpps"}, "rangemode": "tozero"},
    )
    return figure


def _add_linear(figure: Figure, points: Sequence[tuple[int, float]], colour: str) -> None:
    """What as much for each core or flow as for the first would be."""
    if len(points) < 2:
        return
    each = points[0][1] / points[0][0]
    figure.add_scatter(
        x=[count for count, _ in points],
        y=[each * count / 1e6 for count, _ in points],
        mode="lines",
        line={"color": colour, "width": 1, "dash": "dot"},
        opacity=0.6,
        showlegend=False,
        hoverinfo="skip",
    )


def _add_ceilings(figure: Figure, ceilings: Mapping[str, Mapping[str, float]]) -> None:
    """What card, link and PCIe let through, by the number of cores."""
    for number, part in enumerate(dict.fromkeys(p for c in ceilings.values() for p in c)):
        figure.add_scatter(
            x=[int(value) for value in ceilings],
            y=[limits[part] / 1e6 for limits in ceilings.values()],
            mode="lines",
            name=f"ceiling: {part}",
            line={"color": OTHER_COLOUR, "width": 1.5, "dash": _DASHES[number % len(_DASHES)]},
        )
