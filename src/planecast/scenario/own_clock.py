"""The clock that cycles on another machine are stated in: its time-stamp counter's.

Engines count in the time-stamp cycles of the host that was calibrated. On another machine these
cycles are nobody's: that machine's counter runs at its own base clock (Intel SDM volume 3, "Time-
Stamp Counter": a constant rate, the base frequency but for some parts' crystal ratio).
"""

from __future__ import annotations

from planecast.scenario.machine import HOST, machine_of


def own_clock_factor(machine: str, tsc_hz: float) -> float:
    """Cycles of a machine's own counter for each of the calibrated host's; 1 for the host."""
    return 1.0 if machine == HOST else machine_of(machine).values.base_ghz.value * 1e9 / tsc_hz
