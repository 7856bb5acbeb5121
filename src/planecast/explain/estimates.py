"""The estimates that explanations are made of, by how sure they are."""

from __future__ import annotations

from planecast.results.estimate import Estimate


def counted(instructions: float) -> Estimate:
    """Instructions a packet that an instrument counted."""
    return Estimate(value=instructions, samples=1, unit="instructions/packet", kind="measured")


def exact_cycles(cycles: float) -> Estimate:
    """Cycles a packet that follow from what was counted."""
    return Estimate(value=cycles, low=cycles, high=cycles, unit="cycles/packet", kind="computed")


def bounded_cycles(value: float, most: float) -> Estimate:
    """Cycles a packet of which no more is known than that they are no more than `most`."""
    return Estimate(
        value=value, low=0.0, high=max(value, most), unit="cycles/packet", kind="computed"
    )
