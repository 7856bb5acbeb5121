"""Colours and names of causes, the same in every figure."""

from __future__ import annotations

from planecast.explain.stall_causes import cause_of
from planecast.report.figures.style import OTHER_COLOUR
from planecast.report.labels import plain

_COLOURS = {
    "issue": "#009e73",
    "fetch": "#7a9a01",
    "speculation": "#f781bf",
    "core": "#56b4e9",
    "bursts": "#0072b2",
    "table walks": "#5b4fb0",
    "store drain": "#f0e442",
    "L2": "#e69f00",
    "LLC": "#d55e00",
    "memory": "#a31f34",
    "page walks": "#cc79a7",
    "bandwidth": "#6b1020",
    "waiting": "#b9bec6",
}


def cause_colour(cause: str) -> str:
    """The colour of a cause; what is not told apart or not explained is grey."""
    return _COLOURS.get(cause, OTHER_COLOUR)


def cause_title(cause: str) -> str:
    """What a figure calls a cause."""
    return plain(cause_of(cause).title)
