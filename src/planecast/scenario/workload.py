"""Workload: the graph of stages that a packet passes, and the sizes of their tables."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, field_validator

from planecast.scenario.model import Count, Noun, listed

Stage = Literal["acl", "key", "classify", "actions", "route"]

STAGES: tuple[Stage, ...] = ("acl", "key", "classify", "actions", "route")
"""The stages of the vPE upstream pipeline, in the only order they can have."""

_NEEDS_KEY: tuple[Stage, ...] = ("classify", "actions", "route")

MAX_FLOWS = 1 << 24
"""A flow is numbered by two VLAN tags of 12 bits each."""


class Workload(Noun):
    """What is done to a packet, and the tables it is done with."""

    kind: Literal["vpe-upstream"] = "vpe-upstream"
    """The graph: vpe-upstream is QinQ-IPv4 in, MPLS-IPv4 out."""
    stages: Annotated[
        tuple[Stage, ...],
        BeforeValidator(listed, json_schema_input_type=list[Stage] | str),
    ] = STAGES
    """The stages that run, in pipeline order; none: packets are taken and sent, no more."""
    acl_rules: Annotated[Count, Field(ge=1, le=65536)] = 4096
    """Rules of the access control list."""
    flows: Annotated[Count, Field(ge=1, le=MAX_FLOWS)] = 65536
    """Entries of the flow table and of the array of flow actions."""
    routes: Annotated[Count, Field(ge=2, le=65536)] = 4096
    """Routes of the longest-prefix-match table."""

    @field_validator("stages")
    @classmethod
    def _stages_in_order(cls, stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
        typed = ",".join(stages)
        if list(stages) != [name for name in STAGES if name in stages]:
            raise ValueError(
                f"got '{typed}', which is not in the order of the pipeline, each stage once: "
                + ",".join(STAGES)
            )
        for name in _NEEDS_KEY:
            if name in stages and "key" not in stages:
                raise ValueError(
                    f"got '{typed}', in which {name} has no flow key; add the stage key before it"
                )
        return stages
