"""This host's own entry: what the probe measured, and for the rest a machine that it is like.

The kernel's model number tells the microarchitecture; the catalogue's first machine with it then
says what nobody can measure from here (issue width, memory channels, PCIe), as `assumed`.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from ruamel.yaml import YAML

from planecast.catalog import names
from planecast.errors import InputError
from planecast.instruments.machine_probe import CacheLevel, MachineProbe
from planecast.scenario.fact import Fact, Positive
from planecast.scenario.machine import Machine, machine_of
from planecast.scenario.model import Noun

MODELS = {
    ("GenuineIntel", 63): "haswell",
    ("GenuineIntel", 79): "broadwell",
    ("GenuineIntel", 85): "cascade-lake",
    ("GenuineIntel", 106): "ice-lake",
    ("GenuineIntel", 143): "sapphire-rapids",
    ("GenuineIntel", 207): "sapphire-rapids",
    ("AuthenticAMD", 49): "zen2",
    ("AuthenticAMD", 17): "zen4",
}
"""By vendor and model number: Intel's of family 6, AMD's of families 17h and 19h."""


def likeness(name: str | None, cpuinfo: Path = Path("/proc/cpuinfo")) -> Machine:
    """The catalogue's machine of a name; without one, the first with this CPU's microarchitecture.

    Raises InputError for a model number that isn't known.
    """
    if name is not None:
        return machine_of(name)
    fields = dict(_fields(cpuinfo))
    vendor, model = fields.get("vendor_id", ""), fields.get("model", "")
    wanted = MODELS.get((vendor, int(model) if model.isdecimal() else -1))
    for entry in names("cpus"):
        found = machine_of(entry)
        if found.microarchitecture == wanted:
            return found
    raise InputError(
        f"the catalogue knows no CPU of vendor '{vendor}' and model {model or 'unknown'}",
        "planecast machine probe",
        "say which machine it is like, with --like NAME (planecast machine list)",
    )


def _fields(cpuinfo: Path) -> Iterable[tuple[str, str]]:
    for line in cpuinfo.read_text(encoding="utf-8").splitlines():
        key, colon, value = line.partition(":")
        if not colon:
            return  # the first CPU tells all
        yield key.strip(), value.strip()


def measured_entry(name: str, probe: MachineProbe, like: Machine) -> Machine:
    """The entry of a probed host; what wasn't measured is `like`'s."""
    core_cycles = probe.core_hz / probe.tsc_hz
    llc = probe.llc
    shared = llc.fast_size_bytes or llc.size_bytes

    def measured(value: float) -> Positive:
        return Positive(value=round(value, 4), status="measured", source="probe")

    change: dict[str, Fact] = {
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
    core = {"l3_latency_cycles": measured(llc.latency_cycles.value * core_cycles)}
    if any(point.huge_cycles is not None for point in probe.pages):
        core["second_tlb_entries"] = measured(probe.translation()[0])
    for level in probe.levels[:-1]:
        core |= _private(level, core_cycles, measured)
    return Machine(
        name=name,
        title=f"{probe.cpu_model}, as probed at {probe.probed_at}",
        microarchitecture=like.microarchitecture,
        sources={
            "probe": f"planecast machine probe at {probe.probed_at}",
            "like": f"taken from {like.title}",
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
    found = {}
    for key in type(values).model_fields:
        fact = getattr(values, key)
        if fact is not None:
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
