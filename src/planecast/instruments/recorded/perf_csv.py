"""``perf stat -x``: a line an event, whatever stands before it (time, CPU, core) and behind it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from planecast.errors import InputError
from planecast.instruments.recorded.number import is_number, number
from planecast.instruments.recorded.recording import Count, Recording, Share

_PLACE = re.compile(r"CPU\d+|[SD]\d+(-[A-Z]+\d+)*|N\d+|\S+-\d+")
_TIME = re.compile(r"\d+[.,]\d+")
_UNIT = re.compile(r"[A-Za-z%/]{0,12}")
_SHARE = re.compile(r"%\s+(?P<node>[A-Za-z_]\w+)")
_SEPARATORS = (",", ";", "\t", "|", " ")
_LOOKED_AT = 300
_VALUES_BEHIND = 4  # value, unit, event, run time, percentage


def looks_like_perf_csv(lines: Sequence[str]) -> bool:
    """Whether a line of these is one of ``perf stat -x``."""
    return any(_row(line, mark) for line in lines[:40] for mark in _SEPARATORS)


def read_perf_csv(lines: Sequence[str], path: str) -> Recording:
    """The counts and the metrics' shares of all lines.

    Raises InputError when no line can be read. A line that can't, among others that can, is a
    remark: files are cut off where a run was stopped.
    """
    separator = _separator(lines, path)
    counts: list[Count] = []
    shares: list[Share] = []
    bad: list[int] = []
    last_time, last_place = 0.0, ""
    for position, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith(("#", "perf version", "/")):
            continue
        if line.lstrip().startswith("summary"):
            continue  # the sum of the rounds above
        row = _row(line, separator)
        if row is not None:
            count, behind = row
            last_time, last_place = count.round, count.place
            counts.append(count)
            shares += _shares(behind, count)
        elif _metric_only(line, separator):
            own = Count("", None, round=last_time, place=last_place)
            shares += _shares(line.split(separator), own)
        else:
            bad.append(position)
    remarks = []
    if bad:
        more = f" and {len(bad) - 1} more" if len(bad) > 1 else ""
        remarks.append(f"line {bad[0]}{more} of {path} is cut off or not perf's: left out")
    if not any(count.event for count in counts) and not shares:
        raise InputError("no counts were found", path, "record with perf stat -x, or -j")
    return Recording(
        "perf stat",
        tuple(counts),
        tuple(shares),
        seconds=max((count.round for count in counts), default=0.0) or None,
        remarks=tuple(remarks),
    )


def _separator(lines: Sequence[str], path: str) -> str:
    """The mark with which most of the first lines can be read."""
    some = lines[:_LOOKED_AT]
    found = {mark: sum(_row(line, mark) is not None for line in some) for mark in _SEPARATORS}
    best = max(found, key=lambda mark: found[mark])
    if not found[best]:
        raise InputError(
            "no line is one of perf stat's CSV",
            path,
            "record with LC_ALL=C perf stat -x, (or -j), and give that file",
        )
    return best


def _row(line: str, separator: str) -> tuple[Count, list[str]] | None:
    """The count of a line and what stands behind it; None when it has another form."""
    fields = [field.strip() for field in line.rstrip("\r\n").split(separator)]
    for at in range(min(4, len(fields) - 2)):
        event, behind = _event(fields[at + 2 :], separator)
        if (
            is_number(fields[at])
            and fields[at]
            and _UNIT.fullmatch(fields[at + 1])
            and event
            and not is_number(event)
            and len(behind) >= _VALUES_BEHIND - 2
            and all(is_number(field) for field in behind[:2])
        ):
            return _count(fields[:at], fields[at], event, behind)
    return None


def _event(fields: list[str], separator: str) -> tuple[str, list[str]]:
    """The event's name, put together where the separator stands in it, and the fields behind it.

    ``cpu/event=0x3c,umask=0x0/`` is not quoted by perf.
    """
    event = fields[0]
    for taken in range(1, len(fields)):
        if event.count("/") % 2 == 0:
            return event, fields[taken:]
        event += separator + fields[taken]
    return event, []


def _count(
    before: list[str], value: str, event: str, behind: list[str]
) -> tuple[Count, list[str]] | None:
    """A count, if what stands before it are a time, a place and a number of CPUs, in that order."""
    rest = list(before)
    time = 0.0
    if rest and _TIME.fullmatch(rest[0]):
        time = number(rest.pop(0)) or 0.0
    place = rest.pop(0) if rest and _PLACE.fullmatch(rest[0]) else ""
    if rest and rest[0].isdigit() and place:
        rest.pop(0)
    if rest:
        return None
    percent = number(behind[1])
    running = 0.0 if percent is None else percent / 100
    if not 0 <= running <= 1.01:  # perf rounds; anything beyond is another format
        return None
    found = number(value)
    reason = value if found is None else ""
    return Count(event, found, min(running, 1.0), time, place, reason), behind[2:]


def _shares(behind: list[str], count: Count) -> Iterator[Share]:
    """The share that ``perf stat -M`` puts behind a count: a value and ``%  tma_…``."""
    for value, unit in pairwise(behind):
        match = _SHARE.fullmatch(unit.strip())
        if match and value.strip() and is_number(value):
            share = number(value)
            yield Share(
                match["node"],
                None if share is None else share / 100,
                count.running,
                count.round,
                count.place,
            )


def _metric_only(line: str, separator: str) -> bool:
    fields = [field.strip() for field in line.split(separator)]
    return any(_SHARE.fullmatch(field) for field in fields)
