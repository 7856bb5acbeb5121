"""What each stage of the vPE upstream pipeline touches: regions of memory, by scenario.

A region has so many distinct cache lines, of which a packet touches some, in one of two patterns:
uniform (a random one of them each time) or cyclic (all of them in order, over and over). The sizes
follow from the data plane's tables (native/dataplane) and from the traffic.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from planecast.engines.solve.questions import Questions
from planecast.scenario.scenario import Scenario

Floats = NDArray[np.float64]

ACL_LINES_PER_RULE = 338 / 64
"""rte_acl's run-time structures take 1,386,704 bytes for 4,096 of our rules (its own dump)."""
BUCKET_ENTRIES = 8  # rte_hash: a bucket is one line
KEYS_PER_LINE = 4  # rte_hash: eight bytes of data and eight of key
FLOWS_PER_BUCKET = 4  # our flow table, on average: a bucket is one line
NEXT_HOPS_PER_LINE = 2
BUFFER_LINES = 2  # of an mbuf its first line, of the packet its headers
BUFFER_BYTES = 2432


@dataclass(frozen=True)
class Region:
    """One region in many scenarios: arrays of shape (scenarios,), as one lcore sees it."""

    stage: str
    name: str
    cyclic: bool
    lines: Floats
    """Distinct lines that one lcore touches."""
    touches: Floats
    """Lines a packet touches."""
    pages: Floats
    """Distinct 4 KiB pages that one lcore touches."""
    total_lines: Floats
    """Distinct lines that all lcores touch together: what counts in a shared cache."""
    stride: Floats | None = None
    """Lines from one touched line to the next, where that is a power of two; None: one."""

    asked_for: bool = True
    """A burst's lines are asked for together, so they cost what so many in flight do. Not those of
    stores, which drain behind the stage one after the other."""

    def conflicts(self, capacity_lines: Floats) -> NDArray[np.bool_]:
        """Where a private cache, whose sets follow from the address, can't hold the region.

        A stride of 2^k lines reaches one of 2^k sets, so that share of the cache is all it has. A
        shared cache spreads lines over its slices by a hash of the whole address.
        """
        if self.stride is None:
            return np.zeros(self.lines.shape, dtype=np.bool_)
        return np.asarray((self.stride > 1) & (self.lines * self.stride > capacity_lines))

    def page_table(self) -> Region:
        """The region as the TLB sees it: its pages, touched when a packet comes to another one.
        Lines that are touched in order come to a page once and stay there."""
        pages = np.minimum(self.pages, np.maximum(self.lines, 1.0))
        entered = pages / np.maximum(self.lines, 1.0) if self.cyclic else 1.0
        return replace(
            self, lines=pages, total_lines=pages, touches=self.touches * entered, stride=None
        )


@dataclass(frozen=True)
class Facts:
    """The numbers of scenarios that regions follow from, as arrays of shape (scenarios,)."""

    acl_rules: Floats
    table_flows: Floats
    routes: Floats
    library_table: NDArray[np.bool_]
    """Flows are looked up by rte_hash."""
    active_flows: Floats
    """Of all classes."""
    by_class: tuple[tuple[Floats, Floats], ...]
    """(share of the packets, active flows) of each class of flows: packets of one are spread evenly
    over its flows, and so over fewer or more lines than those of another."""
    destinations: Floats
    """Distinct destinations before the steps come round."""
    destination_lines: Floats
    """Distinct lines of the 64 MB route table that they touch."""
    destination_stride: Floats
    """Lines from one of these to the next."""
    buffers: Floats
    lcores: Floats
    burst: Floats
    small_pages: NDArray[np.bool_]
    stages: dict[str, Floats]
    """1 where the stage runs, else 0; source and tx always do."""


def facts_of(asked: Questions | Sequence[Scenario]) -> Facts:
    """Gathers the numbers of many scenarios. `auto` pages count as 2 MiB ones."""
    questions = asked if isinstance(asked, Questions) else Questions.of(asked)
    numbers, choices = questions.numbers, questions.choices
    by_class = questions.by_class
    steps = choices["traffic.destination_step"]
    destinations = steps.each(_destinations)
    route_lines = np.minimum(destinations, 1 << 20)
    burst = numbers["placement.burst"]
    stages = choices["workload.stages"]
    names = ("acl", "key", "classify", "actions", "route")
    return Facts(
        acl_rules=numbers["workload.acl_rules"],
        table_flows=numbers["workload.flows"],
        routes=numbers["workload.routes"],
        library_table=choices["workload.flow_table"].each(lambda name: name == "rte_hash") > 0,
        active_flows=sum((flows for _, flows in by_class), np.zeros(questions.size)),
        by_class=by_class,
        destinations=destinations,
        destination_lines=route_lines,
        destination_stride=(1 << 20) // route_lines,
        buffers=numbers["placement.rx_ring"] + numbers["placement.tx_ring"] + burst,
        lcores=questions.lcores,
        burst=burst,
        small_pages=choices["placement.page_size"].each(lambda size: size == "4KiB") > 0,
        stages={
            "source": np.ones(questions.size),
            **{name: stages.each(functools.partial(_runs, name)) for name in names},
            "tx": np.ones(questions.size),
        },
    )


