"""MachineProbe: what a machine's caches, memory and cores do, as measured."""

from __future__ import annotations

from itertools import takewhile
from statistics import median
from typing import Annotated, NamedTuple

from pydantic import BeforeValidator

from planecast.cache_line import LINE_BYTES
from planecast.instruments.host_state import HostState
from planecast.results.estimate import Estimate
from planecast.scenario.model import Noun, listed

FAST_WIDTH = 8
"""Chases at once of what is measured together."""
_MOST_PAGES = 2
"""Of the rising numbers of pages, those that are taken for many."""


class Probed(Noun, extra="ignore"):
    """Of a probe: one that was recorded by an earlier version has more in it."""


class CurvePoint(Probed):
    """One working set of a latency curve."""

    size_bytes: int
    """Its lines times 64."""
    cycles: Estimate
    """TSC cycles a line: the 10th percentile of undisturbed slices."""


class PagePoint(Probed):
    """A chase with one line in each 4 KiB, over so many of them."""

    pages: int
    """4 KiB pages, and lines."""
    small_cycles: Estimate
    """TSC cycles a hop when they are 4 KiB pages."""
    huge_cycles: Estimate | None
    """TSC cycles a hop over the same lines in 2 MiB pages."""
    small_together_cycles: Estimate | None = None
    """TSC cycles a line with eight chases at once, 4 KiB pages; None where it isn't measured."""
    huge_together_cycles: Estimate | None = None
    """The same lines in 2 MiB pages."""


class Translation(NamedTuple):
    """What address translation costs with 4 KiB pages."""

    pages: float
    """4 KiB pages that the TLB reaches at least: the most of a chase without walks."""
    walk_cycles: float
    """TSC cycles that a walk adds to one access beyond them."""
    together_cycles: float
    """The same a line, with eight asked for at once: walks overlap."""
    lone_cycles: float
    """What a walk adds to one access in pages that lie in no order, as a heap's do; at least
    `walk_cycles`."""
    at_once: float | None = None
    """Walks that the core does together; None where no chase beyond the TLB shows it."""
    beyond: tuple[int, float] | None = None
    """(The next larger chase's pages, share of its touches that took walks); None: not known."""


class FlightPoint(Probed):
    """Lines of memory fetched with so many misses in flight."""

    width: int
    """Independent accesses at a time."""
    page_size: str
    """``4KiB`` or ``2MiB``."""
    prefetch_cycles: Estimate
    """TSC cycles a line when `width` are prefetched, then all are used, then the next batch
    begins."""


class CacheLevel(Probed):
    """A cache as it serves this CPU."""

    name: str
    """L1, L2, LLC."""
    claimed_bytes: int
    """Its size in bytes as the kernel reports it."""
    size_bytes: Estimate
    """Where a chase leaves it, half-way up to the next level's latency."""
    fast_size_bytes: Estimate | None
    """The same for eight chases at once: who asks faster holds more of a shared cache."""
    ways: int | None
    """Ways of associativity as the kernel reports it."""
    latency_cycles: Estimate
    """TSC cycles of a hit."""


class CpuPair(Probed):
    """Whether two CPUs are hyper-threads of one core."""

    other: int
    """The one that was idle or busy while the measured one worked."""
    siblings: bool
    """They share a core: the canary costs more than 1.2 times as much with `other` busy."""


class LineTransfer(Probed):
    """What cache lines cost that another CPU wrote last. TSC cycles a line."""

    other: int
    """The one that had written."""
    alone_cycles: Estimate
    """One line that is waited for: half a round trip."""
    read_cycles: Estimate
    """Many that are read together, lying as packet buffers do."""
    write_cycles: Estimate
    """Many that are written together without being read."""


