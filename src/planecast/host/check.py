"""One row of ``planecast doctor``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["good", "limits", "missing", "note"]
"""good: as measuring wants it; limits: measuring works, less well; missing: something can't be done
without it; note: neither, good to know."""


@dataclass(frozen=True)
class Check:
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
