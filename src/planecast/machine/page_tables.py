"""Page tables: a walk loads a line of them, which caches hold or evict as they do a table's own.

An entry has eight bytes, so one line translates eight pages. Where a table takes page walks
(`machine.tlb`), these lines compete for the caches with all others: in pages of 4 KiB with those of
the guest's own page table, and where a guest's host maps memory by 4 KiB with those of the host's,
in pages of any size. Levels above are of a few lines, which stay near. Independent walks overlap,
as many as a core has page walkers, as probed (`Hierarchy.walks_at_once`). That the level that
serves a line decides how long a walk takes, and that walkers limit how many overlap:
Bhargava et al., ASPLOS 2008 (nested walks); AMD, Software Optimization Guide for Family 17h
(several walkers). Chosen by cross-validation (docs/lab-notes/2026-11-28-page-tables.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planecast.machine.hierarchy import Hierarchy
from planecast.machine.mechanism import Term, Values
from planecast.machine.overlap import LOADED
from planecast.machine.tlb import LARGE, USUAL_LARGE, Tlb, walks_of
from planecast.workload.profile import WorkloadProfile
from planecast.workload.regions import Overlap, Region

Floats = NDArray[np.float64]

ENTRIES_PER_LINE = 8
"""Of 64 bytes; x86-64's and Arm's are eight each."""
NEAR_LINES = 128
"""Of a table's page table, those that stay in a first-level cache, a quarter of it: a walk of them
takes what `machine.tlb` says. They are not counted, which spares small tables a region each."""

_LEAST = 1e-9


class PageTable(NamedTuple):
    """What translates one table's pages, in many scenarios: arrays of shape (scenarios,)."""

    region: Region
    own: Floats
    """Share of its waits that are for the guest's; the others are for its host's."""
    waited: Floats
    """Waits a line that is touched."""

    def costs(self, of_line: tuple[Floats, Floats, Floats]) -> tuple[Floats, Floats, Floats]:
        """TSC cycles a touch, by what a line takes that is waited for."""
        second, last, memory = (cost * self.waited for cost in of_line)
        return second, last, memory

    def terms(self, costs: Sequence[Floats], waits: Floats) -> list[Term]:
        """What its stage waits for, from TSC cycles a touch and waits a touch of the levels, of
        shape (levels, scenarios)."""
        cycles = sum(cost * each for cost, each in zip(costs, waits, strict=True))
        cycles = np.asarray(cycles * self.region.touches)
        stage, cause = self.region.stage, Tlb.cause
        return [
            Term(stage, cause, (LOADED,), cycles * self.own),
            Term(stage, cause, (LOADED, LARGE), cycles * (1.0 - self.own)),
        ]


def page_tables(
    profile: WorkloadProfile, hierarchy: Hierarchy, values: Values
) -> tuple[PageTable, ...]:
    """Those of a profile's tables that take walks."""
    if not profile.pages:
        return ()
    own = profile.small_pages.astype(np.float64)
    large = values.get(LARGE, 0.0)
    # The host's take room as they usually do, whatever share of walks is fitted: so what they cost
    # is proportional to it.
    kinds = own + (USUAL_LARGE if large else 0.0)
    at_once = np.full_like(own, hierarchy.walks_at_once)
    walks = walks_of(profile, hierarchy)
    lines = [kinds * table.lines / _entries(table) for table in profile.pages]
    near = _near_shares(profile.pages, lines)
    every = (
        _region(table, here, kinds, touched * (1.0 - kept), at_once)
        for table, here, touched, kept in zip(
            profile.pages, lines, kinds * walks, near, strict=True
        )
    )
    share, waited = own / np.maximum(own + large, _LEAST), (own + large) / np.maximum(kinds, _LEAST)
    return tuple(PageTable(region, share, waited) for region in every if np.any(region.touches))


def _entries(table: Region) -> Floats | float:
    """Of a line, those that translate pages which are touched."""
    apart = 1.0 if table.stride is None else table.stride
    return np.clip(ENTRIES_PER_LINE / apart, 1.0, ENTRIES_PER_LINE)


def _near_shares(tables: Sequence[Region], lines: Sequence[Floats]) -> list[Floats]:
    """By table, the share of its page table's lines that stays near: regions of one table, such as
    those of several classes of flows, have that room together."""
    every: dict[tuple[str, str], Floats | float] = {}
    for table, own in zip(tables, lines, strict=True):
        every[table.stage, table.name] = own + every.get((table.stage, table.name), 0.0)
    totals = [every[table.stage, table.name] for table in tables]
    return [np.minimum(NEAR_LINES / np.maximum(total, _LEAST), 1.0) for total in totals]


def _region(table: Region, lines: Floats, kinds: Floats, walks: Floats, at_once: Floats) -> Region:
    """So many lines of the page tables of so many kinds; those of a table whose pages are touched
    in order are touched once for all pages that they translate."""
    entries = _entries(table)
    return Region(
        stage=table.stage,
        name=f"page table of {table.name}",
        cyclic=table.cyclic,
        lines=np.maximum(lines, _LEAST),
        touches=walks / (entries if table.cyclic else 1.0),
        pages=np.zeros_like(kinds),
        total_lines=np.maximum(kinds * table.total_lines / entries, _LEAST),
        overlap=Overlap.INDEPENDENT,
        in_flight=at_once,
    )
