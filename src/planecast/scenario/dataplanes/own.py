"""planecast's own data plane: `workload` says what it does to packets."""

from __future__ import annotations

from typing import ClassVar, Literal

from planecast.scenario.dataplanes.linked import Chained


class OwnDataplane(Chained):
    """planecast's own data plane. All of a scenario applies to it."""

    lacks: ClassVar[tuple[str, ...]] = ()

    kind: Literal["ours"] = "ours"
    """planecast's own data plane, which runs the stages of `workload`."""
