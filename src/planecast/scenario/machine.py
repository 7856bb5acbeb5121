"""Machine: a CPU model of the catalogue with its microarchitecture; Card: a network card of it.

`machine_of("gold-6230n")` reads an entry; a name that ends in ``.yaml`` is a file of yours, such as
``planecast machine probe`` writes.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator

from planecast.catalog import entry_path
from planecast.scenario.document import read_document
from planecast.scenario.fact import Fact, Flag, Positive, Status, Text
from planecast.scenario.model import Noun, listed
from planecast.scenario.problems import validated

HOST = "host"
"""In place of a machine's name: the one that planecast runs on, or that was calibrated; of a
division, a recorded one, too."""


class CoreValues(Noun):
    """What a core of a microarchitecture has."""

    issue_width: Positive
    """Micro-operations a cycle that it can begin and retire."""
    decode_width: Positive
    """Instructions a cycle that it decodes."""
    fetch_bytes: Positive | None = None
    """Bytes a cycle that go to the decoders, from one aligned window."""
    l1_code_kib: Positive | None = None
    """First level of cache for instructions."""
    taken_branch_cycles: Fact | None = None
    """Core cycles without instructions after a branch that is taken as predicted, at the most."""
    mispredict_cycles: Positive | None = None
    """Core cycles from finding a branch mispredicted until operations come again, at the most."""
    reorder_buffer: Positive
    """Micro-operations in flight."""
    scheduler: Positive
    """Micro-operations that wait for operands."""
    store_buffer: Positive
    """Stores in flight."""
    load_buffer: Positive
    """Loads in flight."""
    line_fill_buffers: Positive
    """Lines that may be under way to L1."""
    l1_kib: Positive
    l1_latency_cycles: Positive
    """Core cycles of a hit."""
    l1_load_bytes: Positive
    """Bytes a cycle from L1."""
    l1_store_bytes: Positive
    """Bytes a cycle to L1."""
    l2_kib: Positive
    l2_latency_cycles: Positive
    """Core cycles of a hit."""
    l3_inclusive: Flag
    """Whether the last level holds what L2 holds."""
    l3_latency_cycles: Positive
    """Core cycles of a hit at base frequency."""
    second_tlb_entries: Positive
    """4 KiB pages that the second-level TLB reaches."""
    walk_cycles: Fact | None = None
    """Core cycles that a page walk adds to an access beyond that reach."""


class AllocationValues(Noun):
    """What of a shared cache and of memory's bandwidth can be given to classes of service."""

    l3_classes: Positive
    """Classes for the ways of the last level, the default one included."""
    l3_least_ways: Positive
    """Fewest ways of a class."""
    bandwidth_classes: Positive | None = None
    """Classes for memory bandwidth; without it, bandwidth can't be limited."""
    bandwidth_step: Positive | None = None
    """In `bandwidth_unit`."""
    bandwidth_unit: Text | None = None
    """percent, or 1/8 GB/s as AMD counts."""


class Microarchitecture(Noun):
    """An entry of the catalogue's microarchitectures."""

    name: str
    title: str
    sources: dict[str, str]
    values: CoreValues
    allocation: AllocationValues | None = None
    """None: nothing of its machines can be divided."""


class Loaded(Noun):
    """Latency of memory under traffic."""

    gbs: Annotated[float, Field(ge=0)]
    """GB/s that were moved."""
    ns: Annotated[float, Field(gt=0)]
    """Latency of a random access."""
    status: Status
    source: str


