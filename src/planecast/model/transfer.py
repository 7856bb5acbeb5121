"""A calibration transferred to another site: what transfers, what doesn't, a wider interval.

- Instructions, memory regions and overlap transfer.
- Parameters in core cycles follow the core's clock. On another microarchitecture they change as
  `machine.generations` has it of slots that follow from cycles an instruction.
- Latencies of L1 and L2 follow the core's clock; those of the last level and of memory are
  nanoseconds of their own, scaled with what the catalogue says of the machine.
- Memory's latency rises with what all lcores ask of it (`memory_contention`).
- Lines of another socket's memory take its latency: as the catalogue has it, else 1.6 times the
  local one (two-socket servers are published with 1.4 to 1.8).
- A busy hardware thread on each lcore's core raises all of its cost (`machine.smt`), and halves L1
  and L2.
- Walks in large pages are of the host that maps a guest's memory: machines of the catalogue, which
  are no guests, have none.

Cycles stay those of the calibrated host's time-stamp counter, so that answers of several sites are
of one unit. The model's own error grows by what was assumed: 2 % for another clock, 5 % for a
sibling (the mean errors of `reproduce bsdp` are 1.5 and 4.6 %), and for another microarchitecture
8 % for its caches' latencies, and the error of published changes for its core
(`generations.ERROR_SHARE`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from planecast.errors import InputError
from planecast.machine.clocks import beyond_turbo, core_ghz
from planecast.machine.core import CPI
from planecast.machine.generations import ERROR_SHARE, near_factor, slots_factor
from planecast.machine.hierarchy import Hierarchy, Level, SharedMemory, Ways
from planecast.machine.last_level import CAPACITY
from planecast.machine.overlap import BY_CLASS
from planecast.machine.registry import MECHANISMS
from planecast.machine.slots import Slots
from planecast.machine.smt import busy_sibling_slowdown
from planecast.machine.tlb import LARGE
from planecast.model.calibration import Calibration
from planecast.model.counter_model import BF, Counted, blank_hierarchy
from planecast.model.target_platform import Site
from planecast.scenario.machine import HOST, CoreValues, Machine, machine_of

COSTLY = {*BY_CLASS.values(), BF}
"""Parameters that multiply waits for lines."""

CLOCK_ERROR = 0.02
SIBLING_ERROR = 0.05
CORE_ERROR = 0.08
REMOTE_ERROR = 0.05
"""When all of memory is remote; less in proportion."""
ASSUMED_REMOTE = 1.6
"""Latency of another socket's memory over the local one's, where it is unknown."""
_NONE = 1e-6
"""A share that is nothing, of a parameter that is above zero."""
UNKNOWN_CORE_ERROR = 0.15
"""Where the calibrated host's core is unknown."""
USUAL_WIDTH = 4.0
"""Instructions a cycle of an unknown core: the catalogue's cores have 4 to 6."""


class Transferred(NamedTuple):
    """A calibration at a site."""

    calibration: Calibration
    notes: tuple[str, ...]
    """What was assumed, as sentences."""


