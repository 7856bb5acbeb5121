"""Work of Open vSwitch's forwarding threads by their own counters: packets, and what they took.

Cycles of turns without packets are apart: in ports of memory a thread that sleeps between trials
has such a turn.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class PmdWork(NamedTuple):
    """Packets of all threads, and TSC cycles of the turns that had some."""

    packets: int
    cycles: int

    def since(self, before: PmdWork) -> float | None:
        """Cycles a packet since then; None without packets, or for another thread."""
        packets, cycles = self.packets - before.packets, self.cycles - before.cycles
        return cycles / packets if packets > 0 and cycles > 0 else None


def parse_pmd_work(text: str) -> PmdWork:
    """``dpif-netdev/pmd-stats-show``: all threads together, nothing without one."""
    packets = busy = 0
    for part in re.split(r"^pmd thread ", text, flags=re.MULTILINE)[1:]:
        received = re.search(r"packets received: (\d+)", part)
        cycles = re.search(r"^  processing cycles: (\d+)", part, flags=re.MULTILINE)
        if received and cycles:
            packets += int(received[1])
            busy += int(cycles[1])
    return PmdWork(packets, busy)
