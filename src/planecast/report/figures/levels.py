"""One scenario over time: its runs with their intervals, and the levels that they are on."""

from __future__ import annotations

from collections.abc import Sequence

from planecast.report.colours import BETTER, MEASURED, OTHER_COLOUR, WORSE, faint
from planecast.report.figures.style import Figure, interval_bars, new_figure
from planecast.report.labels import plain
from planecast.report.numbers import estimate_text, percent
from planecast.results.history import Level, Observation, Series

_MARKERS = {
    "run": {"color": MEASURED, "symbol": "circle", "size": 8},
    "regression": {"color": WORSE, "symbol": "triangle-down", "size": 12},
    "progression": {"color": BETTER, "symbol": "triangle-up", "size": 12},
}
"""Of runs, and of those that began a level."""


def levels_figure(series: Series) -> Figure:
    """A mark a run over the time when it began; a line a level, its interval as a band."""
    figure = new_figure(height=260, hovermode="closest")
    for number, level in enumerate(series.levels):
        _add_level(figure, series, level, first=number == 0)
    quiet = [p for level in series.levels for p in level.points[1 if level.verdict else 0 :]]
    _add_runs(figure, "run", quiet, [""] * len(quiet))
    for verdict in ("regression", "progression"):
        changed = [level for level in series.levels if level.verdict == verdict]
        words = [f"<br>{verdict} {change_text(level)}" for level in changed]
        _add_runs(figure, verdict, [level.points[0] for level in changed], words)
    unit = series.metric.shown(series.now.value).unit
    figure.update_xaxes(type="date")
    figure.update_yaxes(title_text=f"{unit}, {series.kind}")
    return figure


def change_text(level: Level) -> str:
    """``+10.0 % [+9.1, +10.9]``, the change against the level before."""
    if level.change is None:
        return ""
    text = percent(100 * (level.change.value - 1))
    if level.change.interval is None:
        return text
    low, high = (percent(100 * (end - 1))[:-2] for end in level.change.interval)
    return f"{text} [{low}, {high}]"


def _add_level(figure: Figure, series: Series, level: Level, *, first: bool) -> None:
    times = [level.points[0].manifest.started_at, level.points[-1].manifest.started_at]
    value = series.metric.shown(level.value)
    if value.interval is not None:
        low, high = value.interval
        figure.add_scatter(
            x=[*times, *times[::-1]],
            y=[low, low, high, high],
            fill="toself",
            fillcolor=faint(OTHER_COLOUR, 0.25),
            mode="lines",
            line={"width": 0},
            hoverinfo="skip",
            showlegend=False,
        )
    figure.add_scatter(
        x=times,
        y=[value.value, value.value],
        mode="lines",
        line={"color": OTHER_COLOUR, "width": 2},
        name="level, 95 % interval",
        legendgroup="level",
        showlegend=first,
        hoverinfo="skip",
    )


def _add_runs(figure: Figure, name: str, runs: Sequence[Observation], words: Sequence[str]) -> None:
    """A mark a run; `words` are what hovering adds for each."""
    if not runs:
        return
    found = [one.metric.shown(one.value) for one in runs]
    figure.add_scatter(
        x=[one.manifest.started_at for one in runs],
        y=[estimate.value for estimate in found],
        mode="markers",
        name=name,
        marker=_MARKERS[name],
        error_y=interval_bars(found),
        hovertext=[
            f"{plain(one.run.name)}<br>{plain(estimate_text(estimate))}{more}"
            for one, estimate, more in zip(runs, found, words, strict=True)
        ],
        hoverinfo="text",
    )
