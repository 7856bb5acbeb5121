"""Neighbour's stream: how fast memory that others read in order takes room in the last level.

It comes back to none of its lines before they are gone; some caches let such lines go first. Paced
walks next to a stream measure it (`machine.survival`).
"""

from __future__ import annotations

from planecast.machine.hierarchy import Hierarchy
from planecast.machine.mechanism import Mechanism
from planecast.machine.parameter import Parameter
from planecast.machine.survival import SHARE_MEDIAN, SHARE_SPREAD

STREAM = "neighbour.stream"
LEAST_SPREAD = 0.3
"""Of a share that was measured: how densely a neighbour's lines lie in the sets differs from run to
run."""


class NeighbourStream(Mechanism):
    """Only fitted where some point has a neighbour that streams."""

    cause = "neighbours"
    advice = "cache ways of its own (partition), another socket"

    def parameters(self, hierarchy: Hierarchy) -> tuple[Parameter, ...]:
        median, spread = hierarchy.stream_share or (SHARE_MEDIAN, SHARE_SPREAD)
        return (
            Parameter(
                STREAM,
                "lines that take room, over lines read",
                median,
                max(spread, LEAST_SPREAD),
                "add a point with neighbour.stream",
            ),
        )
