"""Counts: what counters report about PCIe, whatever the generation calls its events.

Broadwell and earlier: PCM's names, counted by the caching agents in lines. Skylake and later: the
same agents' inserts (UNC_CHA_TOR_INSERTS.IO_…), where ItoMCacheNear is a write of part of a line,
and the I/O controllers' own (UNC_IIO_DATA_REQ_OF_CPU in units of 4 bytes, a part a port of the
stack). Source: Intel's metric tables for Skylake, Ice Lake and Sapphire Rapids servers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from planecast.errors import InputError
from planecast.explain.checked_rate import checked_rate
from planecast.scenario.model import Noun

_IIO_UNIT_BYTES = 4
_ROLES = {
    "read": ("PCIeRdCur", "PCIRdCur"),
    "full_write": ("ItoM",),
    "partial_write": ("RFO", "ItoMCacheNear"),
    "mmio_read": ("PRd", "UCRdF"),
    "mmio_write": ("WiL",),
    "core_read": ("DRd", "CRd"),
}
_OF_CORES = {"mmio_read", "mmio_write", "core_read"}
"""Roles that cores ask for (IA); devices (IO) ask for the others by the same names."""
_TOR = re.compile(
    r"UNC_CHA_TOR_INSERTS\.(?P<who>IO|IA)_(?:(?P<outcome>HIT|MISS)_)?(?P<what>[A-Z]+)",
    re.IGNORECASE,
)
_IIO = re.compile(
    r"UNC_IIO_(?:DATA_REQ_OF_CPU|PAYLOAD_BYTES_IN)\.MEM_(?P<what>READ|WRITE)\.(?:PART\d|ALL_PARTS)",
    re.IGNORECASE,
)
_OUTCOMES = {"": "total", "total": "total", "hit": "hit", "miss": "miss"}


class LineRate(Noun):
    """Cache lines, or transactions, a second."""

    total: float = 0.0
    hit: float | None = None
    """Found in the last-level cache; None when it wasn't counted."""
    miss: float | None = None

    @property
    def hit_share(self) -> float | None:
        """Share that the last-level cache served; None when it is unknown."""
        if self.hit is None or self.miss is None or self.hit + self.miss <= 0:
            return None
        return self.hit / (self.hit + self.miss)


class PcieCounts(Noun):
    """Rates a second of one socket, or of all together."""

    read: LineRate = LineRate()
    """Lines that devices read (PCIeRdCur)."""
    full_write: LineRate = LineRate()
    """Full lines that devices write (ItoM)."""
    partial_write: LineRate = LineRate()
    """Writes of less than a line (RFO, ItoMCacheNear)."""
    mmio_read: LineRate = LineRate()
    """Reads of device memory by cores (PRd)."""
    mmio_write: LineRate = LineRate()
    """Writes to device memory by cores (WiL)."""
    core_read: LineRate = LineRate()
    """Lines that cores read, devices among them (DRd, CRd): nobody's alone."""
    read_bytes: float | None = None
    """Bytes that devices read, by the I/O controllers; None when those weren't counted."""
    write_bytes: float | None = None


def pcie_counts(events: Mapping[str, float]) -> PcieCounts:
    """Rates by event name as counts.

    Names: PCM's (``ItoM``, ``ItoM.hit``, ``ItoM.miss``) or the vendor's
    (``UNC_CHA_TOR_INSERTS.IO_HIT_ITOM``). Other events are left alone. Raises InputError for a rate
    that is impossible, and when none of the events is of PCIe.
    """
    rates: dict[str, dict[str, float]] = {}
    moved: dict[str, float] = {}
    for name, value in events.items():
        place = _place(name)
        iio = _IIO.fullmatch(name)
        if place is None and iio is None:
            continue
        checked_rate(name, value, "PCIe counters")
        if iio is not None:
            what = iio["what"].lower()
            moved[what] = moved.get(what, 0.0) + value * _IIO_UNIT_BYTES
        elif place is not None:
            role, outcome = place
            found = rates.setdefault(role, {})
            found[outcome] = found.get(outcome, 0.0) + value
    if not rates and not moved:
        raise InputError(
            "none of the events is of PCIe",
            "PCIe counters",
            "record pcm-pcie, or UNC_CHA_TOR_INSERTS.IO_* and UNC_IIO_DATA_REQ_OF_CPU.*",
        )
    lines = {role: _line_rate(found) for role, found in rates.items()}
    return PcieCounts(**lines, read_bytes=moved.get("read"), write_bytes=moved.get("write"))


def is_of_pcie(name: str) -> bool:
    """Whether an event of this name is one that `pcie_counts` knows."""
    return _place(name) is not None or _IIO.fullmatch(name) is not None


def _place(name: str) -> tuple[str, str] | None:
    """(role, outcome) of an event; None for one that isn't of PCIe."""
    tor = _TOR.fullmatch(name)
    if tor is not None:
        what, outcome = tor["what"], (tor["outcome"] or "").lower()
    else:
        what, _, outcome = name.partition(".")
        outcome = outcome.lower()
    for role, names in _ROLES.items():
        if tor is not None and (tor["who"].upper() == "IA") != (role in _OF_CORES):
            continue
        if what.lower() in {known.lower() for known in names} and outcome in _OUTCOMES:
            return role, _OUTCOMES[outcome]
    return None


def _line_rate(found: Mapping[str, float]) -> LineRate:
    hit, miss = found.get("hit"), found.get("miss")
    total = found.get("total", (hit or 0.0) + (miss or 0.0))
    return LineRate(total=total, hit=hit, miss=miss)
