"""Colours of the top-down tree: a node has the colour of the part of level 1 that it is in."""

from __future__ import annotations

from collections.abc import Mapping

from planecast.explain.counters import ExplainedNode
from planecast.report.colours import OTHER_COLOUR

_COLOURS = {
    "frontend_bound": "#e69f00",
    "bad_speculation": "#cc79a7",
    "backend_bound": "#0072b2",
    "retiring": "#009e73",
}


def node_colour(node: str, nodes: Mapping[str, ExplainedNode]) -> str:
    """The colour of a node of the tree; grey for what is in none of the four."""
    while node not in _COLOURS:
        parent = nodes[node].parent if node in nodes else None
        if parent is None:
            return OTHER_COLOUR
        node = parent
    return _COLOURS[node]
