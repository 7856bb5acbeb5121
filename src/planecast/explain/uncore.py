"""Uncore: what counters outside of the cores show, as sentences."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Uncore:
    """What PCIe, memory, other cores and socket links show."""

    findings: tuple[str, ...] = ()
    out_of_line: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
