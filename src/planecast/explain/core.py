"""Core: the microarchitecture that a result was made on, from the catalogue."""

from __future__ import annotations

from dataclasses import dataclass

from planecast.instruments.machine_entry import MODELS
from planecast.results.manifest import Manifest
from planecast.scenario.machine import microarchitecture_of


@dataclass(frozen=True)
class Core:
    """What the explanation needs of a core."""

    title: str
    slots: float
    """Instructions that it issues a cycle at most, fused ones aside."""


def core_of(manifest: Manifest) -> Core | None:
    """The core that made a result; None for one that isn't in the catalogue, or isn't named."""
    vendor, _, rest = str(manifest.host.get("cpu_id", "")).partition("-")
    model = rest.rpartition("-")[2]
    name = MODELS.get((vendor, int(model))) if model.isdecimal() else None
    if name is None:
        return None
    found = microarchitecture_of(name)
    return Core(found.title, found.values.issue_width.value)
