"""Backward: from counted lines to what card, cache and driver do with each packet.

Lines beyond those of the frames are descriptors. Full ones that are written hold Rx descriptors
that came together; writes of part of a line are Tx write-backs, and for the rest Rx descriptors
that didn't fill a line. Source: Benchmarking and Analysis of Software Data Planes, Table 17 and
section 8.5.
"""

from __future__ import annotations

import math
from typing import Annotated

from pydantic import BeforeValidator

from planecast.cache_line import LINE_BYTES
from planecast.errors import InputError
from planecast.explain.pcie.counts import PcieCounts
from planecast.explain.pcie.forward import Expected, Ports, expected
from planecast.results.result import Texts
from planecast.scenario.model import Noun, listed

MMIO_READS_LOW = 1000.0
"""MMIO reads a second that are few: the document speaks of a few hundreds."""
MMIO_WRITES_A_CORE = 1e6
"""MMIO writes a second of a core that a well-made driver stays under."""
HITS_GOOD = 0.9
"""Share of hits below which buffers leave the cache between uses."""
NEAR = 0.1
"""Counted and expected that differ by less, relatively, agree: tools print two or three digits."""


class Comparison(Noun):
    """A count next to what was expected, a packet."""

    what: str
    counted: float
    """Lines or transactions a packet."""
    least: float
    most: float

    @property
    def agrees(self) -> bool:
        """Whether it lies between least and most, or near them."""
        return (1 - NEAR) * self.least <= self.counted <= (1 + NEAR) * self.most


class Interpretation(Noun):
    """What the counters say of PCIe."""

    comparisons: Annotated[tuple[Comparison, ...], BeforeValidator(listed)]
    read_hit_share: float | None
    """Share of the card's reads that the last-level cache served."""
    write_hit_share: float | None
    """The same of its writes, full and partial: DDIO's hits."""
    coalesced_rx_share: float | None
    """Share of Rx descriptors that were written back as full lines; None for frames that end inside
    a line, whose partial writes can't be distinguished from descriptors'."""
    rx_descriptors_per_partial_write: float | None
    """Rx descriptors in each write-back that didn't fill a line."""
    packets_per_tail_update: float | None
    read_bytes_per_packet: float
    write_bytes_per_packet: float
    """Partial writes count as full lines, as in the counters."""
    findings: Texts
    """What follows, as sentences."""
    out_of_line: Texts
    """What is not as it should be, and what to do."""


def interpret(
    counts: PcieCounts, pps: float, ports: Ports, *, cores: int | None = None
) -> Interpretation:
    """What counters a second say of ports that pass `pps` packets a second, used by `cores`.

    Raises InputError for a packet rate that isn't positive.
    """
    if not pps > 0:
        raise InputError(
            f"got {pps:g} packets a second", "PCIe counters", "give the number of packets"
        )
    per_packet = expected(ports)
    coalesced, together = _write_backs(counts, pps, ports)
    read, written = _bytes(counts)
    writes = [counts.full_write, counts.partial_write]
    known = [r for r in writes if r.hit is not None and r.miss is not None]
    hits, misses = sum(r.hit or 0 for r in known), sum(r.miss or 0 for r in known)
    found = Interpretation(
        comparisons=_comparisons(counts, pps, per_packet),
        read_hit_share=counts.read.hit_share,
        write_hit_share=hits / (hits + misses) if hits + misses else None,
        coalesced_rx_share=coalesced,
        rx_descriptors_per_partial_write=together,
        packets_per_tail_update=2 * pps / counts.mmio_write.total
        if counts.mmio_write.total
        else None,
        read_bytes_per_packet=read / pps,
        write_bytes_per_packet=written / pps,
        findings=(),
        out_of_line=(),
    )
    return found.model_copy(
        update={
            "findings": (*_findings(found), *_tails(counts, cores)),
            "out_of_line": tuple(_out_of_line(found, counts, cores)),
        }
    )


def _comparisons(counts: PcieCounts, pps: float, one: Expected) -> tuple[Comparison, ...]:
    rows = (
        ("lines read", counts.read.total, one.read_lines, one.read_lines),
        ("full lines written", counts.full_write.total, one.full_lines_least, one.full_lines_most),
        (
            "partial writes",
            counts.partial_write.total,
            one.partial_writes_least,
            one.partial_writes_most,
        ),
        ("tail updates", counts.mmio_write.total, one.mmio_writes, one.mmio_writes),
    )
    return tuple(
        Comparison(what=what, counted=rate / pps, least=least, most=most)
        for what, rate, least, most in rows
        if rate or counts.read_bytes is None  # the I/O controllers count bytes alone
    )


