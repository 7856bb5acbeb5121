"""Real packets as a tester: our generator, a data plane between two memory interfaces."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import Any

from planecast.engines.measure.testbed import DRAIN_S, Testbed, generator_cpu
from planecast.engines.measure.unmeasured import refuse_unmeasured
from planecast.errors import InputError
from planecast.results.estimate import Estimate, Kind
from planecast.scenario.scenario import Scenario
from planecast.search.simulated import refuse_own_load
from planecast.search.trial import Trial

_WARMUP_S = 0.2
_WARMUP_PPS = 1e6
_TRIES = 8
"""Times that a trial is made in which the data plane was kept from its CPU until after its end."""


class MeasuredTester:
    """Trials over memory interfaces. Nothing runs before the first one."""

    kind: Kind = "measured"

    def __init__(self, scenario: Scenario, cpu: int | None) -> None:
        """`cpu` sends; None: the first that is free. Raises InputError for a scenario that can't be
        fed so, MissingError without a second CPU."""
        refuse_own_load(scenario)
        refuse_unmeasured([scenario])
        if len(scenario.placement.cpus) != 1:
            raise InputError(
                f"{len(scenario.placement.cpus)} lcores forward, but a memory interface feeds one",
                "placement.lcores",
                "name one CPU",
            )
        self._scenario = scenario
        self._cpu = generator_cpu(scenario, cpu, sorted(os.sched_getaffinity(0)))
        self._stack = ExitStack()
        self._testbed: Testbed | None = None
        self.dataplane = f"planecast's {scenario.workload.kind}"

    def start(self, repetition: int) -> None:
        """Starts both programs anew, and sends for a while: caches, tables and pages are warm."""
        self._stack.close()
        self._testbed = self._stack.enter_context(Testbed(self._scenario, self._cpu))
        self._testbed.trial(_WARMUP_PPS, _WARMUP_S)

    def trial(self, offered_pps: float, seconds: float, number: int) -> Trial:
        """One trial, read after both programs have drained. Raises RunError when one is gone."""
        assert self._testbed is not None
        for _ in range(_TRIES):
            made = self._testbed.trial(offered_pps, seconds)
            if made.whole:
                break
        return trial_of(made.sent, offered_pps, seconds, drained=made.whole)

    def burst(self, packets: int, offered_pps: float, number: int) -> Trial:
        """A burst is a trial that is as long as its packets take."""
        return self.trial(offered_pps, packets / offered_pps, number)

    def opinion(self, offered_pps: float, seconds: float) -> dict[str, Estimate]:
        """Nothing: telemetry of ours is what `planecast measure` tells."""
        return {}

    def close(self) -> None:
        """Ends both programs."""
        self._stack.close()


def trial_of(sent: dict[str, Any], offered_pps: float, seconds: float, *, drained: bool) -> Trial:
    """The generator's answer as a trial. What found a full ring was offered, and is lost."""
    total = sent["total"]
    latency = total["latency_ns"] or {}
    return Trial(
        intended_pps=offered_pps,
        intended_seconds=seconds,
        seconds=max(sent["seconds"], 1e-9),
        offered=total["sent"] + total["refused"],
        received=total["sent"] - total["lost"],
        unsent=(total["unsent"] - total["refused"]) if total["asked"] else 0,
        drained=drained and not sent["running"] and sent["drain_ms"]["took"] >= 1e3 * DRAIN_S,
        latency_ns={name: latency[name] for name in ("mean", "p50", "p99") if name in latency},
    )
