"""The closed form's speed: scenarios a second of CPU time, and a simulated sweep's on two cores.

The calibration is made up, as large as real ones are: every parameter that the model has, on a last
level that others use, too. Scenarios are drawn over eight keys, so that no two are alike.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import mean, stdev

import numpy as np
from scipy import stats

from planecast.engines.solve import solve_many
from planecast.errors import MissingError
from planecast.machine.hierarchy import Flight, Hierarchy, Level
from planecast.model.calibration import EDITION, Calibration, Discrepancy, FittedParameter
from planecast.model.posterior import parameters_of
from planecast.model.supported import columns_of
from planecast.results import Estimate, RunDirectory, collect_manifest
from planecast.scenario import Scenario, with_overrides
from planecast.sweep import Job, Plan, Workers, parse_axis, run_sweep
from planecast.workload.counts import InstructionCounts, RawCounts, solve_counts
from planecast.workload.profile import WorkloadProfile
from planecast.workload.scenario_columns import Choice
from row import Row, row

REPEATS = 7
SCENARIOS = 1 << 16
GOAL = 500_000
MOST_LCORES = 4
SWEEP_POINTS = 2000

INSTRUCTIONS = {
    "source": 30,
    "acl": 80,
    "key": 25,
    "classify": 130,
    "actions": 55,
    "route": 40,
    "tx": 4,
}


def calibration() -> Calibration:
    """A machine like a server of today, and every parameter."""
    hierarchy = Hierarchy(
        tsc_hz=2.5e9,
        core_hz=3e9,
        levels=(
            Level(name="L1", size_bytes=48 << 10, latency_cycles=5, line_cycles=0.6, shared=False),
            Level(name="L2", size_bytes=2 << 20, latency_cycles=14, line_cycles=2, shared=False),
            Level(name="LLC", size_bytes=16 << 20, latency_cycles=70, line_cycles=9, shared=True),
        ),
        memory_latency_cycles=300,
        flights=tuple(Flight(width=n, line_cycles=20 + 280 / n) for n in (1, 2, 4, 8, 16, 32)),
        walk_cycles=20,
        tlb_pages=2048,
        background=True,
    )
    counts = _counts()
    base = with_overrides(Scenario(name="bench"), {"workload.flows": 1 << 20})
    profile = WorkloadProfile.of(columns_of([base]), counts)
    parameters = parameters_of(profile, hierarchy)
    return Calibration(
        edition=EDITION,
        kind="vpe-upstream",
        parameters=tuple(
            FittedParameter(
                name=one.name,
                value=one.median,
                low=0.8 * one.median,
                high=1.25 * one.median,
                unit=one.unit,
                informed=0.5,
            )
            for one in parameters
        ),
        covariance=tuple(tuple(0.01 * (a is b) for b in parameters) for a in parameters),
        freedom=20,
        discrepancy=Discrepancy(core=0.02, memory=0.05, neighbour=0.05),
        hierarchy=hierarchy,
        instructions=counts,
        ranges={},
        stages=tuple(INSTRUCTIONS),
        points=24,
        manifest=collect_manifest("bench", 1),
    )


def _of_a_server() -> Calibration:
    """The calibration of a host that has all lcores that are drawn, whatever this one has."""
    model = calibration()
    host = {**model.manifest.host, "cpus": MOST_LCORES}
    return model.model_copy(update={"manifest": model.manifest.model_copy(update={"host": host})})


def _counts() -> dict[str, InstructionCounts]:
    runs = {}
    for burst in (8, 16, 32, 64):
        for packets in (64, 128):
            stages = {n: v * packets + 100 * (packets // burst) for n, v in INSTRUCTIONS.items()}
            runs[packets, burst] = RawCounts(total=sum(stages.values()) + 50, stages=stages)
    return {"acl,key,classify,actions,route": solve_counts("singlestep", "native", runs)}


def _drawn(count: int, seed: int) -> Mapping[str, np.ndarray | Choice]:  # type: ignore[type-arg]
    random = np.random.default_rng(seed)

    def powers(low: int, high: int) -> np.ndarray:  # type: ignore[type-arg]
        return np.floor(2 ** random.uniform(low, high, count))

    return {
        "workload.acl_rules": powers(4, 16),
        "workload.routes": powers(4, 16),
        "traffic.flows": powers(4, 20),
        "traffic.frame_bytes": np.floor(random.uniform(64, 1519, count)),
        "placement.burst": np.floor(random.uniform(4, 129, count)),
        "placement.rx_ring": 2 ** np.floor(random.uniform(5, 14, count)),
        "placement.tx_ring": 2 ** np.floor(random.uniform(5, 14, count)),
        "placement.lcores": np.array([1.0, 2.0, 4.0])[random.integers(0, 3, count)],
    }


def solve_speed() -> list[Row]:
    """Scenarios a second of one core, and that eight times as many take eight times as long."""
    model = _of_a_server()
    base = with_overrides(Scenario(name="bench"), {"workload.flows": 1 << 20})
    rates: dict[int, list[float]] = {1: [], 8: []}
    solve_many(base, _drawn(SCENARIOS, 0), model)  # numpy's and ours, loaded
    for repeat in range(REPEATS):
        for times, found in rates.items():
            columns = _drawn(times * SCENARIOS, repeat)
            began = time.process_time()
            solve_many(base, columns, model)
            found.append(times * SCENARIOS / (time.process_time() - began))
    one, many = (_rate(found, "scenarios/s") for found in rates.values())
    return [
        row("solve scenarios/s", one, None, "scenarios/s of one core", GOAL, at_least=True),
        row("solve 8x as many/one", many, one, "scenarios/s", 0.9, at_least=True),
    ]


def sweep_on_two_cores() -> list[Row]:
    """Simulated points a second of wall-clock time: two processes over one."""
    if len(os.sched_getaffinity(0)) < 2:
        raise MissingError("a sweep on two cores needs two", "bench")
    rates: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(3):
        for count, found in rates.items():
            found.append(_sweep_rate(count))
    one, two = (_rate(found, "points/s") for found in rates.values())
    return [row("simulated sweep two cores/one", two, one, "points/s", 1.8, at_least=True)]


def _sweep_rate(count: int) -> float:
    axes = [parse_axis("traffic.offered_pps=100kpps:4Mpps"), parse_axis("placement.burst=16:64")]
    job = Job(
        plan=Plan.of(Scenario(name="bench"), axes, "lhs", SWEEP_POINTS, 1),
        calibration=calibration(),
        engine="simulate",
        precision=0.01,
        batch=16,
        manifest=collect_manifest("bench", 1),
    )
    stored: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        run = RunDirectory.create(Path(folder), "sweep", "bench")
        workers = Workers(count)
        run_sweep(job, run, workers, lambda done, *_: stored.append((time.monotonic(), done)))
    # The start of the processes is no part of a sweep's pace.
    (began, first), (ended, last) = stored[2 * count], stored[-1]
    return (last - first) / (ended - began)


def _rate(found: list[float], unit: str) -> Estimate:
    """Mean over the repeats with its 95 % interval."""
    value = mean(found)
    half = float(stats.t.ppf(0.975, len(found) - 1)) * stdev(found) / len(found) ** 0.5
    return Estimate(
        value=value,
        low=value - half,
        high=value + half,
        samples=len(found),
        unit=unit,
        kind="measured",
    )
