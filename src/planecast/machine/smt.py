"""Two threads on a core: the second one uses slots that the first leaves empty.

Throughput of the core grows by `use` times the share of slots that one thread alone leaves empty,
whatever the reason: waiting for memory, for a branch, for instructions. `use` is one number for all
programs; it is what SMT, which shares caches and buffers, makes of empty slots.
"""

from __future__ import annotations

from collections.abc import Sequence

from planecast.machine.slots import Slots

FORWARDERS_USE = 0.48
"""`use` over the six published forwarders at 2.2 GHz (`reproduce bsdp` fits it again)."""


def speedup(alone: Slots, use: float = FORWARDERS_USE) -> float:
    """Throughput of a core with two threads of a program over that with one; 1 to 2."""
    return 1 + max(0.0, min(1.0, use)) * alone.empty


def fitted_use(alone: Sequence[Slots], speedups: Sequence[float]) -> float:
    """The `use` that fits measured speed-ups best, by least squares of relative error."""
    weights = [slots.empty / up for slots, up in zip(alone, speedups, strict=True)]
    gains = [(up - 1) / up for up in speedups]
    return sum(w * g for w, g in zip(weights, gains, strict=True)) / sum(w * w for w in weights)


def busy_sibling_slowdown(alone: Slots, use: float = FORWARDERS_USE) -> float:
    """How many times a packet's cycles rise when a like thread runs on the sibling."""
    return 2 / speedup(alone, use)
