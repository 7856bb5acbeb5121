"""Accelerator: a device that serves a stage, for the simulator."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from planecast.scenario.model import Count, Noun, OfferedRate


class Accelerator(Noun):
    """A device that serves one stage instead of the core. The simulator's alone.

    Lcores that run the same stage have engines and a queue of their own each.
    """

    stage: str = "none"
    """The stage that it serves; none: there is no device."""
    mode: Literal["sync", "lookaside"] = "sync"
    """sync: the core waits for a burst's results; lookaside: it continues and polls for them."""
    pps: OfferedRate = None
    """Packets a second of all engines together; null: it takes them at once."""
    engines: Annotated[Count, Field(ge=1, le=256)] = 1
    """Engines that work side by side, each on one packet."""
    latency_ns: Annotated[float, Field(ge=0, le=1e9)] = 0.0
    """There and back, for each packet; overlaps with other packets'."""
    queue: Annotated[Count, Field(ge=1, le=1 << 20)] = 1024
    """lookaside: packets inside at most; more are dropped."""
    core_cycles: Annotated[float, Field(ge=0, le=1e6)] = 0.0
    """TSC cycles a packet that the core takes to hand it over and to get it back."""
