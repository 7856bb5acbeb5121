"""Polls: what a DPDK program that forwards at full speed does with each poll of its port, as the
meter counts them; and what that says of the program (`Program.opinion`)."""

from __future__ import annotations

from planecast.results.estimate import Estimate
from planecast.scenario.model import Noun

PROGRAM = "program"
"""Name of an opinion: TSC cycles of all polls, over the packets."""
PROCESSING = "program processing"
"""The same of polls that found packets."""
RX, TX = "of it rx", "of it tx"
"""What the drivers' functions took of that, receiving and sending."""
BURST = "burst"
"""Packets that a poll found which found some."""


class Polls(Noun):
    """Polls of a port, and the TSC cycles from each to the next. What the program does between them
    is in it: sending, and polls of other ports."""

    packets: int
    polls: int
    """That found packets."""
    empty_polls: int
    """That found none."""
    busy_cycles: int
    """Of polls that found packets."""
    rx_cycles: int
    """Of these, in the driver's receive function."""
    tx_cycles: int
    """In the send function of the port that packets leave by."""
    empty_cycles: int
    away_polls: int
    """Left out: the thread was preempted in them."""

    def opinion(self) -> dict[str, Estimate]:
        """As estimates; nothing without packets."""
        if self.packets == 0:
            return {}

        def said(value: float, unit: str) -> Estimate:
            return Estimate(value=value, samples=self.packets, unit=unit, kind="measured")

        every = self.busy_cycles + self.empty_cycles
        return {
            PROGRAM: said(every / self.packets, "cycles/packet"),
            PROCESSING: said(self.busy_cycles / self.packets, "cycles/packet"),
            RX: said(self.rx_cycles / self.packets, "cycles/packet"),
            TX: said(self.tx_cycles / self.packets, "cycles/packet"),
            BURST: said(self.packets / self.polls, "packets"),
        }
