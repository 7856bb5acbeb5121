"""Where a scenario runs, when that is not the calibrated host as it was: machine, clock, ways,
hyper-threads. Scenarios at one site are asked together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

from planecast.scenario.machine import HOST
from planecast.scenario.placement import CorePriority
from planecast.scenario.scenario import Scenario


class Site(NamedTuple):
    """A machine, how its cores are run, and which socket's memory they use."""

    machine: str = HOST
    core_ghz: float | None = None
    core_priority: CorePriority = "none"
    llc_ways: int | None = None
    busy_siblings: bool = False
    remote_memory: float = 0.0

    @classmethod
    def of(cls, scenario: Scenario) -> Self:
        """The site of a scenario."""
        placement = scenario.placement
        return cls(
            scenario.machine,
            placement.core_ghz,
            placement.core_priority,
            placement.llc_ways,
            placement.busy_siblings,
            placement.remote_memory,
        )

    @property
    def calibrated(self) -> bool:
        """Whether it is the host as it was calibrated."""
        return self == Site()


def at_host(scenario: Scenario) -> Scenario:
    """The scenario without its site: what a calibration for another machine is asked."""
    site = Site()
    placement = scenario.placement.model_copy(
        update={
            "core_ghz": site.core_ghz,
            "core_priority": site.core_priority,
            "llc_ways": site.llc_ways,
            "busy_siblings": site.busy_siblings,
            "remote_memory": site.remote_memory,
        }
    )
    return scenario.model_copy(update={"machine": site.machine, "placement": placement})


def by_site(scenarios: Sequence[Scenario]) -> dict[Site, list[int]]:
    """Places of the scenarios, by their site."""
    found: dict[Site, list[int]] = {}
    for place, scenario in enumerate(scenarios):
        found.setdefault(Site.of(scenario), []).append(place)
    return found
