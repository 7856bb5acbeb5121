"""This host's own entry: what the probe measured, and for the rest a machine that it is like.

The kernel's model number shows the microarchitecture; the catalogue's first machine with it then
says what nobody can measure from here (issue width, memory channels, PCIe), as `assumed`.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from typing import Any

from ruamel.yaml import YAML

from planecast.catalog import names
from planecast.errors import InputError
from planecast.host.nics import nics
from planecast.host.pcie import pcie_link
from planecast.host.root import Root
from planecast.instruments.loaded_latency import LoadedLatency
from planecast.instruments.machine_probe import CacheLevel, MachineProbe
from planecast.scenario.fact import Fact, Flag, Positive, Text
from planecast.scenario.machine import (
    Loaded,
    Machine,
    Microarchitecture,
    machine_of,
    microarchitecture_of,
)
from planecast.scenario.model import Noun

MODELS = {
    "GenuineIntel-6-63": "haswell",
    "GenuineIntel-6-79": "broadwell",
    "GenuineIntel-6-85": "cascade-lake",
    "GenuineIntel-6-106": "ice-lake",
    "GenuineIntel-6-143": "sapphire-rapids",
    "GenuineIntel-6-207": "sapphire-rapids",
    "AuthenticAMD-23-49": "zen2",
    "AuthenticAMD-25-1": "zen3",
    "AuthenticAMD-25-17": "zen4",
    "AuthenticAMD-26-2": "zen5",
    "AuthenticAMD-26-17": "zen5",
}
"""By vendor, family and model, as ``cpu_id`` of a manifest has them."""


def microarchitecture_of_cpu(cpu_id: str) -> Microarchitecture | None:
    """What the catalogue knows of the core of a ``cpu_id``; None for one that it doesn't know."""
    name = MODELS.get(cpu_id)
    return None if name is None else microarchitecture_of(name)


def likeness(name: str | None, root: Root | None = None) -> Machine:
    """The catalogue's machine of a name; without one, the first with this CPU's microarchitecture.

    Raises InputError for a model number that isn't known.
    """
    if name is not None:
        return machine_of(name)
    cpu_id = (root or Root()).cpu_id()
    for entry in names("cpus"):
        found = machine_of(entry)
        if found.microarchitecture == MODELS.get(cpu_id):
            return found
    raise InputError(
        f"the catalogue knows no CPU of vendor, family and model '{cpu_id or 'unknown'}'",
        "planecast machine probe",
        "name the most similar machine with --like NAME (planecast machine list)",
    )


def measured_entry(
    name: str,
    probe: MachineProbe,
    like: Machine,
    loaded: LoadedLatency | None = None,
    root: Root | None = None,
) -> Machine:
    """The entry of a probed host; what wasn't measured is `like`'s."""
    core_cycles = probe.core_hz / probe.tsc_hz
    llc = probe.llc
    shared = llc.fast_size_bytes or llc.size_bytes

    def measured(value: float) -> Positive:
        return Positive(value=round(value, 4), status="measured", source="probe")

    change: dict[str, Any] = {
        "tsc_ghz": measured(probe.tsc_hz / 1e9),
        "page_sizes": Text(value=page_sizes(), status="measured", source="kernel"),
        "cores": measured(os.cpu_count() or 1),
        "base_ghz": measured(probe.core_hz / 1e9),
        "turbo_one_core_ghz": measured(probe.core_hz / 1e9),
        "turbo_all_cores_ghz": measured(probe.core_hz / 1e9),
        "llc_mib": measured(shared.value / 1048576),
        "llc_cores": measured(os.cpu_count() or 1),
        "memory_idle_ns": measured(probe.memory_latency_cycles.value / probe.tsc_hz * 1e9),
    }
    if llc.ways is not None:
        change["llc_ways"] = measured(llc.ways)
    core: dict[str, Any] = {"l3_latency_cycles": measured(llc.latency_cycles.value * core_cycles)}
    if any(point.huge_cycles is not None for point in probe.pages):
        translation = probe.translation()
        core["second_tlb_entries"] = measured(translation.pages)
        core["walk_cycles"] = Fact(
            value=round(translation.walk_cycles * core_cycles, 4), status="measured", source="probe"
        )
    if loaded is not None:
        change |= _loaded(loaded, like)
    change |= _of_cards(root or Root())
    for level in probe.levels[:-1]:
        core |= _private(level, core_cycles, measured)
    return Machine(
        name=name,
        title=f"{probe.cpu_model}, as probed at {probe.probed_at}",
        microarchitecture=like.microarchitecture,
        sources={
            "probe": f"planecast machine probe at {probe.probed_at}",
            "like": f"taken from {like.title}",
            "kernel": "/proc/cpuinfo and /sys/kernel/mm/hugepages",
            "pci": "configuration space of the network cards, the smallest of them",
        },
        values=like.values.model_copy(
            update={**_assumed(like.values), **change, **dict.fromkeys(_CLASSES)}
        ),
        own_core=like.core.model_copy(update={**_assumed(like.core), **core}),
    )


