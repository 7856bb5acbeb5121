"""``perf stat -j``: an object a line, with the slips of the versions that wrote it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from planecast.errors import InputError
from planecast.instruments.recorded.number import is_number, number
from planecast.instruments.recorded.recording import Count, Recording, Share

_TRAILING_COMMA = re.compile(r",\s*(?=[}\]])")
_BARE = re.compile(r":\s*(-?nan|-?inf|<[a-z ]+>)(?=\s*[,}])", re.IGNORECASE)
_PLACES = ("cpu", "core", "die", "socket", "node", "thread", "cgroup")
_SHARE = re.compile(r"%\s*(?P<node>[A-Za-z_]\w+)")


def read_perf_json(lines: Sequence[str], path: str) -> Recording:
    """The counts and the metrics' shares of all objects.

    A value may be a number or text, an object may end in a comma, and ``nan`` may stand bare:
    versions of perf differ. Raises InputError when no object can be read.
    """
    counts: list[Count] = []
    shares: list[Share] = []
    bad: list[int] = []
    for position, line in enumerate(lines, start=1):
        text = line.strip().lstrip("[,").rstrip("],").strip()
        if not text or text.startswith("#"):
            continue
        try:
            found = json.loads(_TRAILING_COMMA.sub("", _BARE.sub(r': "\1"', text)))
        except (ValueError, RecursionError):
            bad.append(position)
            continue
        if not isinstance(found, dict) or not _take(found, counts, shares):
            bad.append(position)
    if not counts and not shares:
        raise InputError(
            "no line is one of perf stat's JSON", path, "record with perf stat -j, and give that"
        )
    remarks: tuple[str, ...] = ()
    if bad:
        more = f" and {len(bad) - 1} more" if len(bad) > 1 else ""
        remarks = (f"line {bad[0]}{more} of {path} is cut off or not perf's: left out",)
    return Recording(
        "perf stat",
        tuple(counts),
        tuple(shares),
        seconds=max((count.round for count in counts), default=0.0) or None,
        remarks=remarks,
    )


def _take(found: dict[str, Any], counts: list[Count], shares: list[Share]) -> bool:
    """Adds what an object holds; False when it is none of perf's."""
    time = _number(found.get("interval")) or 0.0
    place = next((str(found[key]) for key in _PLACES if found.get(key) not in (None, "")), "")
    if "cpu" in found and place.isdigit():
        place = f"CPU{place}"  # as in its CSV
    percent = _number(found.get("pcnt-running"))
    running = 1.0 if percent is None else min(max(percent / 100, 0.0), 1.0)
    event = found.get("event")
    unit = _SHARE.fullmatch(str(found.get("metric-unit", "")).strip())
    if unit:
        share = _number(found.get("metric-value"))
        share = None if share is None else share / 100
        shares.append(Share(unit["node"], share, running, time, place))
    if not isinstance(event, str) or not event:
        return unit is not None
    raw = found.get("counter-value")
    value = _number(raw)
    reason = "" if value is not None else str(raw)
    counts.append(Count(event, value, running, time, place, reason))
    return True


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or value is None:
        return None
    text = repr(value) if isinstance(value, int | float) else str(value)
    return number(text) if is_number(text) else None
