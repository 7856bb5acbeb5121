"""Workload: the graph of stages that a packet passes, and the sizes of their tables."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from planecast.scenario.model import Count, Noun, listed

Stage = Literal[
    "acl",
    "key",
    "classify",
    "actions",
    "route",
    "downroute",
    "qinq",
    "tm",
    "compute",
    "macswap",
    "learn",
    "forward",
    "check",
    "next_hop",
    "rewrite",
]

FUNCTIONS: dict[str, tuple[Stage, ...]] = {
    "vpe-upstream": ("acl", "key", "classify", "actions", "route"),
    "l2patch": (),
    "vpe-downstream": ("downroute", "qinq", "tm"),
    "compute": ("compute",),
    "macswap": ("macswap",),
    "l2bridge": ("learn", "forward"),
    "ip4": ("check", "next_hop", "rewrite"),
}
"""The network functions of the data plane; of each the stages, in the only order they can have."""

NEEDS: dict[Stage, Stage] = {
    "classify": "key",
    "actions": "key",
    "route": "key",
    "qinq": "downroute",
    "tm": "downroute",
    "forward": "learn",
    "next_hop": "check",
    "rewrite": "next_hop",
}
"""Of a stage the one that must run before it."""
_GIVES: dict[Stage, str] = {
    "key": "flow key",
    "downroute": "next hop",
    "learn": "table of stations",
    "check": "destination",
    "next_hop": "next hop",
}

TABLE_STAGES: dict[str, tuple[Stage, ...]] = {
    "acl_rules": ("acl",),
    "routes": ("route", "downroute", "next_hop"),
    "next_hops": ("next_hop", "rewrite"),
}
"""Of a table's size the stages that look something up in it: nothing else depends on it. A bridge
has its stations from the start, whatever runs."""

WITHOUT_FLOWS = ("l2patch", "compute", "macswap")
"""Functions that have nothing for each flow: as many may be active as there can be."""

MAX_FLOWS = 1 << 24
"""A flow is numbered by two VLAN tags of 12 bits each."""

_METERS = ("meter_rate", "meter_burst")

MAX_STATIONS = 1 << 22
"""Stations of the largest bridge."""


class Workload(Noun):
    """What is done to a packet, and the tables it is done with."""

    kind: Literal[
        "vpe-upstream", "l2patch", "vpe-downstream", "compute", "macswap", "l2bridge", "ip4"
    ] = "vpe-upstream"
    """The network function: vpe-upstream is QinQ-IPv4 in, MPLS-IPv4 out; l2patch passes packets on
    from port to port; vpe-downstream is IPv4 in, QinQ-IPv4 out through a traffic manager; compute
    is the compute reference, one iteration for each packet; macswap sends packets back, MAC
    addresses swapped; l2bridge learns which port a station is at and forwards by that; ip4 is an
    IPv4 router."""
    stages: Annotated[
        tuple[Stage, ...],
        BeforeValidator(listed, json_schema_input_type=list[Stage] | str),
    ] = Field(default_factory=lambda data: FUNCTIONS[data.get("kind", "vpe-upstream")])
    """The stages that run, in the function's order; none: packets are taken and sent, no more."""
    acl_rules: Annotated[Count, Field(ge=1, le=65536)] = 4096
    """Rules of the access control list."""
    flows: Annotated[Count, Field(ge=1, le=MAX_FLOWS)] = 65536
    """Entries of the flow table and of the array of flow actions; l2patch, compute and macswap have
    none."""
    flow_table: Literal["buckets", "rte_hash"] = "buckets"
    """The flow table: planecast's own, a line for seven flows, or DPDK's hash library."""
    routes: Annotated[Count, Field(ge=2, le=65536)] = 4096
    """Routes of the longest-prefix-match table."""
    down_lookup: Literal["lpm", "hash"] = "lpm"
    """How vpe-downstream finds a packet's next hop: by the longest prefix of its destination, or by
    its five-tuple in a hash of ``flows`` entries."""
    tm_rate: Annotated[int, Field(ge=1_000_000, le=100_000_000_000)] = 1_250_000_000
    """Rate of the traffic manager's output, bytes a second, 24 bytes of framing a packet included:
    10 Gigabit Ethernet."""
    tm_pipe_rate: Annotated[int, Field(ge=40_000, le=100_000_000_000)] = 305_175
    """Rate of each of its 4,096 pipes, bytes a second."""
    tm_red: bool = True
    """Random early detection in its queues."""
    bridge_entries: Annotated[Count, Field(ge=1, le=MAX_STATIONS)] = 131072
    """Stations that the bridge's table holds: two of each flow, one at either port."""
    route_lookup: Literal["lpm", "fib"] = "lpm"
    """What finds the longest prefix for ip4: DPDK's LPM, or its FIB (DIR-24-8)."""
    route_depth: Literal["mixed"] | Annotated[Count, Field(ge=8, le=32)] = "mixed"
    """Bits of all of ip4's routes; mixed: from 8 to 32."""
    next_hops: Annotated[Count, Field(ge=1, le=65536)] = 64
    """Neighbours that ip4's routes lead to, in turn."""

    meter_rate: Annotated[int, Field(ge=1, le=1_000_000_000_000)] = 1_250_000_000
    """CIR and PIR of each flow's meter in the stage actions, bytes of IP packets a second; what
    exceeds them is red, and the policer drops it."""
    meter_burst: Annotated[int, Field(ge=1, le=1_000_000_000_000)] = 1_000_000
    """CBS and PBS of each flow's meter, bytes."""

    new_flow_cycles: Annotated[float, Field(ge=0, le=1e9)] = 0.0
    """TSC cycles that a flow's first packet costs more, at ``traffic.new_flows_pps``: in the
    simulator alone, for the data plane's tables know every flow."""

    @property
    def most_active_flows(self) -> int:
        """As many as its tables know."""
        return MAX_FLOWS if self.kind in WITHOUT_FLOWS else self.flows

    @property
    def polices(self) -> bool:
        """Whether meters may refuse packets: the usual ones let more through than a port sends."""
        usual = {name: type(self).model_fields[name].default for name in _METERS}
        return "actions" in self.stages and any(
            getattr(self, name) != value for name, value in usual.items()
        )

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
            need = NEEDS.get(name)
            if need is not None and need not in stages:
                raise ValueError(
                    f"got '{typed}', in which {name} has no {_GIVES[need]}; add the stage "
                    f"{need} before it"
                )
        return stages
