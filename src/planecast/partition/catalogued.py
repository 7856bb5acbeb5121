"""A machine of the catalogue as a tenants file describes one: what a plan for it needs.

The catalogue describes a socket. Which of its cores Speed Select makes faster differs from part to
part, so a file says that itself (priority_cores), where it is on.
"""

from __future__ import annotations

from typing import Any

from planecast.errors import InputError
from planecast.host.rdt import EIGHTHS
from planecast.scenario.machine import Machine, machine_of


def shape_values(name: str) -> dict[str, Any]:
    """The keys of a machine's section, of a name of the catalogue or a YAML file of yours.

    Raises ValueError for a name that isn't there, so that whoever reads the section can say where.
    """
    try:
        machine = machine_of(name)
        return {**_cores(machine), **_allocation(machine), "timing": _timing(machine)}
    except InputError as error:
        raise ValueError(
            "; ".join(text for text in (error.what, error.what_to_do) if text)
        ) from None


def _cores(machine: Machine) -> dict[str, Any]:
    values = machine.values
    return {
        "model": machine.title,
        "cores": int(values.cores.value),
        "threads": min(2, int(values.threads_per_core.value)),
        "llc": int(machine.llc_bytes),
        "llc_cores": int(values.llc_cores.value),
        "base_mhz": round(values.base_ghz.value * 1000),
    }


def _allocation(machine: Machine) -> dict[str, Any]:
    given = machine.allocation
    if given is None:
        return {}
    ways, written = (int(machine.values.llc_ways.value), int(machine.values.ddio_ways.value))
    found: dict[str, Any] = {
        "ways": ways,
        "least_ways": int(given.l3_least_ways.value),
        "classes": int(given.l3_classes.value),
        # Devices write into the highest ways (shareable_bits of resctrl on Intel's parts).
        "ddio": ((1 << written) - 1) << (ways - written),
    }
    if given.bandwidth_classes and given.bandwidth_step:
        found["bandwidth_classes"] = int(given.bandwidth_classes.value)
        found["bandwidth_step"] = int(given.bandwidth_step.value)
        amd = given.bandwidth_unit is not None and given.bandwidth_unit.value == EIGHTHS
        found["bandwidth_unit"] = EIGHTHS if amd else "percent"
        found["sparse"] = amd
    return found


def _timing(machine: Machine) -> dict[str, Any]:
    values = machine.values
    return {
        "llc_ns": machine.l3_ns,
        "memory_ns": values.memory_idle_ns.value,
        "memory_gbs": values.memory_gbs.value,
        "memory_loaded": [(point.gbs, point.ns) for point in values.memory_loaded],
        "core_lines": int(machine.core.line_fill_buffers.value),
        "mhz": round(values.base_ghz.value * 1000),
    }
