"""What toplev and ``perf stat -M`` print for people: shares with their names, nothing else.

A person often has kept no more than the terminal's text. Values are rounded there, and repetitions
are not distinguished, so CSV or JSON is better; but a share is a share.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from planecast.instruments.recorded.number import number
from planecast.instruments.recorded.recording import Recording, Share

# S0-C0-T0 BE_Bound.Mem_Bound.DRAM_Bound:  47.11 % Stalls <==
_TOPLEV = re.compile(
    r"\s*(?P<place>S\d+-C\d+(?:-T\d+)?|C\d+(?:-T\d+)?)?\s*(?P<node>[A-Za-z][\w.]*):?\s+"
    r"(?P<value>-?\d+[.,]\d+)\s+%\s+(?P<of>Slots|Clocks|Stalls|Uops)\w*.*"
)
# 6.1 %  frontend_bound  (20.00%)
_PERF = re.compile(
    r"[^#]*?(?:#\s*)?(?P<value>-?\d+[.,]\d+)\s+%\s+(?P<node>[a-z]\w+)(?:\s+\((?P<running>[\d.,]+)%\))?\s*"
)


def looks_like_terminal(lines: Sequence[str]) -> bool:
    """Whether there are two such lines or more."""
    return sum(any(_shares(line)) for line in lines) >= 2


def read_terminal(lines: Sequence[str]) -> Recording:
    """The last share of each node at each place: toplev prints level upon level."""
    found: dict[tuple[str, str], Share] = {}
    for line in lines:
        for share in _shares(line):
            found[share.node.rpartition(".")[2].lower(), share.place] = share
    remark = "read from human-readable text: values are rounded; -x, -o FILE keeps more"
    return Recording("text of a terminal", shares=tuple(found.values()), remarks=(remark,))


def _shares(line: str) -> Iterator[Share]:
    match = _TOPLEV.fullmatch(line)
    if match:
        value = number(match["value"])
        yield Share(match["node"], _of_1(value), place=match["place"] or "")
        return
    match = _PERF.fullmatch(line)
    if match:
        running = number(match["running"]) if match["running"] else None
        yield Share(
            match["node"], _of_1(number(match["value"])), 1.0 if running is None else running / 100
        )


def _of_1(percent: float | None) -> float | None:
    return None if percent is None else percent / 100
