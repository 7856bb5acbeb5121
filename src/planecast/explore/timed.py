"""Loss and latency at an offered load, from the simulator, in about a second.

A packet's cost is known up to its 95 % interval, and near saturation loss and latency follow from
where in it the cost lies. So the scenario is simulated at the cost and at both ends of its
interval, with several seeds each: a figure's value is the mean at the cost, its interval reaches
from the lowest to the highest figure of all runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from planecast.errors import InputError
from planecast.explore.point import estimate_json, machine_title, manifest_of, plain_view, solved
from planecast.results import Estimate, Result
from planecast.scenario import Scenario, with_overrides
from planecast.study.calibration_run import Chosen
from planecast.sweep.answer import loss_of

Json = dict[str, Any]

SEEDS = 2
"""Runs at each cost."""
HOST_SECONDS = 0.25
"""Of each run, at most; two are done at a time."""
_THREADS = 2
_PRECISION = 0.005
_SEED_MOST = 2**32 - 1

PERCENTILES = ("mean", "p50", "p99", "p99.9")


def timed(scenario: Scenario, chosen: Chosen, load: float, machine: str | None = None) -> Json:
    """The simulator's answer at `load`, a share of the throughput that the closed form computes,
    where the scenario doesn't set a rate itself; on another `machine` at the same rate.

    Raises InputError for a load that isn't above 0 and for what the simulator doesn't know.
    """
    from planecast.engines.simulate.notes import LATENCY, NOT_INCLUDED

    if not 0 < load <= 2:
        raise InputError(f"got a load of {load}", "load", "say a share above 0, up to 2")
    offered = scenario.traffic.offered_pps or load * _capacity(scenario, chosen)
    at_rate = with_overrides(
        scenario, {"traffic.offered_pps": offered, **({"machine": machine} if machine else {})}
    )
    spread = _spread(at_rate, chosen)
    results = _runs(at_rate, chosen, spread)
    first = results[0]
    # Latencies have columns of their own; what the calibration leaves open is played here.
    notes = [n for n in first.notes if NOT_INCLUDED not in n and not n.startswith(LATENCY)]
    return {
        "machine": machine_title(at_rate.machine),
        "offered_pps": offered,
        "throughput": estimate_json(_over([one.throughput_pps.value for one in results], "pps")),
        "loss": estimate_json(_over([loss_of(one) for one in results], "share")),
        "latency": {name: estimate_json(_latency(results, name)) for name in PERCENTILES},
        "capped_by": first.capped_by,
        "packets": sum(one.packets_in or 0 for one in results),
        "runs": len(results),
        "cost_percent": [100 * (factor - 1) for factor in spread],
        "notes": notes,
    }


def _capacity(scenario: Scenario, chosen: Chosen) -> float:
    return _closed(scenario, chosen).throughput_pps.value


def _closed(scenario: Scenario, chosen: Chosen) -> Result:
    return solved(plain_view(scenario), chosen, manifest_of(chosen.basis))


def _spread(scenario: Scenario, chosen: Chosen) -> tuple[float, float]:
    """Ends of the cost's 95 % interval, relative to the cost."""
    cost = _closed(scenario, chosen).cycles_per_packet
    low, high = cost.interval or (cost.value, cost.value)
    return low / cost.value, high / cost.value


def _runs(scenario: Scenario, chosen: Chosen, spread: tuple[float, float]) -> list[Result]:
    """The scenario at its cost, then at either end, with other random numbers each."""
    from planecast.engines.simulate.engine import simulate

    seed = scenario.traffic.seed
    seeds = [(seed + number) % _SEED_MOST for number in range(SEEDS)]
    return simulate(
        [with_overrides(scenario, {"traffic.seed": one}) for _ in (1.0, *spread) for one in seeds],
        chosen.model,
        manifest_of(chosen.basis),
        precision=_PRECISION,
        threads=_THREADS,
        host_seconds=HOST_SECONDS,
        slower=[factor for factor in (1.0, *spread) for _ in seeds],
    )


def _latency(results: Sequence[Result], name: str) -> Estimate | None:
    found = (one.latency_ns.get(name) for one in results)
    return _over([None if one is None else one.value for one in found], "ns")


def _over(values: Sequence[float | None], unit: str) -> Estimate | None:
    """The mean of the first runs, those at the cost itself, and the range of all; None unless
    every run has a value."""
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    return Estimate(
        value=float(np.mean(known[:SEEDS])),
        low=min(known),
        high=max(known),
        samples=len(known),
        unit=unit,
        kind="simulated",
    )