class CpuValues(Noun):
    """What a CPU model has."""

    cores: Positive
    """Of one socket."""
    threads_per_core: Positive
    base_ghz: Positive
    turbo_one_core_ghz: Positive
    """With one core active."""
    turbo_all_cores_ghz: Positive
    """With all of them active."""
    high_priority_cores: Fact | None = None
    """Cores that Speed Select Base Frequency makes faster."""
    high_priority_ghz: Fact | None = None
    low_priority_cores: Fact | None = None
    low_priority_ghz: Fact | None = None
    uncore_ghz: Positive
    """Clock of last-level cache and interconnect."""
    llc_mib: Positive
    """Last-level cache that `llc_cores` cores share."""
    llc_ways: Positive
    llc_cores: Positive
    ddio_ways: Fact
    """Ways that devices write into; 0: devices don't write into the cache."""
    memory_channels: Positive
    memory_mts: Positive
    """Transfers a microsecond of a channel: MT/s."""
    memory_idle_ns: Positive
    """Latency of memory without load."""
    remote_memory_ns: Fact | None = None
    """The same of another socket's memory; absent: not known."""
    memory_loaded: Annotated[tuple[Loaded, ...], BeforeValidator(listed)] = ()
    """Latency under other cores' traffic, by rising traffic."""
    memory_gbs: Positive
    """GB/s that local reads reach at most."""
    pcie_generation: Positive
    pcie_lanes: Positive
    pcie_max_payload: Positive | None = None
    """Bytes that a write or a completion carries at most (MPS); absent: 256."""
    pcie_max_read: Positive | None = None
    """Bytes that a device's read request asks for at most (MRRS); absent: 512."""
    tdp_w: Positive | None = None
    tsc_ghz: Positive | None = None
    """Clock of the time-stamp counter."""
    page_sizes: Text | None = None
    """Sizes of pages that the cores and the kernel know."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.ddio_ways.value > self.llc_ways.value:
            raise ValueError(
                f"ddio_ways {self.ddio_ways.value:g} is more than the cache's "
                f"{self.llc_ways.value:g} ways"
            )
        if any(after.gbs <= before.gbs for before, after in pairwise(self.memory_loaded)):
            raise ValueError("memory_loaded is not sorted by gbs")
        if self.remote_memory_ns and self.remote_memory_ns.value < self.memory_idle_ns.value:
            raise ValueError(
                f"remote_memory_ns {self.remote_memory_ns.value:g} is less than the local "
                f"{self.memory_idle_ns.value:g}"
            )
        fast, slow = self.high_priority_cores, self.low_priority_cores
        if fast and slow and fast.value + slow.value != self.cores.value:
            raise ValueError(
                f"{fast.value:g} high-priority and {slow.value:g} low-priority cores don't add up "
                f"to {self.cores.value:g}"
            )
        return self


class Machine(Noun):
    """An entry of the catalogue's CPUs. Where a scenario says nothing else, one socket counts."""

    name: str
    title: str
    microarchitecture: str
    """Name of the entry that describes its cores."""
    sources: dict[str, str]
    """What the values' sources are, by the short names that the values use."""
    values: CpuValues
    own_core: CoreValues | None = None
    """What its cores have, where it was measured: in place of the microarchitecture's."""

    @property
    def core(self) -> CoreValues:
        """What each core has."""
        return self.own_core or microarchitecture_of(self.microarchitecture).values

    @property
    def allocation(self) -> AllocationValues | None:
        """What of its caches and memory can be divided."""
        return microarchitecture_of(self.microarchitecture).allocation

    @property
    def llc_bytes(self) -> float:
        """Last-level cache that one group of cores shares."""
        return self.values.llc_mib.value * 1024 * 1024

    @property
    def way_bytes(self) -> float:
        """One way of it."""
        return self.llc_bytes / self.values.llc_ways.value

    @property
    def l3_ns(self) -> float:
        """Nanoseconds of a hit in the last level, at base frequency."""
        return self.core.l3_latency_cycles.value / self.values.base_ghz.value

    @property
    def memory_peak_gbs(self) -> float:
        """8 bytes times transfers times channels."""
        return 8e-3 * self.values.memory_mts.value * self.values.memory_channels.value


class CardValues(Noun):
    """What a network card has."""

    ports: Positive
    link_gbps: Positive
    """Line rate of a port."""
    pcie: Text
    """Generation and lanes, as `nic.pcie` of a scenario says it."""
    card_mpps: Fact | None = None
    """Million packets a second that the whole card passes."""
    port_mpps: Fact | None = None
    """The same of a port."""
    queue_mpps: Fact | None = None
    """The same of a receive queue; absent: not known to limit."""
    descriptor_bytes: Positive


class Card(Noun):
    """An entry of the catalogue's network cards."""

    name: str
    title: str
    sources: dict[str, str]
    values: CardValues


def machine_of(name: str) -> Machine:
    """The machine of a catalogue's name, or of a file of yours.

    Raises InputError for a name that isn't there, and for a file with file and line.
    """
    return _read(Path(name)) if name.endswith(".yaml") else _entry(name)


@cache
def _entry(name: str) -> Machine:
    return _read(entry_path("cpus", name))


def _read(path: Path) -> Machine:
    document = read_document(path)
    return validated(Machine, document.data, document.where)


@cache
def microarchitecture_of(name: str) -> Microarchitecture:
    """The microarchitecture of a name. Raises InputError for one that isn't there."""
    document = read_document(entry_path("microarchitectures", name))
    return validated(Microarchitecture, document.data, document.where)


def card_of(name: str) -> Card:
    """The card of a name. Raises InputError for one that isn't there."""
    document = read_document(entry_path("nics", name))
    return validated(Card, document.data, document.where)