def transferred(calibration: Calibration, site: Site) -> Transferred:
    """The calibration at a site; itself where that is the calibrated host.

    Raises InputError for ways of a host whose ways the calibration doesn't know, and for clock
    classes that a machine doesn't have.
    """
    if site.calibrated:
        return Transferred(calibration, ())
    notes: list[str] = []
    errors: list[float] = []
    old = calibration.hierarchy
    cpi = mean_cpi(calibration)
    counted = calibration.counted
    if counted is not None and site.machine == counted.machine.name:
        site = site._replace(machine=HOST)
    if site.machine == HOST:
        hierarchy = _same_host(old, site) if counted is None else _counted_host(old, counted, site)
        factor = 1.0
        own = _own_core(calibration) if counted is None else counted.machine.core
        width = USUAL_WIDTH if own is None else own.issue_width.value
    else:
        machine = machine_of(site.machine)
        own = _own_core(calibration) if counted is None else counted.machine.core
        hierarchy = _other_machine(old, machine, site)
        factor, width = _core_factor(cpi, own, machine.core), machine.core.issue_width.value
        errors += (
            [CORE_ERROR, ERROR_SHARE * math.log(factor)]
            if own is not None
            else [UNKNOWN_CORE_ERROR]
        )
        notes.append(
            f"transferred to {machine.title}: instructions, regions and overlap transfer; "
            f"cycles an instruction times {factor:.2f} and latencies are the catalogue's"
        )
        if own is None:
            notes.append("the calibrated host's core is unknown; it is assumed equal to this one")
    clock = old.core_hz / hierarchy.core_hz
    if abs(clock - 1) > 0.001:
        errors.append(CLOCK_ERROR)
        notes.append(f"cores at {hierarchy.core_hz / 1e9:.2f} GHz")
    known = _machine_at(site, counted)
    if known is not None:
        notes += beyond_turbo(known, hierarchy.core_hz / 1e9)
    if site.remote_memory:
        hierarchy, note = _remote(hierarchy, _machine_at(site, counted), site.remote_memory)
        notes.append(note)
        errors.append(REMOTE_ERROR * site.remote_memory)
    slower = 1.0
    if site.busy_siblings:
        slower = busy_sibling_slowdown(_slots(cpi * factor, width))
        hierarchy = _halved(hierarchy)
        errors.append(SIBLING_ERROR)
        notes.append(f"a busy sibling raises cycles/packet by a factor of {slower:.2f}")
    if site.llc_ways is not None:
        notes.append(f"{site.llc_ways} ways of the last-level cache")
    update = {"hierarchy": hierarchy, "discrepancy": calibration.discrepancy.widened(errors)}
    same_host = site.machine == HOST and counted is None
    scaled = _scaled(calibration, factor, slower, same_host=same_host)
    return Transferred(scaled.model_copy(update=update), tuple(notes))


def _own_core(calibration: Calibration) -> CoreValues | None:
    """What the calibrated host's cores have; None when the catalogue doesn't know its CPU."""
    from planecast.instruments.catalog_entry import microarchitecture_of_cpu  # it imports the probe

    found = microarchitecture_of_cpu(str(calibration.manifest.host.get("cpu_id", "")))
    return None if found is None else found.values


def mean_cpi(calibration: Calibration) -> float:
    """Core cycles an instruction of the base pipeline, every access near."""
    counts = next(iter(calibration.instructions.values()))
    effects = calibration.effects
    burst = 32
    parts = [(one.at(burst), effects.get(stage, 1.0)) for stage, one in counts.stages.items()]
    whole = sum(count for count, _ in parts)
    mean = sum(count * effect for count, effect in parts) / whole if whole else 1.0
    return max(calibration.values[CPI] * mean, 0.1)


def _slots(cpi: float, width: float) -> Slots:
    retiring = min(100.0, 100 / (cpi * width))
    return Slots(retiring, 0.0, 0.0, 100 - retiring)


def _core_factor(cpi: float, old: CoreValues | None, new: CoreValues) -> float:
    """Cycles an instruction on the new cores over those on the old ones."""
    if old is None:
        return 1.0
    retiring = min(1.0, 1 / (cpi * old.issue_width.value))
    return slots_factor(retiring, old, new, near_factor(old, new))


def _same_host(old: Hierarchy, site: Site) -> Hierarchy:
    if site.llc_ways is not None:
        raise InputError(
            "the calibration doesn't know how many ways this host's last level has",
            f"placement.llc_ways={site.llc_ways}",
            "name a machine of the catalogue: planecast machine list",
        )
    if site.core_priority != "none":
        raise InputError(
            "clock classes are known of machines of the catalogue alone",
            f"placement.core_priority={site.core_priority}",
            "set placement.core_ghz, or name a machine: planecast machine list",
        )
    hz = old.core_hz if site.core_ghz is None else site.core_ghz * 1e9
    slower = old.core_hz / hz
    levels = [
        level if level.shared else _slowed(level, slower, level.size_bytes) for level in old.levels
    ]
    tlb = None if old.first_tlb is None else old.first_tlb.at_clock(1 / slower)
    return old.model_copy(update={"core_hz": hz, "levels": tuple(levels), "first_tlb": tlb})


def _counted_host(old: Hierarchy, counted: Counted, site: Site) -> Hierarchy:
    """The machine that was counted on, whose ways and clock classes the catalogue shows."""
    own = None if site.core_priority != "none" else old.core_hz / 1e9
    return _other_machine(old, counted.machine, site._replace(core_ghz=site.core_ghz or own))


