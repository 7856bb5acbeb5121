"""What forwards already: nothing is started."""

from __future__ import annotations

from typing import Literal

from planecast.scenario.dataplanes.packets import Addressed


class External(Addressed):
    """Whatever forwards between the ports of `generator`; nobody here starts or ends it."""

    kind: Literal["external"]
    """Nothing is started: what forwards between the ports of `generator` is there already."""
