"""Scenarios as earlier versions recorded them, in today's words.

They stored every key whatever the data plane was, the defaults of what did not apply among them.
A run's scenario was accepted when it was made, so what doesn't apply is left out; a file that a
person writes is refused instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator

from planecast.scenario.dataplane import KINDS, kind_of
from planecast.scenario.scenario import Scenario

_TABLES = {"routes": "routes", "route_depth": "route_depth", "next_hops": "next_hops"}
_TABLES |= {"stations": "bridge_entries"}
"""Of VPP, and what the workload called them."""


def in_todays_words(data: Any) -> Any:
    """A recorded scenario without the keys that don't apply to it; anything else as it is."""
    if not isinstance(data, Mapping) or not isinstance(data.get("dataplane"), Mapping):
        return data
    kind = KINDS.get(str(kind_of(data["dataplane"])))
    if kind is None:
        return data
    found = {key: dict(part) if isinstance(part, Mapping) else part for key, part in data.items()}
    placement = found.get("placement")
    if isinstance(placement, dict) and isinstance(placement.get("lcores"), str):
        # It was a CPU list, CPU 1 by default; `placement.cpus` is that today.
        cpus = placement.pop("lcores")
        if cpus != "1":
            placement["cpus"] = cpus
    section, workload = found["dataplane"], found.get("workload", {})
    if section.get("guests"):
        section.setdefault("guest_mode", section.get("mode", "io"))
    if section.get("kind") == "vpp":
        if section.get("graph") == "workload":
            section["graph"] = workload.get("kind")
        section |= {key: workload[old] for key, old in _TABLES.items() if old in workload}
    fields = kind.model_fields
    absent = [name for name, _ in kind.inapplicable(section)]
    found["dataplane"] = {k: v for k, v in section.items() if k in fields and k not in absent}
    for key in kind.lacks:
        outer, _, inner = key.partition(".")
        if inner and isinstance(found.get(outer), dict):
            found[outer].pop(inner, None)
        elif not inner:
            found.pop(outer, None)
    return found


Recorded = Annotated[Scenario, BeforeValidator(in_todays_words)]
"""A scenario in what a run stores."""
