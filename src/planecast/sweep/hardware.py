"""Another machine than the calibrated one, by factors: what a faster or larger component would do.

The keys go with those of a scenario. A factor changes the hierarchy that the closed form computes
with: a core's clock shortens what takes core cycles (instructions, bursts, private caches), and
leaves the latencies of the last level and of memory as many nanoseconds as they are; sizes and
speeds of levels are theirs. The fitted parameters stay, overlap above all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planecast.errors import InputError
from planecast.machine.hierarchy import Hierarchy, Level
from planecast.machine.last_level import LIFETIME
from planecast.model.calibration import Calibration

FACTORS: dict[str, str] = {
    "machine.core_clock": "the cores' clock",
    "machine.l2_size": "the last private cache",
    "machine.llc_size": "the last cache level",
    "machine.llc_speed": "lines a second from the last cache level",
    "machine.memory_speed": "lines a second from memory",
    "machine.tlb_reach": "pages that the TLB reaches",
}
"""Keys of components, each a factor over the calibrated machine's, and what it is."""

_VERB = {
    "machine.llc_speed": "are",
    "machine.memory_speed": "are",
    "machine.tlb_reach": "are",
}

LEAST, MOST = 0.05, 20.0


def checked_factor(key: str, value: Any, where: str) -> float:
    """A factor as a person types it. Raises InputError for what no machine could be."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not LEAST <= value <= MOST:
        raise InputError(
            f"{key}: got {value}", where, f"give a factor from {LEAST:g} to {MOST:g}; 1 is as it is"
        )
    return float(value)


def split(values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, float]]:
    """(what changes in the scenario, factors of the machine's components)."""
    factors = {key: float(value) for key, value in values.items() if key in FACTORS}
    return {key: value for key, value in values.items() if key not in FACTORS}, factors


def with_factors(calibration: Calibration, factors: Mapping[str, float]) -> Calibration:
    """The calibration of a machine whose components are so many times as fast or as large."""
    changed = {key: factor for key, factor in factors.items() if factor != 1}
    if not changed:
        return calibration
    machine = _hierarchy(calibration.hierarchy, changed)
    found = calibration.model_copy(update={"hierarchy": machine})
    return with_last_level(found, changed.get("machine.llc_size", 1.0))


def with_last_level(calibration: Calibration, factor: float) -> Calibration:
    """The calibration of a machine whose last level is so many times as large. Unknown tenants
    bring in as many lines a second as before, so a line stays that much longer."""
    parameters = tuple(
        one.model_copy(
            update={name: getattr(one, name) * factor for name in ("value", "low", "high")}
        )
        if one.name == LIFETIME
        else one
        for one in calibration.parameters
    )
    machine = calibration.hierarchy.with_last_level(factor)
    return calibration.model_copy(update={"parameters": parameters, "hierarchy": machine})


def _hierarchy(machine: Hierarchy, factors: Mapping[str, float]) -> Hierarchy:
    """All but the last level's size. What is fitted in core cycles follows the core's clock."""

    def factor(name: str) -> float:
        return factors.get(f"machine.{name}", 1.0)

    outer = next((x.name for x in reversed(machine.levels[1:]) if not x.shared), None)

    def changed(level: Level) -> Level:
        speed = factor("llc_speed" if level.shared else "core_clock")
        size = factor("l2_size") if level.name == outer else 1.0
        return level.model_copy(
            update={
                "size_bytes": level.size_bytes * size,
                "latency_cycles": level.latency_cycles / speed,
                "line_cycles": level.line_cycles / speed,
            }
        )

    first = machine.first_tlb
    if first is not None:
        first = first.at_clock(factor("core_clock"))
        first = first.model_copy(update={"pages": first.pages * factor("tlb_reach")})
    return machine.with_memory(1 / factor("memory_speed")).model_copy(
        update={
            "levels": tuple(changed(level) for level in machine.levels),
            "core_hz": machine.core_hz * factor("core_clock"),
            "tlb_pages": machine.tlb_pages * factor("tlb_reach"),
            "first_tlb": first,
        }
    )


def beyond_calibration(factors: Mapping[str, float]) -> list[str]:
    """What a reader must know of a machine that was not measured, as sentences."""
    return [
        f"{key}: {FACTORS[key]} {_VERB.get(key, 'is')} not the calibrated machine's; overlap "
        "of lines is taken over from it"
        for key, factor in factors.items()
        if factor != 1
    ]
