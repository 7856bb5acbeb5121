"""What the stages of network functions beside vPE upstream touch: regions, as `regions` has them.

The closed form is calibrated for vPE upstream alone, so nothing here prices a stage: an explanation
bounds a measured one's waits with it. Sizes follow from the tables in native/dataplane/stages and,
of DPDK 22.11, from rte_lpm and rte_fib (entries of 4 bytes, groups of 256), rte_hash (buckets of a
line, keys of 16 bytes with 8 of data) and rte_sched. A stage has the lines that it uses, whoever
has asked for them before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from planecast.engines.solve.regions import (
    BUCKET_ENTRIES,
    NEXT_HOPS_PER_LINE,
    Facts,
    Region,
    packet_buffers,
    step_addresses,
)
from planecast.scenario.scenario import Scenario

_LINE_ADDRESSES = 1 << 12
"""Addresses whose entries of the first 24 bits share a line."""
_NET_ADDRESSES = 1 << 8
_IP4_SPACE, _DOWN_SPACE = 1 << 30, 1 << 32
"""Addresses that destinations are spread over (plain_maker.h, tuple_maker.h)."""
_GROUP_LINES = 16
_HOPS_PER_LINE = 4
_IP4_BASE_ROUTES = 256
_FLOW_KEYS_PER_LINE, _FLOW_ROUTES_PER_LINE = 2, 16
_LONG_OF_MIXED = 8 / 24
"""Of route_depth mixed, the depths beyond 24 among those from 9 to 32 (ip4_routes.h)."""
_STATIONS_PER_BUCKET = 4
"""Of eight places half are free in a full bridge (bridge.c)."""
_PIPES, _QUEUES = 1 << 12, 1 << 16
_PIPE_LINES, _EXTRA_LINES, _SLOT_LINES = 3, 2, 8
"""rte_sched: a pipe's 192 bytes, what a queue counts and RED's average (104), 64 packets."""


def regions_of_function(scenario: Scenario, facts: Facts) -> list[Region]:
    """Every region of one scenario; none for a function whose tables are not known here.

    `facts` are the scenario's alone (`regions.facts_of`).
    """
    tables = _TABLES.get(scenario.workload.kind)
    if tables is None:
        return []
    asked = _Asked(scenario, float(facts.active_flows[0]), float(facts.lcores[0]))
    found = [region for region in tables(asked) if region.stage in scenario.workload.stages]
    return [packet_buffers(facts), *found]


Lines = Callable[[float], float]
"""Distinct lines that so many active flows touch."""


@dataclass(frozen=True)
class _Asked:
    scenario: Scenario
    flows: float
    """Active ones, of all lcores."""
    lcores: float

    def region(
        self,
        stage: str,
        name: str,
        lines: Lines,
        touches: float = 1.0,
        *,
        stride: float = 1.0,
        own: bool = False,
    ) -> Region:
        """Lines that random flows touch; with `own` each lcore has a table of its own."""
        here = max(1.0, lines(self.flows / self.lcores))
        return Region(
            stage=stage,
            name=name,
            cyclic=False,
            lines=np.array([here]),
            touches=np.array([touches]),
            pages=np.array([max(1.0, here * min(1.0, stride / 64))]),
            total_lines=np.array([here * self.lcores if own else max(here, lines(self.flows))]),
            stride=np.array([stride]),
        )

    @property
    def step(self) -> int:
        """Addresses from a flow's destination to the next one's."""
        return step_addresses(self.scenario.traffic.destination_step)

    def within(self, space: int, addresses: int) -> Lines:
        """Distinct blocks of so many addresses that destinations are in."""
        step = self.step

        def blocks(flows: float) -> float:
            distinct = min(flows, space / (step & -step)) if step else 1.0
            return min(distinct, max(1.0, distinct * step / addresses), space / addresses)

        return blocks

    def first_table(self, stage: str, space: int) -> Region:
        """The route table of the first 24 bits."""
        stride = max(1.0, (self.step & -self.step) / _LINE_ADDRESSES)
        return self.region(stage, "route table", self.within(space, _LINE_ADDRESSES), stride=stride)


def _reached(bins: float, balls: float) -> float:
    """Distinct ones of `bins` that so many random picks reach."""
    return float(-bins * np.expm1(-balls / bins))


def _buckets(entries: float, per_bucket: float) -> float:
    return float(np.exp2(np.ceil(np.log2(max(entries, per_bucket))))) / per_bucket


def _none(asked: _Asked) -> Iterator[Region]:
    """Functions that touch packets alone."""
    yield from ()


def _l2bridge(asked: _Asked) -> Iterator[Region]:
    """Each flow has two stations, one looked up by learn, one by forward, in one table."""
    buckets = max(64.0, _buckets(asked.scenario.workload.bridge_entries, _STATIONS_PER_BUCKET))
    for stage in ("learn", "forward"):
        yield asked.region(stage, "stations", lambda flows: _reached(buckets, 2 * flows) / 2)


def _ip4(asked: _Asked) -> Iterator[Region]:
    workload = asked.scenario.workload
    yield asked.first_table("next_hop", _IP4_SPACE)
    nets, distinct = asked.within(_IP4_SPACE, _NET_ADDRESSES), asked.within(_IP4_SPACE, 1)
    every = nets(asked.flows)
    if workload.route_depth == "mixed":
        longer = _LONG_OF_MIXED * min(1.0, max(0, workload.routes - _IP4_BASE_ROUTES) / every)
    else:
        longer = min(1.0, workload.routes / every) if workload.route_depth > 24 else 0.0
    if longer:
        yield asked.region(
            "next_hop",
            "route groups",
            lambda flows: longer * min(_GROUP_LINES * nets(flows), distinct(flows)),
            longer,
        )
    hops = min(workload.next_hops, workload.routes) / _HOPS_PER_LINE
    yield asked.region("rewrite", "next hops", lambda flows: min(hops, flows))
    yield asked.region("rewrite", "counters", lambda flows: min(hops, flows), own=True)


def _vpe_downstream(asked: _Asked) -> Iterator[Region]:
    workload = asked.scenario.workload
    if workload.down_lookup == "lpm":
        yield asked.first_table("downroute", _DOWN_SPACE)
    else:
        buckets = _buckets(workload.flows, BUCKET_ENTRIES)
        # The library's bulk look-up asks for the primary and the secondary bucket of every key.
        yield asked.region(
            "downroute", "flow buckets", lambda flows: _reached(buckets, 2 * flows), 2.0
        )
        yield asked.region("downroute", "flow keys", lambda flows: flows / _FLOW_KEYS_PER_LINE)
        yield asked.region(
            "downroute", "routes of flows", lambda flows: flows / _FLOW_ROUTES_PER_LINE
        )
    distinct = asked.within(_DOWN_SPACE, 1)
    yield asked.region(
        "qinq",
        "next hops",
        lambda flows: min(workload.routes / NEXT_HOPS_PER_LINE, distinct(flows)),
    )
    for name, lines, places, touches in (
        ("pipes", _PIPE_LINES, _PIPES, _PIPE_LINES),
        ("queues", 1, _PIPES, 1),  # the sixteen of a pipe are one line
        ("queues' counters", _EXTRA_LINES, _QUEUES, _EXTRA_LINES),
        ("queued packets", _SLOT_LINES, _QUEUES, 1),
    ):
        yield asked.region("tm", name, _filled(lines, places), touches, own=True)


def _filled(lines: int, places: int) -> Lines:
    """So many lines of each of the places that flows are spread over."""
    return lambda flows: lines * min(flows, places)


_TABLES: dict[str, Callable[[_Asked], Iterator[Region]]] = {
    "l2patch": _none,
    "macswap": _none,
    "compute": _none,
    "l2bridge": _l2bridge,
    "ip4": _ip4,
    "vpe-downstream": _vpe_downstream,
}
