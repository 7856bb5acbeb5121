"""Colours: what has one in every figure of every page, and what it is.

The hues are those that Okabe and Ito chose for the colour-blind ("Color Universal Design", 2008),
on white and on black; where more are needed, others are as different from them as possible.
"""

from __future__ import annotations

import zlib

_SKY, _ORANGE, _GREEN, _BLUE = "#56b4e9", "#e69f00", "#009e73", "#0072b2"
_RED, _PURPLE, _YELLOW = "#d55e00", "#cc79a7", "#f0e442"
_VIOLET, _BROWN, _OLIVE, _ROSE = "#7f5ab6", "#8c6d31", "#7a9a01", "#f781bf"

OTHER_COLOUR = "#8a8f98"
"""Of what has no name, or none that matters."""

STAGE_COLOURS = {
    # What takes packets in, and what sends them.
    "source": _SKY,
    "rx": _SKY,
    "poll": _BROWN,
    "tx": _YELLOW,
    # What finds out which packet this is.
    "acl": _ORANGE,
    "key": _GREEN,
    "parse": _GREEN,
    "check": _BLUE,
    "learn": _ORANGE,
    "qinq": _GREEN,
    "classify": _BLUE,
    "megaflow": _ROSE,
    "upcall": _VIOLET,
    # What looks up where it goes.
    "route": _PURPLE,
    "next_hop": _PURPLE,
    "downroute": _PURPLE,
    "lookup": _PURPLE,
    # What changes it, or decides when it leaves.
    "actions": _RED,
    "rewrite": _ROSE,
    "macswap": _RED,
    "forward": _RED,
    "meter": _RED,
    "compute": _ORANGE,
    "tm": _ORANGE,
    "schedule": _ORANGE,
    # What runs around all that.
    "nodes": _VIOLET,
    "dispatch": _BROWN,
    "timers": OTHER_COLOUR,
    "loop": OTHER_COLOUR,
}
"""By the stage's name; no two stages of one network function or stage map share one."""

_UNNAMED = (_OLIVE, _ROSE, _VIOLET, _BROWN, _GREEN, _BLUE, _ORANGE, _PURPLE)

SERIES_COLOURS = (_BLUE, _RED, _GREEN, _PURPLE, _SKY, _ORANGE, _VIOLET)
"""Of lines and bars that stand for no stage (data planes, lcores, tenants), in this order."""

ROLE_COLOURS = {
    "held out": "#1f83c4",
    "extrapolated": "#e07b00",
    "check": _VIOLET,
    "calibration": OTHER_COLOUR,
}
ROLE_SYMBOLS = {
    "held out": "circle",
    "extrapolated": "diamond",
    "check": "square",
    "calibration": "circle-open",
}

MEASURED, SIMULATED = ROLE_COLOURS["held out"], _RED
NOTHING_LOST, LITTLE_LOST, MORE_LOST = _GREEN, _ORANGE, _RED
RATE_COLOURS = {"NDR": _BLUE, "PDR": _PURPLE}
"""Of the rates of a search; others are grey."""
BETTER, WORSE = _BLUE, _RED
"""Of what became faster or cheaper, and of what became slower or more expensive."""

CAUSE_COLOURS = {
    "issue": "#009e73",
    "fetch": "#7a9a01",
    "speculation": "#f781bf",
    "mispredicted branches": "#e377c2",
    "core": "#56b4e9",
    "bursts": "#0072b2",
    "table walks": "#5b4fb0",
    "buffer conflicts": "#f0e442",
    "L2": "#e69f00",
    "LLC": "#d55e00",
    "memory": "#a31f34",
    "page walks": "#cc79a7",
    "first-level TLB": "#ecb6d3",
    "bandwidth": "#6b1020",
    "waiting": "#b9bec6",
    "another guest": "#8c6d31",
}
"""By the name of a cause of cycles."""

SCALE = "Cividis"
"""Plotly's name of the colour scale of heat maps: read alike by all eyes, and in grey."""


def stage_colour(stage: str) -> str:
    """The colour of a stage, the same everywhere; of one that nobody named here, by its name."""
    named = STAGE_COLOURS.get(stage)
    return named or _UNNAMED[zlib.crc32(stage.encode()) % len(_UNNAMED)]


def cause_colour(cause: str) -> str:
    """The colour of a cause; what is not distinguished or not explained is grey."""
    return CAUSE_COLOURS.get(cause, OTHER_COLOUR)


def faint(colour: str, opacity: float = 0.4) -> str:
    """A colour ``#rrggbb`` through which others are seen."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:g})"
