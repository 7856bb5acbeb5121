"""The processes that serve scenarios: planecast's own data plane, or a program of others."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from planecast.dataplanes.config import DataplaneConfig, configs_for
from planecast.dataplanes.metered import MeteredConfig, MeteredDataplane
from planecast.dataplanes.ours import Dataplane
from planecast.dataplanes.trial import Trial, TrialAnswer
from planecast.process import Planned
from planecast.scenario.scenario import Scenario

Process = DataplaneConfig | MeteredConfig


class Answering(AbstractContextManager["Answering", None], Protocol):
    """A process that answers trials. A context manager: it never outlives its block."""

    def begin(self) -> None:
        """What of its start needs no waiting (`Started.begin`)."""

    def stop(self) -> None:
        """Ends it; nothing when it doesn't run."""

    def plan(self, name: str, /) -> Planned:
        """What would be started; `name` is that of its configuration, where it reads one."""

    def request(self, trial: Trial, /) -> str:
        """The line that asks for a trial."""

    def trial(self, trial: Trial, /) -> TrialAnswer:
        """Runs one trial. Raises RunError when it fails."""


def processes_for(scenarios: Sequence[Scenario]) -> list[Process]:
    """For each scenario the process that serves it; scenarios that can share one, do.

    Raises InputError for a program that can't be measured without a generator.
    """
    ours = [scenario for scenario in scenarios if scenario.dataplane.kind == "ours"]
    configs = iter(configs_for(ours))
    return [
        next(configs) if scenario.dataplane.kind == "ours" else MeteredConfig.of(scenario)
        for scenario in scenarios
    ]


def process(config: Process, eal_arguments: Sequence[str] = ()) -> Answering:
    """The process, not started yet."""
    if isinstance(config, MeteredConfig):
        return MeteredDataplane(config)
    return Dataplane(config, eal_arguments)
