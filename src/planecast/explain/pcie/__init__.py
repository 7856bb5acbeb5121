"""PCIe: what a packet is expected to move between card and memory, and what counters say it did."""

from planecast.explain.pcie.backward import interpret
from planecast.explain.pcie.counts import is_of_pcie, pcie_counts
from planecast.explain.pcie.forward import Ports, expected

__all__ = [
    "Ports",
    "expected",
    "interpret",
    "is_of_pcie",
    "pcie_counts",
]
