"""Links between sockets (QPI, UPI): how much data crosses them, in all and a packet.

A flit of QPI's data is 8 bytes; of UPI's data flits nine carry a line, 64 bytes. What crosses is
what cores, cards and memory of different sockets ask of each other. Source: Intel's metric tables
for Broadwell, Skylake, Ice Lake and Sapphire Rapids servers (qpi_data_transmit_bw,
upi_data_transmit_bw, numa_reads_addressed_to_remote_dram).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from planecast.cache_line import LINE_BYTES
from planecast.explain.checked_rate import checked_rate
from planecast.explain.shown import Shown

_BYTES = {
    re.compile(r"unc_upi_(?P<way>t|r)xl_flits\.all_data", re.IGNORECASE): LINE_BYTES / 9,
    re.compile(r"unc_q_(?P<way>t|r)xl_flits_g0\.data", re.IGNORECASE): 8.0,
}
_READS = re.compile(
    r"unc_cha_tor_inserts\.ia_miss_drd(_pref)?_(?P<where>local|remote)", re.IGNORECASE
)
_FEW_BYTES = 0.05 * LINE_BYTES
_FEW_READS = 0.05


def is_of_links(name: str) -> bool:
    """Whether an event of this name is one that `explain_links` knows."""
    return _READS.fullmatch(name) is not None or any(p.fullmatch(name) for p in _BYTES)


def explain_links(events: Mapping[str, float], pps: float | None) -> Shown:
    """What counts a second, summed over links, say of `pps` packets a second.

    Raises InputError for a count that can't be.
    """
    moved: dict[str, float] = {}
    reads: dict[str, float] = {}
    for name, value in events.items():
        if not is_of_links(name):
            continue
        checked_rate(name, value, "socket links")
        read = _READS.fullmatch(name)
        if read is not None:
            where = read["where"].lower()
            reads[where] = reads.get(where, 0.0) + value
        for pattern, size in _BYTES.items():
            match = pattern.fullmatch(name)
            if match is not None:
                way = match["way"].lower()
                moved[way] = moved.get(way, 0.0) + size * value
    total = sum(reads.values())
    remote = reads["remote"] / total if len(reads) == 2 and total else None
    # What one socket sends another one receives: either shows all that crosses.
    crossing = next((moved[way] for way in ("t", "r") if way in moved), None)
    each = crossing / pps if crossing is not None and pps else None
    return Shown(tuple(_findings(moved, each, remote)), tuple(_out_of_line(each, remote)))


def _findings(
    moved: Mapping[str, float], each: float | None, remote: float | None
) -> Iterator[str]:
    ways = [
        f"{moved[way] / 1e9:.3g} GB/s {what}"
        for way, what in (("t", "sent"), ("r", "received"))
        if way in moved
    ]
    if ways:
        a_packet = "" if each is None else f", {each:.3g} B a packet"
        yield f"data between sockets: {' and '.join(ways)}{a_packet}"
    if remote is not None:
        yield f"{remote:.1%} of the reads from memory went to another socket's"


def _out_of_line(each: float | None, remote: float | None) -> Iterator[str]:
    if each is not None and each > _FEW_BYTES:
        yield (
            f"{each:.3g} bytes a packet cross between sockets: bind cores, memory and card to one "
            "socket"
        )
    elif (remote or 0.0) > _FEW_READS:
        yield (
            f"{remote:.0%} of the reads from memory go to another socket's: bind cores and memory "
            "to one socket"
        )
