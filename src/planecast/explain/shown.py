"""What counters show beyond a core's own work, as sentences."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Shown:
    """What PCIe, memory, other cores and socket links show."""

    findings: tuple[str, ...] = ()
    out_of_line: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
