"""The state that measured costs are stated for: one clock of the core, for all runs since the boot.

The clock of a shared machine moves with what the neighbours do, by 4 % a step here, so costs in TSC
cycles of two runs, or of the two halves of one, are not comparable as they are. The compute canary
of an undisturbed window shows the clock exactly. The first measurement's most frequent reading
becomes the reference, remembered until the machine boots; all windows are stated at it.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from planecast.instruments.disk_cache import cache_folder, recall, remember
from planecast.instruments.probe import boot_id, host_id
from planecast.native import native_program
from planecast.scenario.model import Noun

CLOCK_SHARE = 0.9
"""Exponent with which a packet's cost follows the canary's when the clock moves: what waits for the
shared cache and memory does not. 0.85 to 0.88 were measured over 8 % of clock for pipelines that
fit into the private caches, more for those that don't."""

Floats = NDArray[np.float64]


class Reference(Noun):
    """What costs are stated for."""

    canary_cycles: Annotated[float, Field(gt=0)]
    """TSC cycles a round of the compute canary, undisturbed."""


def reference_state(settled_canaries: Floats) -> Reference | None:
    """The remembered reference, or else the median of these readings, remembered from now on.

    None when there is neither.
    """
    kept = _kept()
    known = recall(kept, Reference)
    if known is not None or settled_canaries.size == 0:
        return known
    found = Reference(canary_cycles=float(np.median(settled_canaries)))
    remember(kept, found)
    return found


def factors(canaries: Floats, reference: Reference) -> Floats:
    """What to multiply costs by that were taken when undisturbed canaries read so."""
    return np.asarray((reference.canary_cycles / canaries) ** CLOCK_SHARE)


def _kept() -> Path:
    # The canary is part of the program, so another build has another reference.
    program = hashlib.sha256(native_program("planecast-dataplane").read_bytes()).hexdigest()[:16]
    return cache_folder() / f"reference-{host_id()}-{boot_id()}-{program}.json"
