"""The data plane under test: one of several kinds, each with its own keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Discriminator, SerializeAsAny, Tag

from planecast.scenario.dataplanes.command import Command
from planecast.scenario.dataplanes.external import External
from planecast.scenario.dataplanes.hosted import Kind
from planecast.scenario.dataplanes.l3fwd import L3fwd
from planecast.scenario.dataplanes.ovs import Ovs
from planecast.scenario.dataplanes.own import OwnDataplane
from planecast.scenario.dataplanes.testpmd import Testpmd
from planecast.scenario.dataplanes.vpp import Vpp

OWN = "ours"
"""The kind of a scenario that names none."""

KINDS: dict[str, type[Kind]] = {
    OWN: OwnDataplane,
    "testpmd": Testpmd,
    "l3fwd": L3fwd,
    "ovs": Ovs,
    "vpp": Vpp,
    "command": Command,
    "external": External,
}


def kind_of(value: Any) -> Any:
    """The kind that a section `dataplane` names, as text; None for what is no section."""
    if isinstance(value, Mapping):
        return str(value.get("kind", OWN))
    return getattr(value, "kind", None)


def kind_in(forwards: str) -> str:
    """The kind of a program of others, by what forwards (`Scenario.forwards`)."""
    return forwards.partition(" ")[0]


Dataplane = Annotated[
    Annotated[OwnDataplane, Tag(OWN)]
    | Annotated[Testpmd, Tag("testpmd")]
    | Annotated[L3fwd, Tag("l3fwd")]
    | Annotated[Ovs, Tag("ovs")]
    | Annotated[Vpp, Tag("vpp")]
    | Annotated[Command, Tag("command")]
    | Annotated[External, Tag("external")],
    Discriminator(kind_of),
    SerializeAsAny(),  # a serializer of unions warns of absent keys
]
