"""Carrying cycles a packet from one microarchitecture to another by what the two are made of.

Slots lost to the frontend shrink as decoding gets wider. Slots lost to the backend shrink with
whatever the backend is short of, each part taken to be lacking as often as the others:

- of the core: reorder buffer, scheduler, store buffer, bytes a cycle from and to L1
  (`near_factor`);
- of the caches: lines under way to L1, and what L2 misses, which follows the square root of its
  size (Hartstein et al., 2006) and takes the last level's latency (`backend_factor` has both).

What waits for its own results waits as long in any of them: backend slots of programs that are
bound by dependent instructions stay. So do instructions, retired slots and mispredictions. Nothing
is fitted: every program's change follows from its own top-down shares alone.
"""

from __future__ import annotations

import math

from planecast.machine.slots import Slots
from planecast.scenario.machine import CoreValues

ERROR_SHARE = 0.6
"""Error of published changes of cycles, as a share of the logarithm of what is computed here
(standard deviation): 12 programs of the SKX document, and the vPE study's core CPI
(`reproduce.rate_priors`; a test holds it)."""

_OF_THE_CORE = ("reorder_buffer", "scheduler", "store_buffer", "l1_load_bytes", "l1_store_bytes")


def near_factor(old: CoreValues, new: CoreValues) -> float:
    """How many times as many slots the new backend loses with every access near."""
    return _mean([_ratio(old, new, key) for key in _OF_THE_CORE])


def backend_factor(old: CoreValues, new: CoreValues) -> float:
    """How many times as many slots the new backend loses, misses of L1 and L2 among them."""
    beyond = math.sqrt(_ratio(old, new, "l2_kib")) / _ratio(old, new, "l3_latency_cycles")
    lines = _ratio(old, new, "line_fill_buffers")
    return _mean([*(_ratio(old, new, key) for key in _OF_THE_CORE), lines, beyond])


def slots_factor(retired: float, old: CoreValues, new: CoreValues, waits: float) -> float:
    """Cycles on the new cores over those on the old ones: slots that retire, a share of the old
    ones, by the width; the others times `waits` (`near_factor` or `backend_factor`)."""
    return retired * old.issue_width.value / new.issue_width.value + (1 - retired) * waits


def _ratio(old: CoreValues, new: CoreValues, key: str) -> float:
    return float(getattr(old, key).value / getattr(new, key).value)


def _mean(ratios: list[float]) -> float:
    return sum(ratios) / len(ratios)


def carried_cycles(
    cycles: float, slots: Slots, old: CoreValues, new: CoreValues, *, dependent: bool = False
) -> float:
    """Cycles a packet on the new cores, of as many slots a cycle as the old ones count.

    `dependent`: what its backend waits for are its own results.
    """
    return cycles * sum(_carried(slots, old, new, dependent)) / 100


def carried_slots(
    slots: Slots, old: CoreValues, new: CoreValues, *, dependent: bool = False
) -> Slots:
    """The top-down shares that go with `carried_cycles`."""
    parts = _carried(slots, old, new, dependent)
    whole = sum(parts)
    return Slots(*(100 * part / whole for part in parts))


def _carried(
    slots: Slots, old: CoreValues, new: CoreValues, dependent: bool
) -> tuple[float, float, float, float]:
    """What is left of the old slots, part by part, in percent of the old whole."""
    frontend = old.decode_width.value / new.decode_width.value
    backend = 1.0 if dependent else backend_factor(old, new)
    return (
        slots.retiring,
        slots.bad_speculation,
        slots.frontend * frontend,
        slots.backend * backend,
    )
