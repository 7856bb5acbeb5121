"""PCIe: what a packet is expected to move between card and memory, and what counters say it did."""

from planecast.explain.pcie.backward import Interpretation, interpret
from planecast.explain.pcie.counts import LineRate, PcieCounts, is_of_pcie, pcie_counts
from planecast.explain.pcie.forward import Expected, Ports, expected

__all__ = [
    "Expected",
    "Interpretation",
    "LineRate",
    "PcieCounts",
    "Ports",
    "expected",
    "interpret",
    "is_of_pcie",
    "pcie_counts",
]
