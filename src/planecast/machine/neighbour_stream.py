"""Neighbour's stream: how fast memory that others read in order takes room in the last level.

Some caches let most lines of a stream pass, so a share of those that it misses takes room. A stream
that the level has room for comes back to its lines, and keeps them (`machine.cache_sharing`); a
long one finds none. Paced walks next to a long one measure the share (`machine.survival`).
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
