"""Sizes: the numbers of scenarios that memory regions follow from, common to all stages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from planecast.workload.scenario_columns import ScenarioColumns

Floats = NDArray[np.float64]


PORTS = {"l2bridge": 2}
"""Ports of a function that has more than one; each has its rings."""


@dataclass(frozen=True)
class Sizes:
    """Sizes of many scenarios of one network function: arrays of shape (scenarios,)."""

    columns: ScenarioColumns
    pads_short_bursts: bool = True
    """Whether the counted data plane pads short bursts to its lanes (`InstructionCounts`)."""

    def number(self, key: str) -> Floats:
        """A numeric key such as ``workload.flows``."""
        return self.columns.numbers[key]

    def is_choice(self, key: str, value: object) -> NDArray[np.bool_]:
        """Where a key of few values has this one; nowhere for a key that does not apply."""
        if key not in self.columns.choices:
            return np.zeros(self.columns.size, dtype=np.bool_)
        return self.columns.choices[key].each(lambda one: float(one == value)) > 0

    def runs(self, stage: str) -> Floats:
        """1 where the stage runs, else 0; source and tx always do."""
        if stage in ("source", "tx"):
            return np.ones(self.columns.size)
        if "workload.stages" not in self.columns.choices:
            return np.zeros(self.columns.size)
        return self.columns.choices["workload.stages"].each(lambda own: float(stage in own))

    @cached_property
    def lcores(self) -> Floats:
        """Forwarding lcores."""
        return self.columns.lcores

    @cached_property
    def burst(self) -> Floats:
        """Packets of a burst at most."""
        return self.number("placement.burst")

    @cached_property
    def by_class(self) -> tuple[tuple[Floats, Floats], ...]:
        """(share of the packets, active flows) of each class of flows."""
        return self.columns.by_class

    @cached_property
    def active_flows(self) -> Floats:
        """Of all classes."""
        return sum((flows for _, flows in self.by_class), np.zeros(self.columns.size))

    @cached_property
    def buffers(self) -> Floats:
        """Packet buffers that an lcore cycles through."""
        rings = self.number("placement.rx_ring") + self.number("placement.tx_ring")
        return self.ports * rings + self.burst

    @property
    def ports(self) -> int:
        """Ports of the function, each with a ring at either side."""
        return PORTS.get(self.columns.kind, 1)

    @cached_property
    def small_pages(self) -> NDArray[np.bool_]:
        """Where tables lie in 4 KiB pages; `auto` counts as 2 MiB."""
        return self.is_choice("placement.page_size", "4KiB")

    @cached_property
    def step(self) -> Floats:
        """Addresses from a flow's destination to the next one's."""
        return self.columns.choices["traffic.destination_step"].each(step_addresses)

    def distinct_destinations(self, space: int) -> Floats:
        """Distinct destinations before the steps come round in so many addresses (2^k)."""
        return self.columns.choices["traffic.destination_step"].each(
            lambda dotted: float(_distinct(step_addresses(dotted), space))
        )


def step_addresses(dotted: str) -> int:
    """Addresses that a dotted step such as ``0.4.0.0`` skips."""
    value = 0
    for part in dotted.split("."):
        value = value << 8 | int(part)
    return value


def _distinct(step: int, space: int) -> int:
    return space // max(1, step & -step) if step else 1


def filled_buckets(entries: Floats, per_bucket: Floats | float) -> Floats:
    """Buckets of a hash table of so many entries: a power of two."""
    return np.asarray(np.exp2(np.ceil(np.log2(np.maximum(entries, per_bucket)))) / per_bucket)


def reached(bins: Floats, picks: Floats) -> Floats:
    """Distinct ones of `bins` that so many random picks reach."""
    return np.asarray(-bins * np.expm1(-picks / bins))
