"""Interference: what takes time away from the forwarding lcores, for the simulator."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from planecast.scenario.cpus import CPU_LIMIT
from planecast.scenario.model import Bytes, Count, Noun

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
        raise ValueError(f"got '{text}', in which a CPU stands twice")
    return tuple(found)


def _pairs(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"got {value}, which is not a list of pairs of CPUs such as 0+1,2+3")
    return ",".join(f"{a}+{b}" for a, b in cpu_pairs(value.strip())) or "none"


class Interference(Noun):
    """Interrupts, preemption and hardware threads of one core. The simulator's alone."""

    per_second: Annotated[float, Field(ge=0, le=1e6)] = 0.0
    """How often each lcore is taken away, by an interrupt or another process; 0: never."""
    duration_us: Annotated[float, Field(ge=0, le=1e6)] = 10.0
    """For how long, microseconds, on average."""
    spread: Annotated[float, Field(ge=0, le=100)] = 0.0
    """Standard deviation of these times, divided by their mean; 0: all alike."""
    periodic: bool = False
    """At equal distances, as a timer's; otherwise at random (a Poisson process)."""
    neighbour_lines_per_s: Annotated[Count, Field(ge=0, le=10**12)] = 0
    """Cache lines a second that others on the socket touch in the last cache level, such as 200M;
    0: nobody. They take room there, and what they miss makes memory slower for the lcores."""
    neighbour_bytes: Annotated[Bytes, Field(ge=4096, le=2**50)] = 64 << 20
    """Distinct bytes that these lines are of: what fits into the last level is fetched once, what
    is far larger is a stream."""
    neighbour_ways: Annotated[Count | None, Field(ge=1, le=64)] = None
    """Ways of the last level that they may fill, from the top; those of ``placement.llc_ways`` are
    at the bottom. null: all."""
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
