"""The simulator as a tester: a trial is so much simulated time, with a seed of its own."""

from __future__ import annotations

from planecast.engines.simulate.closed_form_view import closed_form_view
from planecast.engines.simulate.engine import simulate
from planecast.engines.simulate.model import Recording
from planecast.engines.solve import solve
from planecast.errors import InputError
from planecast.model.calibration import Calibration
from planecast.results.estimate import Kind
from planecast.results.manifest import Manifest
from planecast.results.result import Result
from planecast.results.search import Method
from planecast.scenario.scenario import Scenario
from planecast.search.tester import Opinion
from planecast.search.trial import Trial

_RUN_SEED = 1_000_003
"""Repetitions have seeds so far apart that their trials share none."""


class SimulatedTester:
    """Trials on the simulator. The generator is perfect: it sends what is asked, at once."""

    kind: Kind = "simulated"

    def __init__(self, scenario: Scenario, calibration: Calibration, manifest: Manifest) -> None:
        """Raises InputError for a scenario that has a load of its own."""
        refuse_own_load(scenario)
        self._scenario = scenario
        self._calibration = calibration
        self._manifest = manifest
        self._repetition = 0
        self.dataplane = f"the model of {scenario.forwards}"
        (solved,) = solve([closed_form_view(scenario)], calibration, manifest)
        self.model_share = (solved.throughput_pps.half_width_percent or 0.0) / 100
        """What the calibration leaves open of a rate, as a share of it: 95 %."""

    def start(self, repetition: int) -> None:
        """Another seed; a simulated trial begins with empty rings, and nothing in it is cold."""
        self._repetition = repetition

    def trial(self, offered_pps: float, seconds: float, number: int) -> Trial:
        """One trial of simulated time. Raises as `simulate` does."""
        return self._simulated(self._scenario, offered_pps, seconds, number)

    def burst(self, packets: int, offered_pps: float, number: int) -> Trial:
        """Refused: a burst into empty queues and the draining after it are no steady state."""
        raise _no_bursts()

    def opinion(self, offered_pps: float, seconds: float) -> Opinion:
        """None: what it costs is what it was given."""
        return Opinion()

    def close(self) -> None:
        """Nothing was changed."""

    def _simulated(
        self, scenario: Scenario, offered_pps: float, seconds: float, number: int
    ) -> Trial:
        traffic = scenario.traffic.model_copy(update={"offered_pps": offered_pps})
        (result,) = simulate(
            [scenario.model_copy(update={"traffic": traffic})],
            self._calibration,
            self._manifest,
            seed=(scenario.traffic.seed + _RUN_SEED * self._repetition + number) % 2**32,
            threads=1,
            recording=Recording(duration_ns=seconds * 1e9),
        )
        return _trial(result, offered_pps, seconds)


def refuse_method(method: Method) -> None:
    """Raises InputError for a method that the simulator has no trials for."""
    if method == "back-to-back":
        raise _no_bursts()


def _no_bursts() -> InputError:
    return InputError(
        "the simulator answers at loads, not for a single burst",
        "--method back-to-back",
        "measure it (--engine measure)",
    )


def refuse_own_load(scenario: Scenario) -> None:
    """Raises InputError for a scenario that says what is offered: a search varies that."""
    if scenario.traffic.at_a_rate:
        raise InputError(
            "a rate or a capture is set, but a search goes through loads of its own",
            f"{scenario.name}: traffic",
            "leave traffic.offered_pps, traffic.arrivals and traffic.pcap out",
        )


def _trial(result: Result, offered_pps: float, seconds: float) -> Trial:
    offered = result.packets_in or 0
    return Trial(
        intended_pps=offered_pps,
        intended_seconds=seconds,
        seconds=seconds,
        offered=offered,
        # What is in a ring when the time is over would still come out: it is not lost.
        received=offered - sum(result.drops.values()),
        latency_ns={
            name: result.latency_ns[name].value
            for name in ("mean", "p50", "p99")
            if name in result.latency_ns
        },
        capped_by=result.capped_by,
    )
