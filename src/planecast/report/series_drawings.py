"""A run's time series as drawings: one a scenario, the first few."""

from __future__ import annotations

from planecast.report.figures.over_time import over_time
from planecast.report.page import Drawing, drawing
from planecast.results.trials import Columns

MOST_SCENARIOS = 4
"""Each takes a screen."""


def series_drawings(series: Columns) -> list[Drawing]:
    """What came and went, how busy lcores were and how full rings, over simulated time."""
    names = list(dict.fromkeys(str(name) for name in series["scenario"]))
    found: list[Drawing] = []
    for number, name in enumerate(names[:MOST_SCENARIOS]):
        mine = series["scenario"] == name
        found += drawing(
            f"over-time-{number}",
            f"Over time: {name}" if len(names) > 1 else "Over time",
            "Packets a second, how much of their time lcores work, packets that wait in rings (at "
            "most) and packets that a poll takes, from empty rings on.",
            over_time({key: column[mine] for key, column in series.items()}),
        )
    return found
