"""planecast's own data plane: `workload` says what it does to packets."""

from __future__ import annotations

from typing import ClassVar, Literal

from planecast.scenario.dataplanes.linked import Chained


class OwnDataplane(Chained):
    """planecast's own data plane. All of a scenario applies to it."""

    lacks: ClassVar[tuple[str, ...]] = ()

    kind: Literal["ours"] = "ours"
    """planecast's own data plane, which runs the stages of `workload`."""
    ports: Literal["memif", "vhost-user", "veth", "named"] = "memif"
    """What links are, as of data planes of others: all but AF_XDP, whose driver's libraries are not
    linked into it."""
