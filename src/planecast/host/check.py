"""One row of ``planecast doctor``."""

from __future__ import annotations

from typing import Literal, NamedTuple

State = Literal["good", "limits", "missing", "note"]
"""good: as measuring wants it; limits: measuring works, less well; missing: something can't be done
without it; note: neither, good to know."""


BSDP = "Benchmarking and Analysis of Software Data Planes (FD.io, 2017)"
"""Whose tuning advice most of the rows are: its section 10, with BIOS settings in 13.3."""


class Setting(NamedTuple):
    """A file of proc or sys that ``doctor --apply`` writes, and ``--undo`` writes back."""

    path: str
    """Below the root: ``proc/sys/kernel/nmi_watchdog``."""
    value: str
    """What measuring wants there."""


class Check(NamedTuple):
    """What was looked at, what was found, what that means and how to better it."""

    what: str
    """Stable name of the row, such as ``hugepages``."""
    state: State
    """How good it is for measuring."""
    found: str
    """What this machine has."""
    meaning: str
    """What follows for a measurement."""
    fix: str = ""
    """What to do about it; empty when nothing has to be or can be done."""
    source: str = ""
    """Whose advice it is: a document and its section; empty for planecast's own."""
    settings: tuple[Setting, ...] = ()
    """What ``doctor --apply`` would write; empty when a person has to do it."""