def _runs(stage: str, stages: tuple[str, ...]) -> bool:
    return stage in stages


def _destinations(dotted: str) -> int:
    """Distinct addresses before the steps come round."""
    step = step_addresses(dotted)
    return (1 << 32) // max(1, step & -step) if step else 1


def step_addresses(dotted: str) -> int:
    """Addresses from a flow's destination to the next one's."""
    value = 0
    for part in dotted.split("."):
        value = value << 8 | int(part)
    return value


def regions_of(facts: Facts) -> list[Region]:
    """Every region; its touches are 0 in a scenario whose pipeline leaves the stage out."""
    return [
        packet_buffers(facts),
        _rules(facts),
        *_flow_table(facts),
        *_actions(facts),
        *_routes(facts),
    ]


def packet_buffers(facts: Facts) -> Region:
    """The mbufs and headers that packets cycle through, of every network function."""
    lines = BUFFER_LINES * facts.buffers
    return Region(
        stage="source",
        name="packet buffers",
        cyclic=True,
        lines=lines,
        touches=np.full_like(lines, BUFFER_LINES),
        pages=facts.buffers * BUFFER_BYTES / 4096 + 1,
        total_lines=lines * facts.lcores,
        asked_for=False,
    )


def _rules(facts: Facts) -> Region:
    # Destinations come in order, so a rule serves several packets in a row when there are fewer.
    visited = np.minimum(facts.acl_rules, facts.destinations)
    lines = ACL_LINES_PER_RULE * visited
    return Region(
        stage="acl",
        name="rule tries",
        cyclic=True,
        lines=lines,
        touches=facts.stages["acl"] * lines / facts.destinations,
        pages=lines / 64 + 1,
        total_lines=lines,
    )


def _flow_table(facts: Facts) -> list[Region]:
    own = facts.active_flows / facts.lcores
    library = facts.library_table
    entries = np.where(library, BUCKET_ENTRIES, FLOWS_PER_BUCKET)
    buckets = np.exp2(np.ceil(np.log2(np.maximum(facts.table_flows, 8)))) / entries
    # The library's bulk look-up asks for the primary and the secondary bucket of every key.
    asked = np.where(library, 2.0, 1.0)

    def touched(flows: Floats) -> Floats:
        return np.asarray(buckets * -np.expm1(-asked * flows / buckets))

    own_lines, all_lines = touched(own), touched(facts.active_flows)
    found = []
    for share, all_flows in facts.by_class:
        flows = all_flows / facts.lcores
        # Of the lines that all flows touch, a class has those of its part of the flows.
        part = all_flows / np.maximum(facts.active_flows, 1e-9)
        lines, every = own_lines * part, all_lines * part
        found += [
            Region(
                stage="classify",
                name="flow buckets",
                cyclic=False,
                lines=lines,
                touches=asked * facts.stages["classify"] * share,
                pages=np.minimum(lines, (buckets / 64 + 1) * part),
                total_lines=every,
            ),
            Region(
                stage="classify",
                name="flow keys",  # of the library's alone
                cyclic=False,
                lines=flows / KEYS_PER_LINE + part,
                touches=np.where(library, facts.stages["classify"], 0.0) * share,
                pages=flows / KEYS_PER_LINE / 64 + part,
                total_lines=all_flows / KEYS_PER_LINE + part,
            ),
        ]
    return found


def _actions(facts: Facts) -> list[Region]:
    return [
        Region(
            stage="actions",
            name="flow actions",
            cyclic=False,
            lines=flows / facts.lcores,
            touches=facts.stages["actions"] * share,
            # An entry has four classes of one line: 256 bytes.
            pages=flows / facts.lcores / 16 + flows / np.maximum(facts.active_flows, 1e-9),
            total_lines=flows,
        )
        for share, flows in facts.by_class
    ]


def _routes(facts: Facts) -> list[Region]:
    visited = np.minimum(facts.routes, facts.destinations)
    hops = visited / NEXT_HOPS_PER_LINE
    return [
        Region(
            stage="route",
            name="route table",
            cyclic=True,
            lines=facts.destination_lines,
            touches=facts.stages["route"] * facts.destination_lines / facts.destinations,
            pages=np.minimum(facts.destination_lines, 16384.0),
            total_lines=facts.destination_lines,
            stride=facts.destination_stride,
        ),
        Region(
            stage="route",
            name="next hops",
            cyclic=True,
            lines=hops,
            touches=facts.stages["route"] * hops / facts.destinations,
            pages=hops / 64 + 1,
            total_lines=hops,
        ),
    ]
