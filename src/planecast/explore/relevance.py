"""Which controls change the answer of a network function: the closed form is asked at some of their
values. The others stay folded, for a function reads few of all keys."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from planecast.errors import InputError
from planecast.explore.controls import SITE_KEYS, Control
from planecast.explore.grid import axis_of, grid
from planecast.scenario import Scenario
from planecast.study.calibration_run import Chosen

_TRIED = 4
"""Values of each key that are asked."""
_ROUNDING = 1e-9


def with_relevance(controls: list[Control], scenario: Scenario, chosen: Chosen) -> list[Control]:
    """The controls, those that change nothing marked so."""
    return [replace(one, matters=_matters(one, scenario, chosen)) for one in controls]


def _matters(control: Control, scenario: Scenario, chosen: Chosen) -> bool:
    asked = control.engine == "solve" and control.kind in ("number", "choice")
    if not asked or control.key in SITE_KEYS or control.key.startswith("neighbour."):
        return True
    if chosen.binds(control.key):
        return False
    try:
        found = grid(scenario, chosen, [axis_of(control, scenario, _TRIED)])
    except InputError:
        return True
    cycles = found["cycles_per_packet"]
    known = cycles[~np.isnan(cycles)]
    return len(known) < 2 or bool(np.ptp(known) > _ROUNDING * known.max())
