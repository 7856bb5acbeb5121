"""The machine that a division is for: its topology, and the times that a prediction needs.

``machine: host`` in a tenants file is the one that planecast runs on (or a recorded tree); a name
of the catalogue, or a section, describes one that isn't at hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from planecast.host.frequency import Frequency, Priority
from planecast.host.nics import Nic
from planecast.host.rdt import EIGHTHS, BandwidthAllocation, CacheAllocation, Rdt
from planecast.host.topology import CacheDomain, Core, Node, Topology
from planecast.machine.memory import ASSUMED_GBS, Memory
from planecast.partition.catalogued import shape_values
from planecast.scenario.cpus import parse_cpus
from planecast.scenario.machine import HOST
from planecast.scenario.model import Bytes, Count, Noun, listed
from planecast.scenario.placement import CpuList


class Timing(Noun):
    """Times and rates of caches and memory. The defaults are those of a Cascade Lake socket."""

    llc_ns: Annotated[float, Field(gt=0, le=1000)] = 22.0
    """Of a hit in the last-level cache: some 50 cycles at 2.3 GHz."""
    memory_ns: Annotated[float, Field(gt=0, le=10000)] = 80.9
    """Of a miss in an idle machine: Cascade Lake, measured with mlc by its maker."""
    memory_gbs: Annotated[float, Field(gt=0, le=10000)] = ASSUMED_GBS
    """Of a node, in GB/s."""
    memory_loaded: Annotated[
        tuple[Annotated[tuple[float, float], BeforeValidator(listed)], ...], BeforeValidator(listed)
    ] = ()
    """(GB/s, ns) of a miss under so much traffic, by rising traffic; none: a curve of the usual
    shape."""
    core_lines: Annotated[int, Field(ge=1, le=256)] = 12
    """Misses that a core has under way at most: its line-fill buffers."""
    smt_gain: Annotated[float, Field(ge=0, le=1)] = 0.25
    """What a core does more with both threads busy: +25 % in the vPE study."""
    mhz: Annotated[int, Field(ge=100, le=10000)] = 2300
    """Clock of cores whose own the kernel doesn't report."""

    @property
    def sibling_slowdown(self) -> float:
        """Times as long that a thread takes while its core's other thread does the like."""
        return 2 / (1 + self.smt_gain)


class MachineShape(Noun):
    """A machine in a few numbers. CPUs count through all cores' first threads, then the second."""

    like: str | None = None
    """A machine of the catalogue, or a YAML file of `planecast machine probe`: it shows whatever
    the section doesn't."""
    model: str = "described"
    """Its name, for tables."""
    sockets: Annotated[Count, Field(ge=1, le=8)] = 1
    cores: Annotated[Count, Field(ge=0, le=256)] = 0
    """Of a socket; needed where `like` doesn't report."""
    threads: Annotated[Count, Field(ge=1, le=2)] = 1
    """Of a core."""
    llc: Bytes = 0
    """Of one last-level cache; needed where `like` doesn't report."""
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
    """By how much memory bandwidth is limited, in `bandwidth_unit`; 0: it can't be."""
    bandwidth_unit: Literal["percent", "1/8 GB/s"] = "percent"
    """AMD counts eighths of a GB/s, 2048 being no limit."""
    bandwidth_classes: Annotated[Count, Field(ge=0, le=128)] = 0
    """Classes of service that can be limited; 0: as many as `classes`."""
    base_mhz: Annotated[int, Field(ge=0, le=10000)] = 0
    priority_cores: CpuList | None = None
    """Cores with the higher base clock, by their first thread."""
    priority_mhz: Annotated[int, Field(ge=0, le=10000)] = 0
    low_mhz: Annotated[int, Field(ge=0, le=10000)] = 0
    """Of the other cores then."""
    nic_node: Annotated[int, Field(ge=0, le=7)] | None = None
    """Node that the data plane's card is next to."""
    timing: Timing = Timing()

    @model_validator(mode="before")
    @classmethod
    def _as_like(cls, value: Any) -> Any:
        if not isinstance(value, dict) or not isinstance(value.get("like"), str):
            return value
        known = shape_values(value["like"])
        timing = value.get("timing", {})
        if isinstance(timing, dict):
            return {**known, **value, "timing": {**known["timing"], **timing}}
        return {**known, **value}

    @model_validator(mode="after")
    def _has_topology(self) -> Self:
        if not self.cores or not self.llc:
            raise ValueError(
                "a machine needs cores and llc, or like with a name of planecast machine list"
            )
        return self

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
        step, unit = self.bandwidth_step, self.bandwidth_unit
        most = _UNLIMITED if unit == EIGHTHS else 100
        limited = self.bandwidth_classes or self.classes
        band = BandwidthAllocation("MB", step, step, most, limited, unit, domains)
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


_UNLIMITED = 2048
"""AMD's bandwidth of a class without a limit, as the kernel shows it."""


def described(value: Any) -> Any:
    """What a person calls a machine as a section, or None for the host."""
    if value == HOST:
        return None
    return {"like": value} if isinstance(value, str) else value


@dataclass(frozen=True)
class Machine:
    """What the planner plans for."""

    topology: Topology
    timing: Timing

    @classmethod
    def of(cls, shape: MachineShape) -> Self:
        """The machine that a section describes."""
        return cls(shape.topology(), shape.timing)

    @property
    def memory(self) -> Memory:
        """The memory of a node."""
        timing = self.timing
        return Memory(timing.memory_ns, timing.memory_gbs, measured=timing.memory_loaded)

    def clock_ghz(self, core: Core) -> float:
        """The clock that a core is sure of, in GHz."""
        return (core.frequency.base_mhz or self.timing.mhz) / 1000

    @property
    def nic_nodes(self) -> set[int]:
        """Nodes that have a network card."""
        return {nic.node for nic in self.topology.nics if nic.node is not None}
