"""What Open vSwitch's forwarding threads count of themselves: packets, and what they took.

Cycles of turns without packets are apart: in ports of memory a thread that sleeps between trials
has such a turn.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from planecast.errors import RunError
from planecast.results.estimate import Estimate

PROCESSING = "pmd processing"
"""Name of an opinion: TSC cycles a packet of the turns that found packets."""


@dataclass(frozen=True)
class PmdStats:
    """What a PMD thread says of its work since its statistics were cleared."""

    received: int
    """Packets."""
    cycles_per_packet: float
    """TSC cycles, those in which it found none among them."""
    processing_cycles_per_packet: float
    """TSC cycles of the iterations that found packets."""
    megaflow_hits: int | None = None
    """Packets that no exact cache knew (EMC, SMC, simple match), so that masks were tried one after
    another; None where it doesn't say."""
    upcalls: int | None = None
    """Packets that no cache knew: the slow path was asked."""
    packets_per_batch: float | None = None
    """Packets of a send call."""


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


def opinion_of(found: PmdStats) -> dict[str, Estimate]:
    """The statistics as estimates: cycles a packet, shares of the packets, packets a batch."""

    def said(value: float, unit: str) -> Estimate:
        return Estimate(value=value, samples=found.received, unit=unit, kind="measured")

    opinion = {
        "pmd": said(found.cycles_per_packet, "cycles/packet"),
        PROCESSING: said(found.processing_cycles_per_packet, "cycles/packet"),
    }
    for name, count in (("megaflow look-ups", found.megaflow_hits), ("upcalls", found.upcalls)):
        if count is not None and found.received > 0:
            opinion[name] = said(count / found.received, "share")
    if found.packets_per_batch is not None:
        opinion["batch"] = said(found.packets_per_batch, "packets")
    return opinion


def parse_pmd_stats(text: str) -> PmdStats:
    """``dpif-netdev/pmd-stats-show``: the thread that received most. Raises RunError for text
    without one."""
    found = [_thread(part) for part in re.split(r"^pmd thread ", text, flags=re.MULTILINE)[1:]]
    threads = [thread for thread in found if thread is not None]
    if not threads:
        raise RunError("no thread that forwards reports packets", "pmd-stats-show")
    return max(threads, key=lambda thread: thread.received)


def _thread(text: str) -> PmdStats | None:
    received = re.search(r"packets received: (\d+)", text)
    total = re.search(r"avg cycles per packet: ([\d.]+)", text)
    processing = re.search(r"avg processing cycles per packet: ([\d.]+)", text)
    if received is None or total is None or processing is None:
        return None  # a thread without packets has no averages
    hits = re.search(r"megaflow hits: (\d+)", text)
    failed = re.findall(r"miss with (?:success|failed) upcall: (\d+)", text)
    batch = re.search(r"avg\. packets per output batch: ([\d.]+)", text)
    return PmdStats(
        int(received[1]),
        float(total[1]),
        float(processing[1]),
        megaflow_hits=int(hits[1]) if hits else None,
        upcalls=sum(map(int, failed)) if failed else None,
        packets_per_batch=float(batch[1]) if batch else None,
    )
