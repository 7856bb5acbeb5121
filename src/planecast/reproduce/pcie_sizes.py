"""PCIe transfers a second by size, all sizes that were measured on one host.

What a device takes for each further piece of 128 bytes, and for odd lengths of reads, is fitted to
all sizes but the one that is predicted (`machine.pcie.Device`). Transfers of 16 bytes, too few to
fill the link, go in: what the device takes for the first piece.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from planecast.machine.pcie import PIECE_BYTES, Device, Link
from planecast.reproduce.claim import (
    Alternative,
    Claim,
    Refusal,
    Table,
    against,
    checks_of,
    entered,
    error_percent,
    figured,
    mean_baseline,
    mean_goal,
)
from planecast.reproduce.documents import Figure
from planecast.reproduce.measured import absent, rows_of
from planecast.reproduce.provenance import Traced, read

HOST = "pcie-bench/snb-Xeon-E5-2630_dell-t620"
LINK = Link.of("gen3x8")
FIRST = 16
Test = Literal["BW_DMA_WR", "BW_DMA_RD"]
_MORE_NS = np.arange(5.0, 30.0, 0.25)
_ODD_NS = {"BW_DMA_WR": np.zeros(1), "BW_DMA_RD": np.arange(0.0, 10.0, 0.5)}
"""Odd lengths take longer where a completion ends within 4 bytes; a write is sent as it is."""

Times = dict[int, float]


def table() -> Table:
    """All sizes of writes and reads."""
    title = "PCIe transfers by size, Sandy Bridge host, gen3 x8"
    rows = rows_of(f"{HOST}/bw_dma_sz_sweep.csv")
    if not rows:
        return absent(2, title)
    claims: list[Claim] = []
    lines: list[float] = []
    links: list[float] = []
    for test in ("BW_DMA_WR", "BW_DMA_RD"):
        found = {int(r["SZ"]): 1e9 / float(r["Trans/s"]) for r in rows if r["Test"] == test}
        first = Figure(value=1e3 / found[FIRST], unit="M/s", place=test)
        what = "transfers of 16 B: the device's first piece"
        claims.append(entered(_id(test, FIRST), f"{test}.{FIRST}B", what, first))
        for size in sorted(found)[1:]:
            ours = Traced.of(_predicted, test, size, found)
            figure, ids = figured(_measured, test, size, found)
            straight = 1e3 / _on_a_line(size, found)
            lines.append(error_percent(straight, figure))
            alone = 1e3 / max(found[FIRST], link_ns(test, size))
            links.append(error_percent(alone, figure))
            other = Alternative("a line of time over size, through the other sizes", straight)
            what, key = f"{test}, {size} B", f"{test}.{size}B"
            claims.append(against(key, what, ours, figure, ids, bound=10.0, alternative=other))
    checks = checks_of(claims)
    return Table(
        number=2,
        title=title,
        claims=tuple(claims),
        goals=(mean_goal("pcie.mean", "mean error of transfers a second, all sizes", checks, 8.0),),
        baselines=(
            mean_baseline("pcie.line", "a line of time over size", checks, lines),
            mean_baseline("pcie.link", "the link and 16 B transfers alone", checks, links),
        ),
        refusals=(
            Refusal(
                what="writes and reads in turn (BW_DMA_RW)",
                rows=sum(r["Test"] == "BW_DMA_RW" for r in rows),
                why="how the device overlaps the two isn't known",
            ),
        ),
        notes=(
            "pieces of 128 B are the device's: on hosts with other processors its writes take the "
            "same time to three digits; completions of 256 B are assumed",
        ),
    )


def link_ns(test: str, size: int) -> float:
    """Nanoseconds of the link for a transfer."""
    return LINK.ns(LINK.write_bytes(size) if test == "BW_DMA_WR" else LINK.read_bytes(size))


def _id(test: str, size: int) -> str:
    return f"{HOST}:{test}.{size}B"


def _measured(test: str, size: int, found: Times) -> Figure:
    return Figure(value=1e3 / read(_id(test, size), found[size]), unit="M/s", place=test)


def _predicted(test: Test, size: int, found: Times) -> float:
    """Million transfers a second, from those of all other sizes."""
    others = {one: read(_id(test, one), ns) for one, ns in found.items() if one != size}
    device = fitted(test, others)
    return 1e3 / device.ns(size, link_ns(test, size))


def fitted(test: Test, times: Times) -> Device:
    """The device whose times are nearest to these, by the mean of relative errors."""
    sizes = [size for size in sorted(times) if size != FIRST]
    pieces = np.ceil(np.array(sizes) / PIECE_BYTES)
    link = np.array([link_ns(test, size) for size in sizes])
    odd = np.array([size % 4 > 0 for size in sizes])
    more, extra = np.meshgrid(_MORE_NS, _ODD_NS[test], indexing="ij")
    busy = np.maximum(times[FIRST] + more[..., None] * (pieces - 1), link + extra[..., None] * odd)
    wanted = np.array([times[size] for size in sizes])
    off = np.abs(np.log(busy / wanted)).sum(axis=-1)
    best = np.unravel_index(int(np.argmin(off)), off.shape)
    return Device(times[FIRST], float(more[best]), float(extra[best]))


def _on_a_line(size: int, found: Times) -> float:
    """Nanoseconds on the line through all other sizes, by relative errors."""
    others: Sequence[int] = [one for one in found if one != size]
    times = np.array([found[one] for one in others])
    slope, start = np.polyfit(others, times, 1, w=1 / times)
    return float(max(start + slope * size, min(times)))