class MachineProbe(Probed):
    """What was found on a host. All cycles are of the time-stamp counter, not of the core."""

    probed_at: str
    """UTC, ISO 8601."""
    cpu: int
    """The CPU that was measured."""
    cpu_model: str
    """As the kernel reports it."""
    tsc_hz: float
    """Frequency of the time-stamp counter, measured."""
    core_hz: float
    """Frequency at which the core ran: it does one dependent addition a cycle."""
    levels: Annotated[tuple[CacheLevel, ...], BeforeValidator(listed)]
    """From the nearest to the last one."""
    memory_latency_cycles: Estimate
    """TSC cycles of a random access to memory in 2 MiB pages."""
    fast_curve: Annotated[tuple[CurvePoint, ...], BeforeValidator(listed)]
    """TSC cycles a line with eight chases at once, 2 MiB pages."""
    pages: Annotated[tuple[PagePoint, ...], BeforeValidator(listed)]
    """What page walks cost, by number of pages."""
    flights: Annotated[tuple[FlightPoint, ...], BeforeValidator(listed)]
    """Memory-level parallelism, over the largest working set."""
    stream_bytes_per_second: Estimate
    """Reading memory in order, one core."""
    pairs: Annotated[tuple[CpuPair, ...], BeforeValidator(listed)]
    """CPUs that share a core with the measured one, or not."""
    transfers: Annotated[tuple[LineTransfer, ...], BeforeValidator(listed)] = ()
    """Lines from other CPUs' caches; none on a machine with one CPU."""
    state: HostState | None = None
    """What the other tenants change, when the rest was measured; None in probes of before."""
    notes: Annotated[tuple[str, ...], BeforeValidator(listed)]
    """What a reader has to know about these numbers."""

    def translation(self) -> Translation:
        """What 4 KiB pages cost compared with 2 MiB ones; no cost where no 2 MiB pages were to be
        had.

        A walk's cost is that of the most pages there are, if that is more: where neighbouring pages
        share TLB entries, some thousand pages in order hardly show one. (A recorded Zen 4 guest:
        11, 12, 15, 22 and 33 cycles at 4,096 to 65,536 pages.)
        """
        alone = [
            (point.pages, max(0.0, point.small_cycles.value - point.huge_cycles.value))
            for point in self.pages
            if point.huge_cycles is not None
        ]
        if not alone:
            return Translation(1536.0, 0.0, 0.0, 0.0)
        together = [
            max(0.0, point.small_together_cycles.value - point.huge_together_cycles.value)
            for point in self.pages
            if point.small_together_cycles is not None and point.huge_together_cycles is not None
        ]
        # Those chased together, too, are beyond a TLB and their lines still in an L2: beyond that
        # the shared cache's noise may be larger than a walk.
        beyond = [
            max(0.0, point.small_cycles.value - point.huge_cycles.value)
            for point in self.pages
            if point.small_together_cycles is not None and point.huge_cycles is not None
        ]
        near = median(beyond) if beyond else alone[-1][1]
        walk = max(near, median(cost for _, cost in sorted(alone)[-_MOST_PAGES:]))
        overlapped = walk * median(together) / near if together and near > 0 else walk
        if self._most_walks(1):
            walk, overlapped = median(self._most_walks(1)), median(self._most_walks(FAST_WIDTH))
        reach = takewhile(lambda point: point[1] < max(2.0, near / 2), sorted(alone))
        reached = max((pages for pages, _ in reach), default=64)
        scattered = self._walks("scattered", 1)
        lone = max(walk, median(scattered)) if scattered else walk
        return Translation(
            float(reached),
            walk,
            overlapped,
            lone,
            self._walks_at_once(reached),
            self._walked_beyond(reached),
        )

    def _walked_beyond(self, reached: int) -> tuple[int, float] | None:
        """Of the chase over the fewest pages beyond these, between one without walks and the next
        larger one, all of whose touches take walks."""
        chases = {point.pages: point.small_cycles.value for point in self.pages}
        known = [pages for pages in sorted(chases) if pages >= reached][:3]
        if len(known) < 3:
            return None
        least, some, most = (chases[pages] for pages in known)
        share = (some - least) / max(most - least, 1e-9)
        return known[1], min(max(share, 0.0), 1.0)

    def _walks_at_once(self, reached: int) -> float | None:
        """How many times as long a lone walk takes as one of many, of the fewest pages beyond those
        that the TLB reaches: their page tables' lines lie near, so only the walkers limit."""
        for point in sorted(self.pages, key=lambda one: one.pages):
            together = point.small_together_cycles
            if point.pages > reached and together is not None:
                lines = point.pages * LINE_BYTES
                held = next(
                    (v for v in self.levels if v.size_bytes.value >= lines), self.levels[-1]
                )
                lone = point.small_cycles.value - held.latency_cycles.value
                return min(max(lone / together.value, 1.0), float(FAST_WIDTH))
        return None

    def _most_walks(self, width: int) -> list[float]:
        """Of the most pages in order."""
        return self._walks("in_order", width)[-_MOST_PAGES:]

    def _walks(self, placed: str, width: int) -> list[float]:
        """TSC cycles of a walk, by rising pages; none where the state is unknown."""
        known = self.state.walks if self.state is not None else ()
        found = [p for p in known if p.placed == placed and p.width == width]
        return [p.walk_cycles for p in sorted(found, key=lambda p: p.pages)]

    @property
    def stream_lines_per_cycle(self) -> float:
        """Lines a TSC cycle that one CPU reads from memory in order."""
        if self.state is not None:
            return self.state.stream_lines_per_cycle.value
        return self.stream_bytes_per_second.value / LINE_BYTES / self.tsc_hz

    @property
    def llc(self) -> CacheLevel:
        """The last level of cache."""
        return self.levels[-1]
