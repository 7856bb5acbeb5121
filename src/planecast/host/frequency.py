"""Clocks of each CPU, and which of them have priority.

With Speed Select Base Frequency (SST-BF) some cores of a socket have a higher guaranteed clock than
the others: Linux shows it as ``cpufreq/base_frequency`` (since 5.0.8). Where all are equal, no core
has priority.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from planecast.host.root import Root

Priority = Literal["high", "normal", "low"]


@dataclass(frozen=True)
class Frequency:
    """Clocks of one CPU in MHz; 0 where the kernel doesn't report."""

    base_mhz: int
    """Guaranteed with all cores busy."""
    least_mhz: int
    most_mhz: int
    """With turbo."""
    turbo: bool
    """Whether it may run faster than the base clock."""
    priority: Priority


def frequency_of(root: Root, cpus: Iterable[int]) -> dict[int, Frequency]:
    """The clocks of these CPUs."""
    turbo = _turbo(root)
    base = {cpu: _mhz(root, cpu, "base_frequency") for cpu in cpus}
    clocks = {mhz for mhz in base.values() if mhz}
    return {
        cpu: Frequency(
            base_mhz=mhz,
            least_mhz=_mhz(root, cpu, "cpuinfo_min_freq"),
            most_mhz=_mhz(root, cpu, "cpuinfo_max_freq"),
            turbo=turbo,
            priority=_priority(mhz, clocks),
        )
        for cpu, mhz in base.items()
    }


def _priority(mhz: int, clocks: set[int]) -> Priority:
    if len(clocks) < 2 or not mhz:
        return "normal"
    return "high" if mhz == max(clocks) else "low"


def _mhz(root: Root, cpu: int, name: str) -> int:
    return (root.number(f"sys/devices/system/cpu/cpu{cpu}/cpufreq/{name}") or 0) // 1000


def _turbo(root: Root) -> bool:
    """Intel's driver says when turbo is off, the others when boost is on."""
    off = root.number("sys/devices/system/cpu/intel_pstate/no_turbo")
    if off is not None:
        return off == 0
    return root.number("sys/devices/system/cpu/cpufreq/boost") == 1
