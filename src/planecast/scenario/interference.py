"""Interference: what takes time away from the forwarding lcores, for the simulator.

Who takes cache and memory away is the section `neighbour`.
"""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from planecast.scenario.cpus import CPU_LIMIT
from planecast.scenario.model import Noun

_PAIR = re.compile(r"([0-9]{1,4})\+([0-9]{1,4})")


def cpu_pairs(text: str) -> tuple[tuple[int, int], ...]:
    """The pairs of ``0+1,2+3``; nothing for ``none``. Raises ValueError for what is none."""
    found = []
    for part in [] if text == "none" else text.split(","):
        match = _PAIR.fullmatch(part.strip())
        if match is None or max(int(match[1]), int(match[2])) >= CPU_LIMIT:
            raise ValueError(f"got '{text}', which is not a list of pairs of CPUs such as 0+1,2+3")
        found.append((int(match[1]), int(match[2])))
    cpus = [cpu for pair in found for cpu in pair]
    if len(set(cpus)) < len(cpus):
        raise ValueError(f"got '{text}', in which a CPU appears twice")
    return tuple(found)


def _pairs(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"got {value}, which is not a list of pairs of CPUs such as 0+1,2+3")
    return ",".join(f"{a}+{b}" for a, b in cpu_pairs(value.strip())) or "none"


class Interference(Noun):
    """Interrupts, preemption and hardware threads of one core. The simulator's alone."""

    per_second: Annotated[float, Field(ge=0, le=1e6)] = 0.0
    """How often each lcore is preempted, by an interrupt or another process; 0: never."""
    duration_us: Annotated[float, Field(ge=0, le=1e6)] = 10.0
    """For how long, microseconds, on average."""
    spread: Annotated[float, Field(ge=0, le=100)] = 0.0
    """Standard deviation of these times, divided by their mean; 0: all alike."""
    periodic: bool = False
    """At equal distances, as a timer's; otherwise at random (a Poisson process)."""
    siblings: Annotated[str, BeforeValidator(_pairs, json_schema_input_type=str)] = "none"
    """Pairs of lcores that are hardware threads of one core, such as 0+1,2+3."""
    busy_factor: Annotated[float, Field(ge=1, le=100)] = 1.5
    """So many times longer takes what an lcore does while its sibling works."""
    idle_factor: Annotated[float, Field(ge=1, le=100)] = 1.0
    """And while its sibling only polls."""

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The siblings."""
        return cpu_pairs(self.siblings)
