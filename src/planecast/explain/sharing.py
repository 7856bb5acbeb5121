"""Cores and sockets: lines that other cores hold, and what they cost a packet.

A load that finds a line modified in another core's cache (HITM) waits for that core. A data plane
that gives every core its own flows, rings and counters has next to none; handoff between cores
has those of its rings. Many HITM next to few packets handed over are two cores writing variables
that share a line. Source: Benchmarking and Analysis of Software Data Planes, sections 9 and 15.6.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from planecast.errors import InputError
from planecast.explain.checked_rate import checked_rate
from planecast.explain.shown import Shown

_NAMES = {
    "snoop_hit": ("MEM_LOAD_UOPS_L3_HIT_RETIRED.XSNP_HIT", "MEM_LOAD_L3_HIT_RETIRED.XSNP_HIT"),
    "hitm": ("MEM_LOAD_UOPS_L3_HIT_RETIRED.XSNP_HITM", "MEM_LOAD_L3_HIT_RETIRED.XSNP_HITM"),
    "snoop_miss": ("MEM_LOAD_UOPS_L3_HIT_RETIRED.XSNP_MISS", "MEM_LOAD_L3_HIT_RETIRED.XSNP_MISS"),
    "remote_hitm": (
        "MEM_LOAD_UOPS_L3_MISS_RETIRED.REMOTE_HITM",
        "MEM_LOAD_L3_MISS_RETIRED.REMOTE_HITM",
    ),
    "remote_forward": (
        "MEM_LOAD_UOPS_L3_MISS_RETIRED.REMOTE_FWD",
        "MEM_LOAD_L3_MISS_RETIRED.REMOTE_FWD",
    ),
    "remote_memory": (
        "MEM_LOAD_UOPS_L3_MISS_RETIRED.REMOTE_DRAM",
        "MEM_LOAD_L3_MISS_RETIRED.REMOTE_DRAM",
    ),
    "local_memory": (
        "MEM_LOAD_UOPS_L3_MISS_RETIRED.LOCAL_DRAM",
        "MEM_LOAD_L3_MISS_RETIRED.LOCAL_DRAM",
    ),
}
"""Broadwell's and Skylake's names."""
_FEW = 0.05


def is_of_sharing(name: str) -> bool:
    """Whether an event of this name is one that `explain_sharing` knows."""
    return any(name.lower() == known.lower() for names in _NAMES.values() for known in names)


def explain_sharing(events: Mapping[str, float], pps: float) -> Shown:
    """What counts a second say of `pps` packets a second.

    Events that weren't counted stay unknown. Raises InputError for an impossible count or rate, and
    when no event is of other cores.
    """
    if not pps > 0:
        raise InputError(f"got {pps:g} packets a second", "core counters", "give the packet rate")
    lower = {name.lower(): value for name, value in events.items()}
    found: dict[str, float] = {}
    for field, names in _NAMES.items():
        name = next((name for name in names if name.lower() in lower), None)
        if name is not None:
            found[field] = checked_rate(name, lower[name.lower()], "core counters") / pps
    if not found:
        raise InputError(
            "none of the events is of other cores",
            "core counters",
            "record MEM_LOAD_L3_HIT_RETIRED.XSNP_* and MEM_LOAD_L3_MISS_RETIRED.*",
        )
    served = [found[field] for field in ("remote_memory", "local_memory") if field in found]
    remote = served[0] / sum(served) if len(served) == 2 and sum(served) > 0 else None
    return Shown(tuple(_findings(found, remote)), tuple(_out_of_line(found)))


_WORDS = {
    "snoop_hit": "loads found a line clean in another core's cache",
    "hitm": "loads found a line modified in another core's cache (HITM)",
    "snoop_miss": "loads asked other cores without a hit",
    "remote_hitm": "loads found a line modified on another socket",
    "remote_forward": "loads were served by another socket's cache",
    "remote_memory": "loads were served by another socket's memory",
    "local_memory": "loads were served by this socket's memory",
}


def _findings(found: Mapping[str, float], remote_share: float | None) -> Iterator[str]:
    for field, value in found.items():
        yield f"{value:.3g} {_WORDS[field]} a packet"
    if remote_share is not None:
        yield f"{remote_share:.1%} of the loads that memory served were served by another socket's"


def _out_of_line(found: Mapping[str, float]) -> Iterator[str]:
    modified = found.get("hitm", 0.0) + found.get("remote_hitm", 0.0)
    if modified > _FEW:
        yield (
            f"{modified:.2g} lines a packet are taken modified from other cores: suspect variables "
            "of two cores in one line (false sharing), locks or shared counters, unless packets "
            "are handed over between cores; perf c2c names the lines"
        )
    across = sum(
        found.get(field, 0.0) for field in ("remote_hitm", "remote_forward", "remote_memory")
    )
    if across > _FEW:
        yield (
            f"{across:.2g} lines a packet come from another socket: bind cores, memory and card to "
            "one socket"
        )
