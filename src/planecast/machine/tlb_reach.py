"""How many pages a TLB holds, from chases over one line in each of so many.

A chase over a power of two of pages shows no walks, and one over twice as many some: the TLB is as
large as the law of cache sharing says of that share. A TLB of 2,048 entries, of which others take a
few, would otherwise count as one of 1,024.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from planecast.machine.cache_sharing import hit_shares

if TYPE_CHECKING:
    from planecast.instruments.machine_probe import Translation

SHAPE = 8.0
"""Ways of a second-level TLB: 8 to 12 on cores since 2015 (the catalogue's)."""


def reach(translation: Translation) -> float:
    """4 KiB pages that the TLB holds: from those of the largest chase without walks up to those of
    the next one."""
    if translation.beyond is None:
        return translation.pages
    pages, walked = translation.beyond
    held = np.linspace(translation.pages, pages, 65)
    lines = np.full((1, held.size), float(pages))
    kept = hit_shares(np.array([True]), lines, np.ones_like(lines), held, shape=SHAPE)
    return float(np.interp(1.0 - walked, kept[0], held))
