"""planecast's own data plane under test: it forwards from its start to its end, as others do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self

from planecast.controlled import Planned
from planecast.dataplanes.command import pdeath_words
from planecast.dataplanes.config import configs_for
from planecast.dataplanes.end import End, eal_words, port_numbers
from planecast.dataplanes.ours import Dataplane
from planecast.dataplanes.trial import PortTrial
from planecast.instruments.dpdk_telemetry import port_counters
from planecast.results.estimate import Estimate
from planecast.scenario.scenario import Scenario

_FOR_GOOD_S = 1e6
"""The longest trial that the program takes: eleven days."""


def _for_good(scenario: Scenario) -> PortTrial:
    """Without canaries: it polls from the start."""
    return PortTrial(seconds=_FOR_GOOD_S, scenario=scenario, canary=False)


class OursFreely:
    """Our data plane between two ends, in one trial that never ends by itself."""

    name = "planecast-dataplane"

    def __init__(
        self, scenario: Scenario, ends: Sequence[End], cpu: int, before: Sequence[str] = ()
    ) -> None:
        """It forwards on `cpu`. `before` are words before its command, to run it elsewhere."""
        placement = scenario.placement.model_copy(update={"lcores": str(cpu)})
        self._scenario = scenario.model_copy(update={"placement": placement})
        comes_in, goes_out = port_numbers(ends)
        config = configs_for([self._scenario])[0]
        config = replace(config, rx=str(comes_in), tx=str(goes_out), telemetry=True)
        # In a trial it does not see that its input was closed: so the kernel tells it.
        words = (*before, *pdeath_words("TERM"))
        self._dataplane = Dataplane(config, eal_words(ends), words)

    def planned(self) -> list[Planned]:
        """One process. Raises MissingError when it isn't built."""
        return [self._dataplane.plan()]

    def __enter__(self) -> Self:
        self._dataplane.__enter__()
        try:
            self._dataplane.start(_for_good(self._scenario))
        except BaseException:
            self._dataplane.stop()
            raise
        return self

    def __exit__(self, *about: object) -> None:
        self._dataplane.stop()

    def ports(self) -> Mapping[str, int]:
        """What its ports have counted since its start. Raises RunError."""
        socket = self._dataplane.ready.get("telemetry")
        return {} if socket is None else port_counters(Path(socket))

    @property
    def pid(self) -> int | None:
        """Its process; None when it doesn't run."""
        return self._dataplane.pid

    def check(self) -> None:
        """Raises RunError with its last words when it has ended."""
        self._dataplane.check()

    def begin_opinion(self) -> None:
        """Nothing: `planecast measure` asks it."""

    def opinion(self) -> Mapping[str, Estimate]:
        """Nothing."""
        return {}
