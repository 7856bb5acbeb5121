"""Neighbour's stream: how fast memory that others read in order takes room in the last level.

It comes back to none of its lines before they are gone; some caches let such lines go first.
"""

from __future__ import annotations

from planecast.machine.hierarchy import Hierarchy
from planecast.machine.mechanism import Mechanism
from planecast.machine.parameter import Parameter

STREAM = "neighbour.stream"


class NeighbourStream(Mechanism):
    """Only fitted where some point has a neighbour that streams."""

    cause = "neighbours"
    advice = "cache ways of its own (partition), another socket"
    domain = "uncore"

    def parameters(self, hierarchy: Hierarchy) -> tuple[Parameter, ...]:
        return (
            Parameter(
                STREAM,
                "lines that take room, over lines read",
                0.7,
                0.7,
                "add a point with neighbour.stream",
            ),
        )
