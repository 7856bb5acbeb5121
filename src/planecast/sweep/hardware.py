"""Another machine than the calibrated one, by factors: what a faster or larger component would do.

The keys stand beside those of a scenario. A factor changes what the closed form computes with: a
core's clock divides what is counted in its cycles (instructions, bursts, private caches), and
leaves the last level and memory as many nanoseconds away as they are; sizes and speeds of levels
are theirs. What the calibration fitted beyond that, blocking factors above all, is taken over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planecast.errors import InputError
from planecast.machine.hierarchy import Hierarchy, Level
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

_CORE_KINDS = ("cpi", "narrow", "burst", "clock", "round", "path", "spared", "drain", "hidden")
"""Parameters in cycles of the core."""


def checked_factor(key: str, value: Any, where: str) -> float:
    """A factor as a person types it. Raises InputError for what no machine could be."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not LEAST <= value <= MOST:
        raise InputError(
            f"{key}: got {value}", where, f"say a factor from {LEAST:g} to {MOST:g}; 1 is as it is"
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

    def factor(name: str) -> float:
        return changed.get(f"machine.{name}", 1.0)

    clock = factor("core_clock")
    scale = [
        1 / clock if parameter.name.partition(".")[2] in _CORE_KINDS else 1.0
        for parameter in calibration.parameters
    ]
    parameters = tuple(
        p.model_copy(update={"value": p.value * s, "low": p.low * s, "high": p.high * s})
        for p, s in zip(calibration.parameters, scale, strict=True)
    )
    covariance = tuple(
        tuple(value * a * b for value, b in zip(row, scale, strict=True))
        for row, a in zip(calibration.covariance, scale, strict=True)
    )
    alternatives = tuple(
        other.model_copy(
            update={"values": tuple(v * s for v, s in zip(other.values, scale, strict=True))}
        )
        for other in calibration.alternatives
    )
    return calibration.model_copy(
        update={
            "parameters": parameters,
            "covariance": covariance,
            "alternatives": alternatives,
            "hierarchy": _hierarchy(calibration.hierarchy, factor("l2_size"), changed),
        }
    )


def _hierarchy(machine: Hierarchy, l2_size: float, factors: Mapping[str, float]) -> Hierarchy:
    clock = factors.get("machine.core_clock", 1.0)
    private = [level for level in machine.levels if not level.shared]
    levels: list[Level] = []
    for level in machine.levels:
        if level.shared:
            size = factors.get("machine.llc_size", 1.0)
            speed = factors.get("machine.llc_speed", 1.0)
        else:
            size = l2_size if len(private) > 1 and level == private[-1] else 1.0
            speed = clock
        levels.append(
            level.model_copy(
                update={
                    "size_bytes": level.size_bytes * size,
                    "latency_cycles": level.latency_cycles / speed,
                    "line_cycles": level.line_cycles / speed,
                }
            )
        )
    memory = factors.get("machine.memory_speed", 1.0)
    flights = tuple(
        flight.model_copy(update={"line_cycles": flight.line_cycles / memory})
        for flight in machine.flights
    )
    return machine.model_copy(
        update={
            "levels": tuple(levels),
            "flights": flights,
            "memory_latency_cycles": machine.memory_latency_cycles / memory,
            "core_hz": machine.core_hz * clock,
            "tlb_pages": machine.tlb_pages * factors.get("machine.tlb_reach", 1.0),
        }
    )


def beyond_calibration(factors: Mapping[str, float]) -> list[str]:
    """What a reader must know of a machine that was not measured, as sentences."""
    return [
        f"{key}: {FACTORS[key]} {_VERB.get(key, 'is')} not the calibrated machine's; blocking "
        "factors are taken over from it"
        for key, factor in factors.items()
        if factor != 1
    ]
