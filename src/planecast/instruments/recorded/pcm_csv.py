"""CSV of pcm, pcm-memory and pcm-pcie: figures by socket, channel and core, by column names.

The first two write a line with places above the line with names, and a row each interval;
pcm-pcie writes its header again each interval, and a row a socket and a kind (total, miss, hit).
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence

from planecast.errors import InputError
from planecast.instruments.recorded.number import is_number, scaled_number
from planecast.instruments.recorded.recording import Reading, Recording

_PCIE = ("RFO", "ItoM")
_TIMES = frozenset({"Date", "Time"})
_MEMORY = ("Mem Read (MB/s)", "Memory (MB/s)", "Mem Write (MB/s)")


def looks_like_pcm(lines: Sequence[str]) -> bool:
    """Whether the first lines have a header of one of the pcm programs."""
    return any(_is_header(line) for line in lines[:20])


def read_pcm_csv(lines: Sequence[str], path: str) -> Recording:
    """All figures that are numbers. Raises InputError when there is none."""
    start = next(at for at, line in enumerate(lines) if _is_header(line))
    mark = max(",;", key=lines[start].count)
    rows = list(csv.reader((line.replace("\0", "") for line in lines), delimiter=mark))
    header = [name.strip() for name in rows[start]]
    if header[0] == "Skt":
        tool, readings = "pcm-pcie", list(_pcie(rows[start:]))
    else:
        above = rows[start - 1] if start else []
        memory = any(name in header for name in _MEMORY) or "Ch0Read" in header
        tool = "pcm-memory" if memory else "pcm"
        readings = list(_by_interval(header, above, rows[start + 1 :]))
    if not readings:
        raise InputError(
            f"no row of {tool}'s holds a number", path, "let it run for an interval or more"
        )
    return Recording(tool, readings=tuple(readings))


def _is_header(line: str) -> bool:
    names = [name.strip() for name in line.replace(";", ",").split(",")]
    return names[:2] == ["Date", "Time"] or (
        names[0] == "Skt" and all(name in names for name in _PCIE)
    )


def _by_interval(
    header: list[str], above: list[str], rows: Sequence[Sequence[str]]
) -> Iterator[Reading]:
    places: list[str] = []
    for at in range(len(header)):
        place = above[at].strip() if at < len(above) else ""
        places.append(place or (places[-1] if places else ""))  # pcm names a place once
    for position, fields in enumerate(rows):
        for name, place, text in zip(header, places, fields, strict=False):
            if name and name not in _TIMES and text.strip() and _readable(text):
                yield Reading(name, scaled_number(text), float(position), place)


def _pcie(rows: Sequence[Sequence[str]]) -> Iterator[Reading]:
    header: list[str] = []
    interval = -1
    for fields in rows:
        values = [field.strip() for field in fields]
        if values and values[0] == "Skt":
            header, interval = values, interval + 1
            continue
        kind = next((value.strip("()") for value in values if value.startswith("(")), "")
        for name, text in zip(header[1:], values[1:], strict=False):
            if text and not text.startswith("(") and _readable(text):
                label = f"{name} {kind.lower()}".strip()
                yield Reading(label, scaled_number(text), float(interval), f"socket {values[0]}")


def _readable(text: str) -> bool:
    plain = text.strip().rstrip("%KMGT").strip()
    return is_number(plain)