def machine_hierarchy(machine: Machine, ghz: float, llc_ways: int | None) -> Hierarchy:
    """A machine of the catalogue as a hierarchy, in cycles of its base clock."""
    site = Site(machine.name, core_ghz=ghz, llc_ways=llc_ways)
    return _other_machine(blank_hierarchy(machine), machine, site)


def _slowed(level: Level, factor: float, size_bytes: float) -> Level:
    return level.model_copy(
        update={
            "size_bytes": size_bytes,
            "latency_cycles": level.latency_cycles * factor,
            "line_cycles": level.line_cycles * factor,
        }
    )


def _other_machine(old: Hierarchy, machine: Machine, site: Site) -> Hierarchy:
    """The machine's caches and memory in the host's TSC cycles; what isn't known of them (how much
    many misses in flight help) is as on the host, in proportion."""
    ghz = site.core_ghz or core_ghz(machine, site.core_priority)
    ns = old.tsc_hz / 1e9
    core, values = machine.core, machine.values
    private = {
        "L1": (core.l1_kib.value * 1024, core.l1_latency_cycles.value / ghz),
        "L2": (core.l2_kib.value * 1024, core.l2_latency_cycles.value / ghz),
    }
    ways = values.llc_ways.value if site.llc_ways is None else site.llc_ways
    last = machine.way_bytes * ways
    if not core.l3_inclusive.value:
        last += core.l2_kib.value * 1024  # what L2 holds needn't be in it
    levels = []
    for level in old.levels:
        size, latency = (last, machine.l3_ns) if level.shared else private[level.name]
        resized = _slowed(level, latency * ns / level.latency_cycles, size)
        shape = float(ways) if level.shared else level.shape
        levels.append(resized.model_copy(update={"shape": shape}))
    farther = values.memory_idle_ns.value * ns / old.memory_latency_cycles
    return old.with_memory(farther).model_copy(
        update={
            "core_hz": ghz * 1e9,
            "levels": tuple(levels),
            "tlb_pages": core.second_tlb_entries.value,
            "first_tlb": None,  # not known of it, and its large pages are such
            "loaded": (),
            "background": False,
            "memory": SharedMemory.of(machine),
            "ways": Ways(own=int(ways), of=int(values.llc_ways.value)),
        }
    )


def _machine_at(site: Site, counted: Counted | None) -> Machine | None:
    """The catalogue's machine of a site; None for this host, of which it knows no sockets."""
    if site.machine != HOST:
        return machine_of(site.machine)
    return None if counted is None else counted.machine


def _remote(old: Hierarchy, machine: Machine | None, share: float) -> tuple[Hierarchy, str]:
    """Memory of which a share is another socket's, and what was assumed."""
    ratio, known = ASSUMED_REMOTE, "assumed"
    if machine is not None and machine.values.remote_memory_ns is not None:
        ratio = machine.values.remote_memory_ns.value / machine.values.memory_idle_ns.value
        known = machine.values.remote_memory_ns.status
    return old.with_memory(1 + share * (ratio - 1)), (
        f"{100 * share:.3g} % of the lines from memory are another socket's, at {ratio:.3g} times "
        f"the latency ({known}); caches, rings and cards count as local"
    )


def _halved(hierarchy: Hierarchy) -> Hierarchy:
    levels = [
        level if level.shared else _slowed(level, 1.0, level.size_bytes / 2)
        for level in hierarchy.levels
    ]
    return hierarchy.model_copy(update={"levels": tuple(levels)})


def _scaled(calibration: Calibration, core: float, every: float, *, same_host: bool) -> Calibration:
    """The parameters in core cycles times a factor, and all that cost cycles times another. How
    much of its last level the calibrated host had, and of its large pages, is of no other machine.
    """
    domains = {
        one.name: one.domain
        for mechanism in MECHANISMS
        for one in mechanism.parameters(calibration.hierarchy)
    }
    factors = {
        name: core * every if domains.get(name) == "core" else every if name in COSTLY else 1.0
        for name in calibration.names
    }
    elsewhere = {} if same_host else {CAPACITY: 1.0, LARGE: _NONE}
    factors |= {
        name: value / calibration.values[name]
        for name, value in elsewhere.items()
        if name in factors
    }
    return calibration.model_copy(
        update={
            "parameters": tuple(
                one.model_copy(
                    update={
                        "value": one.value * factors[one.name],
                        "low": one.low * factors[one.name],
                        "high": one.high * factors[one.name],
                    }
                )
                for one in calibration.parameters
            )
        }
    )
