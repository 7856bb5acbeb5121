"""Carrying cycles a packet from one microarchitecture to another by what the two are made of.

Slots lost to the frontend shrink as decoding gets wider. Slots lost to the backend shrink with the
buffers whose lack is what the backend is short of: reorder buffer, scheduler and store buffer, each
taken to be lacking as often as the others. Instructions, retired slots and mispredictions stay.
Nothing is fitted, so every program's change follows from its own top-down shares alone.
"""

from __future__ import annotations

from planecast.model.slots import Slots
from planecast.scenario.machine import CoreValues


def backend_factor(old: CoreValues, new: CoreValues) -> float:
    """How many times as many slots the new backend loses."""
    ratios = [
        getattr(old, key).value / getattr(new, key).value
        for key in ("reorder_buffer", "scheduler", "store_buffer")
    ]
    return float(sum(ratios) / len(ratios))


def carried_cycles(cycles: float, slots: Slots, old: CoreValues, new: CoreValues) -> float:
    """Cycles a packet on the new cores, of as many slots a cycle as the old ones count."""
    frontend = old.decode_width.value / new.decode_width.value
    left = (
        slots.retiring
        + slots.bad_speculation
        + slots.frontend * frontend
        + slots.backend * backend_factor(old, new)
    )
    return cycles * left / 100


def carried_slots(slots: Slots, old: CoreValues, new: CoreValues) -> Slots:
    """The top-down shares that go with `carried_cycles`."""
    frontend = slots.frontend * old.decode_width.value / new.decode_width.value
    backend = slots.backend * backend_factor(old, new)
    whole = slots.retiring + slots.bad_speculation + frontend + backend
    parts = (slots.retiring, slots.bad_speculation, frontend, backend)
    return Slots(*(100 * part / whole for part in parts))