_CLASSES = (
    "high_priority_cores",
    "high_priority_ghz",
    "low_priority_cores",
    "low_priority_ghz",
    "tdp_w",
)


def _loaded(loaded: LoadedLatency, like: Machine) -> dict[str, Any]:
    """Latency under traffic. What others of this kind reach counts as the peak, unless more was
    moved here: a few CPUs don't fill a server's memory."""
    points = loaded.risen()
    most = points[-1][0]
    change: dict[str, Any] = {
        "memory_loaded": tuple(
            Loaded(gbs=round(gbs, 3), ns=round(ns, 2), status="measured", source="probe")
            for gbs, ns in points
        )
    }
    if most > like.values.memory_gbs.value:
        change["memory_gbs"] = Positive(value=round(most, 3), status="measured", source="probe")
    return change


def _of_cards(root: Root) -> dict[str, Positive]:
    """What the network cards' PCIe links let a packet carry; nothing where it may not be read."""
    links = [pcie_link(root, card.address) for card in nics(root)]
    known = [link for link in links if link is not None]
    if not known:
        return {}
    smallest = {
        "pcie_max_payload": min(link.payload_bytes for link in known),
        "pcie_max_read": min(link.read_request_bytes for link in known),
    }
    return {
        key: Positive(value=value, status="measured", source="pci")
        for key, value in smallest.items()
    }


def page_sizes(root: Root | None = None) -> str:
    """Sizes of pages that this host's kernel can give: 4KiB, and those it has pools for."""
    return ",".join(["4KiB", *map(_size, sorted((root or Root()).page_pools()))])


def _size(kib: int) -> str:
    for unit, name in ((1 << 20, "GiB"), (1 << 10, "MiB")):
        if kib >= unit:
            return f"{kib // unit}{name}"
    return f"{kib}KiB"


def _private(
    level: CacheLevel, core_cycles: float, measured: Callable[[float], Positive]
) -> dict[str, Positive]:
    low = level.name.lower()
    return {
        f"{low}_kib": measured(level.claimed_bytes / 1024),
        f"{low}_latency_cycles": measured(level.latency_cycles.value * core_cycles),
    }


def _assumed(values: Noun) -> dict[str, object]:
    """All facts of `values` as assumptions, with the source `like`."""
    found: dict[str, object] = {}
    for key in type(values).model_fields:
        fact = getattr(values, key)
        if isinstance(fact, Fact | Flag | Text):
            found[key] = fact.model_copy(update={"status": "assumed", "source": "like"})
    return found


def entry_text(entry: Machine) -> str:
    """The entry as YAML, one line a value."""
    data = entry.model_dump(mode="json", exclude_none=True)
    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = None
    yaml.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    yaml.width = 200
    text = io.StringIO()
    yaml.dump(data, text)
    return text.getvalue()
