"""``toplev -x,``: shares by node, found by the names of the columns."""

from __future__ import annotations

import csv
from collections.abc import Sequence

from planecast.errors import InputError
from planecast.instruments.recorded.number import is_number, number
from planecast.instruments.recorded.recording import Reading, Recording, Share

_NEEDED = ("Area", "Value")


def looks_like_toplev(lines: Sequence[str]) -> bool:
    """Whether the first lines have toplev's header."""
    return any("Area" in line and "Value" in line for line in lines[:20])


def read_toplev_csv(lines: Sequence[str], path: str) -> Recording:
    """The shares of all rows; rows that are no shares of slots, clocks or stalls are readings.

    Raises InputError for a column that is missing, and when no row can be read.
    """
    start = next(at for at, line in enumerate(lines) if "Area" in line and "Value" in line)
    mark = max(",;\t", key=lines[start].count)
    # the csv module stops at a NUL, which a file that was cut off may hold
    rows = csv.reader((line.replace("\0", "") for line in lines[start:]), delimiter=mark)
    header = [name.strip().lstrip("#").strip() for name in next(rows)]
    missing = [name for name in _NEEDED if name not in header]
    if missing:
        raise InputError(f"the column {missing[0]} is missing", f"{path}:{start + 1}")
    shares: list[Share] = []
    readings: list[Reading] = []
    bad: list[int] = []
    for position, fields in enumerate(rows, start=start + 2):
        if not fields or fields[0].startswith("#"):
            continue
        row = dict(zip(header, (field.strip() for field in fields), strict=False))
        if row == dict(zip(header, header, strict=True)):
            continue  # toplev repeats its header
        area, text = row.get("Area", ""), row.get("Value", "").removesuffix("%")
        if not area or not text or not is_number(text):
            bad.append(position)
            continue
        _take(row, area, number(text), shares, readings)
    if not shares and not readings:
        raise InputError("no row holds a value", path, "record with toplev -x, -v -o FILE")
    remarks: tuple[str, ...] = ()
    if bad:
        more = f" and {len(bad) - 1} more" if len(bad) > 1 else ""
        remarks = (f"line {bad[0]}{more} of {path} is cut off: left out",)
    return Recording("toplev", shares=tuple(shares), readings=tuple(readings), remarks=remarks)


def _take(
    row: dict[str, str],
    area: str,
    value: float | None,
    shares: list[Share],
    readings: list[Reading],
) -> None:
    """Adds a row to the shares or the readings, as its unit says."""
    time = _value(row.get("Timestamp")) or 0.0
    place = row.get("CPUs", "")
    if not row.get("Unit", "% Slots").startswith("%"):
        readings.append(Reading(area, value, time, place))
        return
    multiplex = _value(row.get("Multiplex"))
    running = 1.0 if multiplex is None else min(max(multiplex / 100, 0.0), 1.0)
    spread = _value(row.get("Stddev"))
    shares.append(
        Share(
            area,
            None if value is None else value / 100,
            running,
            time,
            place,
            None if spread is None else spread / 100,
        )
    )


def _value(text: str | None) -> float | None:
    text = (text or "").removesuffix("%")
    return number(text) if is_number(text) else None
