"""PCIe: what a packet is expected to move between card and memory, and what counters say it did."""

from planecast.explain.pcie.backward import Interpretation, interpret
from planecast.explain.pcie.counts import LineRate, PcieCounts, pcie_counts, tells_of_pcie
from planecast.explain.pcie.forward import Expected, Ports, expected

__all__ = [
    "Expected",
    "Interpretation",
    "LineRate",
    "PcieCounts",
    "Ports",
    "expected",
    "interpret",
    "pcie_counts",
    "tells_of_pcie",
]
