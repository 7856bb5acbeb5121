"""The memory hierarchy that the model computes with, as the probe measured it."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BeforeValidator, Field

from planecast.instruments.machine_probe import MachineProbe
from planecast.scenario.model import Noun, listed

LINE_BYTES = 64
SMALL_PAGE_BYTES = 4096


class Level(Noun):
    """One cache level as it serves one core."""

    name: str
    size_bytes: Annotated[float, Field(gt=0)]
    """Bytes that this machine really gets of it."""
    latency_cycles: Annotated[float, Field(gt=0)]
    """TSC cycles of a hit."""
    shared: bool
    """All forwarding lcores share it; otherwise each has its own."""


class Hierarchy(Noun):
    """Caches, memory and address translation of a machine. Cycles are the TSC's."""

    tsc_hz: Annotated[float, Field(gt=0)]
    core_hz: Annotated[float, Field(gt=0)]
    """Clock that the core ran at while it was probed."""
    levels: Annotated[tuple[Level, ...], BeforeValidator(listed), Field(min_length=1)]
    """From the nearest to the last."""
    memory_latency_cycles: Annotated[float, Field(gt=0)]
    memory_line_cycles: Annotated[float, Field(gt=0)]
    """Least cycles that one core needs for a line from memory, with many misses in flight."""
    walk_cycles: Annotated[float, Field(ge=0)]
    """What a page walk adds to an access, beyond the reach of the TLB."""
    tlb_pages: Annotated[float, Field(gt=0)]
    """Small pages that the TLB reaches."""

    @classmethod
    def of(cls, probe: MachineProbe) -> Self:
        """The hierarchy of a probed machine. The last level counts as shared."""
        last = probe.levels[-1].name
        levels = []
        for level in probe.levels:
            # Who asks faster holds more of a shared cache; a data plane prefetches, so it does.
            size = level.fast_size_bytes or level.size_bytes
            levels.append(
                Level(
                    name=level.name,
                    size_bytes=size.value,
                    latency_cycles=level.latency_cycles.value,
                    shared=level.name == last,
                )
            )
        huge = [flight for flight in probe.flights if flight.page_size == "2MiB"]
        reach, walk = _translation(probe)
        return cls(
            tsc_hz=probe.tsc_hz,
            core_hz=probe.core_hz,
            levels=tuple(levels),
            memory_latency_cycles=probe.memory_latency_cycles.value,
            memory_line_cycles=min(
                (flight.chase_cycles.value for flight in huge),
                default=probe.memory_latency_cycles.value / 10,
            ),
            walk_cycles=walk,
            tlb_pages=reach,
        )

    def with_last_level(self, factor: float) -> Hierarchy:
        """The same with the last cache level `factor` times as large."""
        last = self.levels[-1]
        larger = last.model_copy(update={"size_bytes": last.size_bytes * factor})
        return self.model_copy(update={"levels": (*self.levels[:-1], larger)})


def _translation(probe: MachineProbe) -> tuple[float, float]:
    """(pages that the TLB reaches, cycles that a walk adds beyond them)."""
    costs = [
        (point.pages, max(0.0, point.small_cycles.value - point.huge_cycles.value))
        for point in probe.pages
        if point.huge_cycles is not None
    ]
    if not costs:
        return 1536.0, 0.0
    # The median over the larger sets: single points are as noisy as the shared cache is.
    beyond = sorted(extra for pages, extra in costs if pages >= 4096)
    walk = beyond[len(beyond) // 2] if beyond else costs[-1][1]
    reached = [pages for pages, extra in costs if extra < max(2.0, walk / 2)]
    return float(max(reached, default=64)), walk
