"""Cycles an instruction with cache misses: CPI = CPI_core + miss share * cycles that misses cost.

The vPE study regresses CPI on misses an instruction times their latency; its slope is the blocking
factor, the share of a latency that isn't hidden. `whole` below is the product of last-level
accesses an instruction, latency and blocking factor: what it would cost if every access missed.
Source: the vPE study, Fig 6; Clapp et al., IISWC 2015.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True)
class Stalls:
    """CPI of a program as a function of its last-level miss share."""

    core_cpi: float
    """With a last level that never misses."""
    whole: float
    """Cycles an instruction that misses add when every access misses, at `ghz`."""
    ghz: float

    @classmethod
    def of_loss(cls, core_cpi: float, ghz: float, few: float, many: float, loss: float) -> Self:
        """From how much throughput falls when the miss share rises from `few` to `many`.

        (core + few * w) = (1 - loss) * (core + many * w) gives w. Raises ValueError for what can't
        be: shares outside 0 to 1, fewer misses for more loss.
        """
        if not (0 <= few < many <= 1 and 0 <= loss < 1):
            raise ValueError(f"miss shares {few:g} to {many:g} with a loss of {loss:g}")
        kept = 1 - loss
        whole = core_cpi * loss / (kept * many - few)
        if whole < 0:
            raise ValueError(f"a loss of {loss:g} is more than these misses can cause")
        return cls(core_cpi, whole, ghz)

    def cpi(self, miss_share: float, ghz: float | None = None) -> float:
        """CPI at a miss share and core clock; a miss takes its nanoseconds at any clock."""
        return self.core_cpi + miss_share * self.whole * (ghz or self.ghz) / self.ghz


def footprint_of(few: float, many: float, small_bytes: float) -> float:
    """Bytes of a footprint touched at random that misses `many` in `small_bytes` and else `few`.

    `few` misses at any size: what is new each time. many = few + (1 - few) * (1 - small/footprint).
    """
    return small_bytes / (1 - (many - few) / (1 - few))


def miss_share(size_bytes: float, footprint_bytes: float, always: float) -> float:
    """Miss share of that footprint in a cache of a size. Never rises with it."""
    return always + (1 - always) * max(0.0, 1 - size_bytes / footprint_bytes)
