"""CSV with a column an event and a row an interval, as scripts and EMON's post-processing write.

Nothing but the names in the header is known of such a file, so a column counts as an event when its
name is one: letters first, no unit behind. A time column shows where a row ends.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

from planecast.errors import InputError
from planecast.instruments.recorded.number import is_number, number
from planecast.instruments.recorded.recording import Count, Recording

_TIMES = frozenset({"time", "timestamp", "seconds", "elapsed", "time (s)", "elapsed (s)"})
_EVENT = re.compile(r"[A-Za-z_][\w.:/=\- ]*")
_KNOWN = frozenset(
    {"inst_retired.any", "instructions", "cpu_clk_unhalted.thread", "cycles", "cpu-cycles"}
)
_LOOKED_AT = 20


def looks_like_columns(lines: Sequence[str]) -> bool:
    """Whether one of the first lines names instructions or cycles among its columns."""
    return any(_is_header(line) for line in lines[:_LOOKED_AT])


def read_columns_csv(lines: Sequence[str], path: str) -> Recording:
    """The counts of all rows, by the names of their columns.

    Raises InputError when no row holds numbers. Without a time column rows are one round after
    another, of unknown length.
    """
    start = next(at for at, line in enumerate(lines) if _is_header(line))
    mark = _mark(lines[start])
    rows = csv.reader((line.replace("\0", "") for line in lines[start:]), delimiter=mark)
    header = [name.strip() for name in next(rows)]
    timed = next((at for at, name in enumerate(header) if name.lower() in _TIMES), None)
    events = {at: name for at, name in enumerate(header) if at != timed and _EVENT.fullmatch(name)}
    counts: list[Count] = []
    bad: list[int] = []
    last = None
    for position, fields in enumerate(rows, start=1):
        values = [field.strip() for field in fields]
        if not any(values):
            continue
        if len(values) != len(header) or not all(is_number(values[at]) for at in events):
            bad.append(start + position + 1)
            continue
        last = number(values[timed]) if timed is not None else None
        end = float(position) if last is None else last
        for at, name in events.items():
            value = number(values[at])
            reason = values[at] if value is None else ""
            counts.append(Count(name, value, round=end, reason=reason))
    if not counts:
        raise InputError("no row below the names of the columns holds numbers", path)
    more = f" and {len(bad) - 1} more" if len(bad) > 1 else ""
    remarks = (f"line {bad[0]}{more} of {path} holds no such row: left out",) if bad else ()
    return Recording("CSV by columns", tuple(counts), seconds=last, remarks=remarks)


def _mark(header: str) -> str:
    return max(",;\t", key=header.count)


def _is_header(line: str) -> bool:
    return any(name.strip().lower() in _KNOWN for name in line.split(_mark(line))) and not any(
        is_number(field) for field in line.split(_mark(line)) if field.strip()
    )
