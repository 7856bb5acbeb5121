"""Rotation of a program's packet buffers, measured for bursts of all sizes."""

from __future__ import annotations

from planecast.dataplanes.metered import MeteredConfig, MeteredDataplane
from planecast.dataplanes.trial import Trial
from planecast.errors import InputError
from planecast.scenario.scenario import Scenario
from planecast.workload.traced.rotation import Rotation


def rotations(scenario: Scenario, most: int) -> dict[int, Rotation]:
    """By burst size, of 1 to `most` packets, where the program asks its port for so many.

    Raises MissingError without the program, RunError when it fails.
    """
    found: dict[int, Rotation] = {}
    with MeteredDataplane(MeteredConfig.of(scenario)) as running:
        for burst in range(1, most + 1):
            asked = scenario.in_bursts(burst)
            trial = Trial(windows=1, packets=burst, warmup=0, rotation=True, scenario=asked)
            try:
                own = running.trial(trial).lcores[0].rotation
            except InputError:
                running.check()
                break  # it asks for fewer at a time
            if own is not None:
                found[burst] = own
    return found
