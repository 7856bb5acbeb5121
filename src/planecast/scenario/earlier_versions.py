"""Recordings of earlier versions, as this one reads them: scenarios, and the text of a run's files.

They stored every key whatever the data plane was, the defaults of what did not apply among them.
A run's scenario was accepted when it was made, so what doesn't apply is left out; a file that a
person writes is refused instead.

Until lcores became a count, ``placement.lcores`` was a CPU list, always written as text: that is
``placement.cpus`` now. CPU 1 was its default, and is a count of one. Points and commands of a run
name the key, too, so its text is translated before it is parsed.

``placement.handoff_ring`` and ``placement.handoff_ns`` were called ``handover_…``, and the stages
``dequeue`` and ``enqueue`` of a cut pipeline ``take`` and ``hand``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator

from planecast.scenario.dataplane import KINDS, kind_of
from planecast.scenario.scenario import Scenario

_LIST = r"[0-9][0-9,-]*"
_FIELD = re.compile(rf'"lcores":(\s*)"({_LIST})"')
_OVERRIDE = re.compile(rf'"placement\.lcores":(\s*)"({_LIST})"')
_TYPED = re.compile(rf"\bplacement\.lcores=({_LIST})")
_HANDOFF = re.compile(r"\bhandover_(ring|ns)\b")
_HANDOFF_STAGE = re.compile(r'"(take|hand)":(\s*)\{')
_STAGES = {"take": "dequeue", "hand": "enqueue"}
_USUAL = "1"
"""The CPU list that was the default."""

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
        cpus = placement.pop("lcores")
        if cpus != _USUAL:
            placement["cpus"] = cpus
    if isinstance(placement, dict):
        found["placement"] = {_HANDOFF.sub(r"handoff_\1", k): v for k, v in placement.items()}
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


def text_in_todays_keys(text: str) -> str:
    """The JSON text of a recording in today's keys; one of today stays as it is."""
    text = _HANDOFF.sub(r"handoff_\1", text)
    text = _HANDOFF_STAGE.sub(lambda m: f'"{_STAGES[m[1]]}":{m[2]}{{', text)
    if _FIELD.search(text) is None:
        return text
    text = _FIELD.sub(lambda m: _renamed(m[1], m[2], "cpus", "lcores"), text)
    text = _OVERRIDE.sub(lambda m: _renamed(m[1], m[2], "placement.cpus", "placement.lcores"), text)
    return _TYPED.sub(lambda m: f"placement.{'lcores' if m[1] == _USUAL else 'cpus'}={m[1]}", text)


def _renamed(space: str, cpus: str, name: str, count: str) -> str:
    return f'"{count}":{space}1' if cpus == _USUAL else f'"{name}":{space}"{cpus}"'
