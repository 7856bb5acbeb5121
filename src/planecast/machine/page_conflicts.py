"""Page conflicts: lines a page apart that meet in few sets of the last level.

A cache that takes a line's set from its address has 1/64 of its sets for lines at one place of
their pages of 4 KiB, and 1/n for lines that lie n apart within them. On Intel's cores since 2011 a
hash chooses the slice of the last level, but not the set in a slice (Maurice et al., RAID 2015).
Zen's last level spreads such lines over all sets. Tables of the first 24 bits of addresses are
touched so: routes that follow each other lie a page or less apart. In these sets lines lie so many
times as densely as in all, and fewer of them survive (native/model/cache_sharing.cpp: `crowd`).

Which kind a host is shows in the probe: as many pages as would fill the last level twice if they
conflict, and a thirtieth of it if not, with one line in each, at the same place of all pages or at
all places. Measured: 410 and 190 TSC cycles an access on an Ice Lake guest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from planecast.workload.regions import PAGE_LINES

if TYPE_CHECKING:
    from planecast.instruments.host_state import HostState

_SHARE = 0.5
"""`HostState.conflict_share` beyond which lines conflict: they all come from memory then, a share
of 1 or more, or none does."""


def page_conflicts(states: Sequence[HostState]) -> float:
    """How many times as densely lines a page apart fill the sets that they meet in, by the median
    of some states of a host: as many times as a page has lines; 1 where they meet in all sets, and
    where none was measured."""
    shares = [share for state in states if (share := state.conflict_share()) is not None]
    return float(PAGE_LINES) if shares and float(np.median(shares)) > _SHARE else 1.0
