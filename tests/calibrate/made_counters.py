"""Files of counters made from a known model, as perf and scripts write them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from planecast.scenario.machine import Machine


@dataclass(frozen=True)
class Truth:
    """A workload whose cost is known."""

    machine: Machine
    core_cpi: float = 0.45
    blocking: float = 0.3
    instructions: float = 900.0
    asked: float = 6.0
    """Lines a packet that ask the last level."""
    hits: float = 3.0
    """Lines a packet that L2 serves."""
    always: float = 0.2
    """Lines a packet that are always new."""
    footprint_mib: float = 24.0

    def memory_lines(self, ways: int) -> float:
        """Of a footprint touched at random."""
        size = self.machine.way_bytes * ways
        if not self.machine.core.l3_inclusive.value:
            size += self.machine.core.l2_kib.value * 1024
        missing = max(0.0, 1 - size / self.footprint_mib / 2**20)
        return self.always + (self.asked - self.always) * missing

    def cycles(self, ways: int, ghz: float) -> float:
        """Core cycles a packet."""
        core, memory = self.machine.core, self.memory_lines(ways)
        near = core.l1_latency_cycles.value
        second = core.l2_latency_cycles.value - near
        last = self.machine.l3_ns * ghz - near
        far = self.machine.values.memory_idle_ns.value * ghz - near
        waits = self.hits * second + (self.asked - memory) * last + memory * far
        return self.instructions * self.core_cpi + self.blocking * waits

    def counts(self, ways: int, ghz: float, packets: float) -> dict[str, float]:
        """By event."""
        return {
            "instructions": self.instructions * packets,
            "cycles": self.cycles(ways, ghz) * packets,
            "mem_load_retired.l2_hit": self.hits * packets,
            "longest_lat_cache.reference": self.asked * packets,
            "longest_lat_cache.miss": self.memory_lines(ways) * packets,
        }


def perf_file(
    path: Path,
    counts: dict[str, float],
    rounds: int = 5,
    noise: float = 0.0,
    seed: int = 1,
) -> Path:
    """``perf stat -I 1000 -x,``: so many rounds of these counts in all, cycles with noise."""
    draw = np.random.default_rng(seed)
    lines = ["# started"]
    for second in range(1, rounds + 1):
        for event, count in counts.items():
            factor = 1 + noise * draw.standard_normal() if event == "cycles" else 1.0
            value = count / rounds * factor
            lines.append(f"{second}.000000,{value:.0f},,{event},1000000000,100.00,,")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def column_file(path: Path, counts: dict[str, float], rounds: int = 5, mark: str = ",") -> Path:
    """A column an event, by EMON's names, and a row a second."""
    names = {"instructions": "INST_RETIRED.ANY", "cycles": "CPU_CLK_UNHALTED.THREAD"}
    header = ["Time", *(names.get(event, event.upper()) for event in counts)]
    rows = [
        [str(second), *(f"{count / rounds:.0f}" for count in counts.values())]
        for second in range(1, rounds + 1)
    ]
    path.write_text("\n".join(mark.join(row) for row in [header, *rows]) + "\n", encoding="utf-8")
    return path