def _write_backs(counts: PcieCounts, pps: float, ports: Ports) -> tuple[float | None, float | None]:
    """(share of Rx descriptors in full lines, descriptors in each partial write-back)."""
    if ports.frame_bytes % LINE_BYTES or not counts.full_write.total:
        return None, None
    a_line = LINE_BYTES / ports.rx_descriptor_bytes
    lines = counts.full_write.total - pps * (ports.frame_bytes // LINE_BYTES)
    coalesced = min(max(lines * a_line, 0.0), pps)
    partial = counts.partial_write.total - pps / ports.tx_write_back_every
    rest = pps - coalesced
    return coalesced / pps, rest / partial if partial > 0 else None


def _bytes(counts: PcieCounts) -> tuple[float, float]:
    read = counts.read.total * LINE_BYTES
    written = (counts.full_write.total + counts.partial_write.total) * LINE_BYTES
    return (
        read if counts.read_bytes is None else counts.read_bytes,
        written if counts.write_bytes is None else counts.write_bytes,
    )


def _findings(found: Interpretation) -> list[str]:
    said = []
    if found.write_hit_share is not None:
        said.append(
            f"{found.write_hit_share:.1%} of the card's writes hit the last-level cache: "
            + (
                "buffers are used again while they are still in it"
                if found.write_hit_share >= HITS_GOOD
                else "buffers have left it before they are used again"
            )
        )
    if found.read_hit_share is not None:
        said.append(f"{found.read_hit_share:.1%} of its reads are served from the cache")
    if found.coalesced_rx_share is not None:
        share = found.coalesced_rx_share
        much = "less than half" if share < 0.5 else "half or more"
        said.append(
            f"{share:.0%} of the Rx descriptors ({much}) are written back as full lines"
            + (
                f"; the others {found.rx_descriptors_per_partial_write:.1f} at a time"
                if found.rx_descriptors_per_partial_write
                else ""
            )
        )
    if found.packets_per_tail_update is not None:
        said.append(
            f"each ring's tail is written once in {found.packets_per_tail_update:.0f} packets"
        )
    said.append(
        f"{found.read_bytes_per_packet:.0f} bytes a packet are read and "
        f"{found.write_bytes_per_packet:.0f} written, partial writes counted as lines"
    )
    for row in found.comparisons:
        span = f"{row.least:.3g}" if row.least == row.most else f"{row.least:.3g} to {row.most:.3g}"
        said.append(
            f"{row.what}: {row.counted:.3g} a packet, expected {span}"
            + ("" if row.agrees else ": out of line")
        )
    return said


def _tails(counts: PcieCounts, cores: int | None) -> list[str]:
    """What MMIO writes come to where nobody said how many cores make them."""
    least = math.ceil(counts.mmio_write.total / MMIO_WRITES_A_CORE)
    if cores or least < 2:
        return []
    return [
        f"{counts.mmio_write.total / 1e6:.2f} M MMIO writes a second in all: fine from {least} "
        "forwarding cores on"
    ]


def _out_of_line(found: Interpretation, counts: PcieCounts, cores: int | None) -> list[str]:
    said = []
    for share, what in ((found.write_hit_share, "writes"), (found.read_hit_share, "reads")):
        if share is not None and share < HITS_GOOD:
            said.append(
                f"{1 - share:.0%} of the card's {what} miss the last-level cache: use smaller "
                "rings and pools, give devices more ways, or see that card and core share a socket"
            )
    if counts.mmio_read.total > MMIO_READS_LOW:
        said.append(
            f"{counts.mmio_read.total:,.0f} MMIO reads a second: each takes hundreds of cycles; "
            "find who reads registers of the card in the loop (statistics, link state)"
        )
    writes = counts.mmio_write.total / (cores or 1)
    if cores and writes > MMIO_WRITES_A_CORE:
        said.append(
            f"{writes / 1e6:.2f} M MMIO writes a second a core: update tails for more packets "
            "at a time (larger bursts, larger rx_free_thresh)"
        )
    partial = next((row for row in found.comparisons if row.what == "partial writes"), None)
    if partial is not None and not partial.agrees and partial.counted > partial.most:
        said.append(
            f"{partial.counted:.2f} writes of part of a line a packet: align buffers to lines, and "
            "let the card write descriptors back together"
        )
    read = next((row for row in found.comparisons if row.what == "lines read"), None)
    if read is not None and not read.agrees and read.counted > read.most:
        said.append(
            f"{read.counted:.2f} lines read a packet where {read.most:.2f} are expected: "
            "descriptors are fetched less than a full line at a time, or are larger than assumed"
        )
    return said
