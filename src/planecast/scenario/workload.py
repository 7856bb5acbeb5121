"""Workload: the graph of stages that a packet passes, and the sizes of their tables."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from planecast.scenario.model import Count, Noun, listed

Stage = Literal["acl", "key", "classify", "actions", "route"]

FUNCTIONS: dict[str, tuple[Stage, ...]] = {
    "vpe-upstream": ("acl", "key", "classify", "actions", "route"),
    "l2patch": (),
}
"""The network functions of the data plane; of each the stages, in the only order they can have."""

STAGES: tuple[Stage, ...] = FUNCTIONS["vpe-upstream"]
"""The stages of the vPE upstream pipeline."""

_NEEDS: dict[Stage, Stage] = {"classify": "key", "actions": "key", "route": "key"}

MAX_FLOWS = 1 << 24
"""A flow is numbered by two VLAN tags of 12 bits each."""


class Workload(Noun):
    """What is done to a packet, and the tables it is done with."""

    kind: Literal["vpe-upstream", "l2patch"] = "vpe-upstream"
    """The network function: vpe-upstream is QinQ-IPv4 in, MPLS-IPv4 out; l2patch passes packets on
    from port to port."""
    stages: Annotated[
        tuple[Stage, ...],
        BeforeValidator(listed, json_schema_input_type=list[Stage] | str),
    ] = Field(default_factory=lambda data: FUNCTIONS[data.get("kind", "vpe-upstream")])
    """The stages that run, in the function's order; none: packets are taken and sent, no more."""
    acl_rules: Annotated[Count, Field(ge=1, le=65536)] = 4096
    """Rules of the access control list."""
    flows: Annotated[Count, Field(ge=1, le=MAX_FLOWS)] = 65536
    """Entries of the flow table and of the array of flow actions."""
    routes: Annotated[Count, Field(ge=2, le=65536)] = 4096
    """Routes of the longest-prefix-match table."""

    @field_validator("stages")
    @classmethod
    def _stages_in_order(cls, stages: tuple[Stage, ...], info: ValidationInfo) -> tuple[Stage, ...]:
        kind = info.data.get("kind")  # absent when it was refused itself
        if kind is None:
            return stages
        own = FUNCTIONS[kind]
        typed = ",".join(stages)
        if list(stages) != [name for name in own if name in stages]:
            raise ValueError(
                f"got '{typed}', which is not in the order of {kind}, each stage once: "
                + (",".join(own) or "none")
            )
        for name in stages:
            need = _NEEDS.get(name)
            if need is not None and need not in stages:
                raise ValueError(
                    f"got '{typed}', in which {name} has no flow key; add the stage {need} "
                    "before it"
                )
        return stages
