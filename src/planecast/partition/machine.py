"""The machine that a division is for: its topology, and the times that a prediction needs.

``machine: host`` in a tenants file is the one that planecast runs on (or a recorded tree); a
section describes one that isn't at hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from planecast.host.frequency import Frequency, Priority
from planecast.host.nics import Nic
from planecast.host.rdt import BandwidthAllocation, CacheAllocation, Rdt
from planecast.host.topology import CacheDomain, Core, Node, Topology
from planecast.scenario.cpus import parse_cpus
from planecast.scenario.model import Bytes, Count, Noun
from planecast.scenario.placement import CpuList


class Timing(Noun):
    """Times and rates of caches and memory. The defaults are those of a Cascade Lake socket."""

    llc_ns: Annotated[float, Field(gt=0, le=1000)] = 22.0
    """Of a hit in the last-level cache: some 50 cycles at 2.3 GHz."""
    memory_ns: Annotated[float, Field(gt=0, le=10000)] = 80.9
    """Of a miss in an idle machine: Cascade Lake, measured with mlc by its maker."""
    memory_gbs: Annotated[float, Field(gt=0, le=10000)] = 119.7
    """Of a node, in GB/s."""
    core_lines: Annotated[int, Field(ge=1, le=256)] = 12
    """Misses that a core has under way at most: its line-fill buffers."""
    smt_gain: Annotated[float, Field(ge=0, le=1)] = 0.25
    """What a core does more with both threads busy: +25 % in the vPE study."""
    mhz: Annotated[int, Field(ge=100, le=10000)] = 2300
    """Clock of cores whose own the kernel doesn't tell."""


class MachineShape(Noun):
    """A machine in a few numbers. CPUs count through all cores' first threads, then the second."""

    model: str = "described"
    """Its name, for tables."""
    sockets: Annotated[Count, Field(ge=1, le=8)] = 1
    cores: Annotated[Count, Field(ge=1, le=256)]
    """Of a socket."""
    threads: Annotated[Count, Field(ge=1, le=2)] = 1
    """Of a core."""
    llc: Bytes
    """Of one last-level cache."""
    llc_cores: Annotated[Count, Field(ge=0, le=256)] = 0
    """Cores that share it; 0: a socket's."""
    ways: Annotated[Count, Field(ge=0, le=32)] = 0
    """Ways that can be given to classes; 0: they can't."""
    least_ways: Annotated[Count, Field(ge=1, le=32)] = 1
    """Fewest of a class."""
    sparse: bool = False
    """Whether masks may have gaps."""
    classes: Annotated[Count, Field(ge=1, le=128)] = 16
    """Classes of service, the default one included."""
    ddio: Annotated[int, Field(ge=0, lt=1 << 32)] = 0
    """Mask of the ways that cards write into."""
    bandwidth_step: Annotated[Count, Field(ge=0, le=100)] = 0
    """Percent by which memory bandwidth is limited; 0: it can't be."""
    base_mhz: Annotated[int, Field(ge=0, le=10000)] = 0
    priority_cores: CpuList | None = None
    """Cores with the higher base clock, by their first thread."""
    priority_mhz: Annotated[int, Field(ge=0, le=10000)] = 0
    low_mhz: Annotated[int, Field(ge=0, le=10000)] = 0
    """Of the other cores then."""
    nic_node: Annotated[int, Field(ge=0, le=7)] | None = None
    """Node that the data plane's card is next to."""
    timing: Timing = Timing()

    def topology(self) -> Topology:
        """As `read_topology` would find it."""
        total = self.sockets * self.cores
        shared = self.llc_cores or self.cores
        cores = tuple(self._core(number, total, shared) for number in range(total))
        caches = tuple(
            CacheDomain(
                d, self.llc, self.ways, tuple(c for k in cores if k.llc == d for c in k.threads)
            )
            for d in range((total + shared - 1) // shared)
        )
        nodes = tuple(
            Node(s, tuple(c for k in cores if k.socket == s for c in k.threads), 0)
            for s in range(self.sockets)
        )
        nics = () if self.nic_node is None else (Nic("described", (), "", self.nic_node, None),)
        return Topology(
            self.model, cores, caches, nodes, nics, self._rdt(tuple(c.number for c in caches)), ()
        )

    def _core(self, number: int, total: int, shared: int) -> Core:
        high = set(parse_cpus(self.priority_cores)) if self.priority_cores else set()
        priority: Priority = "normal"
        mhz = self.base_mhz
        if high:
            priority = "high" if number in high else "low"
            mhz = self.priority_mhz if number in high else self.low_mhz
        return Core(
            threads=tuple(number + total * thread for thread in range(self.threads)),
            socket=number // self.cores,
            node=number // self.cores,
            llc=number // shared,
            frequency=Frequency(mhz, 0, 0, False, priority),
            isolated=False,
        )

    def _rdt(self, domains: tuple[int, ...]) -> Rdt:
        step = self.bandwidth_step
        band = BandwidthAllocation("MB", step, step, 100, self.classes, "percent", domains)
        cache = CacheAllocation(
            "L3",
            (1 << self.ways) - 1,
            self.least_ways,
            self.classes,
            self.ddio,
            self.sparse,
            domains,
        )
        return Rdt((), True, (cache,) if self.ways else (), band if step else None)


@dataclass(frozen=True)
class Machine:
    """What the planner plans for."""

    topology: Topology
    timing: Timing

    def clock_ghz(self, core: Core) -> float:
        """The clock that a core is sure of, in GHz."""
        return (core.frequency.base_mhz or self.timing.mhz) / 1000

    @property
    def nic_nodes(self) -> set[int]:
        """Nodes that have a network card."""
        return {nic.node for nic in self.topology.nics if nic.node is not None}
