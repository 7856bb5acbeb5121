"""Strides: touched lines a power of two apart meet in few sets of a cache.

A trace knows distances between touches, not where lines lie: that follows from what the program
looks up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from planecast.scenario.dataplanes.l3fwd import EVERY_ADDRESS
from planecast.workload.regions import Overlap, Region
from planecast.workload.scenario_columns import ScenarioColumns
from planecast.workload.stages.first_24_bits import line_stride
from planecast.workload.stages.ip4_routes import SPACE
from planecast.workload.traced.coordinates import ROUTES

STRIDED: Mapping[str, str] = dict.fromkeys(("l3fwd", "l3fwd fib"), "route")
"""By program: the stage that looks destinations up in a table of their first 24 bits."""


def strided(regions: Iterable[Region], columns: ScenarioColumns) -> tuple[Region, ...]:
    """The regions of a traced program, with what is known of where their lines lie."""
    stage = STRIDED.get(columns.kind)
    if stage is None:
        return tuple(regions)
    apart = columns.numbers[ROUTES] > EVERY_ADDRESS  # else all destinations are neighbours
    stride = np.where(apart, line_stride(columns, columns.numbers["traffic.flows"], SPACE), 1.0)
    return tuple(
        one._replace(stride=stride)
        if one.stage == stage and one.overlap is not Overlap.STORED
        else one
        for one in regions
    )
