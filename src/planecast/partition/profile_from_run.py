"""A tenant's profile from a run of ours: `measure` gives its cost, the calibration where it goes.

What a packet costs with all of the last level and with none of it, by the calibrated closed form,
shows how much of a miss shows; its regions show how many lines it asks for beyond its core's own
caches. A run of `measure` then sets the height: the model's figure times measured over predicted. A
run of `profile` knows no cycles, so the model's own height stands, with its wider interval.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from planecast.cache_line import LINE_BYTES
from planecast.errors import InputError
from planecast.machine.cache_sharing import hit_shares
from planecast.model.calibration import Calibration
from planecast.model.prediction import cost_of, predict
from planecast.results.estimate import Estimate
from planecast.results.run_ref import pick
from planecast.results.store import find_run, runs_folder
from planecast.scenario.read_file import read_model
from planecast.scenario.scenario import Scenario
from planecast.study.calibration_run import calibration_of
from planecast.study.profile import Profile as CountedProfile

_PROFILE = "profile.json"
_ALL, _NONE = 1e6, 1e-6
"""Shares of the last level: more than any workload touches, and none to speak of."""
_LEAST_EXPOSED = 0.01


def profile_values(run: str) -> dict[str, Any]:
    """The keys of a profile's section, of a run as verbs name it (a folder, ``latest``, ``RUN#2``).

    Raises ValueError for a run that isn't there, isn't of one of our data planes, or was made where
    nothing is calibrated: whoever reads the section says where.
    """
    root = runs_folder()
    try:
        scenario, measured = _question(run, root)
        chosen = calibration_of(None, root, kind=scenario.forwards)
        cost = split_cost(scenario, chosen.model, measured)
        return {**cost, "calibration": chosen.basis}
    except InputError as error:
        place = f"{error.where}: " if error.where else ""
        advice = f"; {error.what_to_do}" if error.what_to_do else ""
        raise ValueError(f"{place}{error.what}{advice}") from None


def _question(run: str, root: Path) -> tuple[Scenario, Estimate | None]:
    """What was run, and its measured cost where the run has one."""
    counted = find_run(run.partition("#")[0], root).path / _PROFILE
    if counted.is_file():
        return read_model(counted, CountedProfile, "the profile").scenario, None
    found = pick(run, root)
    if len(found.results) != 1:
        raise InputError(
            f"the run has {len(found.results)} results",
            str(found.run.path),
            f"name one, such as {run}#1",
        )
    (result,) = found.results
    if result.cycles_per_packet.kind != "measured":
        raise InputError(
            f"its cost is {result.cycles_per_packet.kind}, not measured",
            str(found.run.path),
            "name a run of planecast measure",
        )
    return result.scenario, result.cycles_per_packet


def split_cost(
    scenario: Scenario, calibration: Calibration, measured: Estimate | None
) -> dict[str, Any]:
    """A packet's cost in the parts that a division of the machine changes differently."""
    hierarchy = calibration.hierarchy
    touches, footprint = _beyond_private(scenario, calibration)
    cost, half = _cycles(scenario, calibration)
    if measured is not None:
        factor = measured.value / cost
        unsure = (measured.half_width_percent or 0.0) / 100
    else:
        factor, unsure = 1.0, half / cost
    near, far = (
        factor * _cycles(scenario, _with_last_level(calibration, share))[0]
        for share in (_ALL, _NONE)
    )
    hit, miss = hierarchy.levels[-1].latency_cycles, hierarchy.memory_latency_cycles
    exposed = (far - near) / max(touches * (miss - hit), 1e-9)
    exposed = min(1.0, max(_LEAST_EXPOSED, exposed))
    alone = max(near - touches * exposed * hit, LEAST_SHARE * near)
    return {
        # The run's cycles are the time-stamp counter's; a profile's are the core's.
        "cycles": alone / hierarchy.tsc_per_core_cycle,
        "touches": touches,
        "working_set": max(LINE_BYTES, round(footprint)),
        "exposed": exposed,
        "uncertainty": min(1.0, math.hypot(unsure, 2 * calibration.discrepancy.core)),
    }


LEAST_SHARE = 0.05
"""Least share of a packet's cost that remains with every line in L1."""


def _cycles(scenario: Scenario, calibration: Calibration) -> tuple[float, float]:
    found = predict([scenario], calibration, by_stage=False)
    return float(found.value[0]), float(found.half_width[0])


def _with_last_level(calibration: Calibration, factor: float) -> Calibration:
    hierarchy = calibration.hierarchy.with_last_level(factor)
    return calibration.model_copy(
        update={"hierarchy": hierarchy.model_copy(update={"background": False})}
    )


def _beyond_private(scenario: Scenario, calibration: Calibration) -> tuple[float, float]:
    """Lines that a packet asks for beyond its core's own caches, and the bytes they are among."""
    profile, cost, _ = cost_of([scenario], calibration)
    touches = float((cost.served.last_level_lines + cost.served.memory_lines)[0])
    own = [level for level in calibration.hierarchy.levels if not level.shared]
    regions = [region for region in profile.regions if region.touches[0] > 0]
    if not own or not regions:
        return touches, 0.0
    served = hit_shares(
        np.array([region.cyclic for region in regions]),
        np.stack([region.lines for region in regions]),
        np.stack([region.touches for region in regions]),
        np.array([own[-1].size_bytes / LINE_BYTES]),
        shape=own[-1].shape,
    )
    lines = np.array([region.total_lines[0] for region in regions])
    return touches, float((lines * (1 - served[:, 0])).sum()) * LINE_BYTES
