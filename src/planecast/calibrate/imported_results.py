"""What imported counters say of each run, as measured results: the run's ``result.json``."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from scipy import stats

from planecast.calibrate.counted_run import CountedRun
from planecast.catalog import names
from planecast.results.estimate import Estimate
from planecast.results.manifest import Manifest
from planecast.results.result import Result
from planecast.scenario.machine import Machine
from planecast.scenario.placement import Placement
from planecast.scenario.scenario import Scenario

_FEWEST = 3
"""Rounds from which on there is an interval."""


def imported_result(run: CountedRun, machine: Machine, manifest: Manifest) -> Result:
    """A run as a measured result. Cycles are of the machine's base clock, as the time-stamp
    counter's are. Its scenario says no more than what is known: machine, clock and ways."""
    known = run.condition
    stem = re.sub(r"[^A-Za-z0-9._-]", "-", Path(known.label).stem)[:64].strip("-.") or "counters"
    base = machine.values.base_ghz.value
    cost = _mean(run.cpi * run.instructions * base / run.ghz, "cycles/packet")
    low, high = cost.interval or (None, None)
    clock = base * 1e9 * known.cores
    return Result(
        scenario=Scenario(
            name=stem,
            machine=machine.name if machine.name in names("cpus") else "host",
            placement=Placement(
                lcores=f"0-{known.cores - 1}", core_ghz=run.ghz, llc_ways=known.llc_ways
            ),
        ),
        throughput_pps=Estimate(
            value=clock / cost.value,
            low=None if high is None else clock / high,
            high=None if low is None else clock / low,
            samples=cost.samples,
            unit="pps",
            kind="measured",
        ),
        cycles_per_packet=cost,
        instructions_per_packet=Estimate(
            value=run.instructions, samples=1, unit="instructions/packet", kind="measured"
        ),
        ipc=_mean(1 / run.cpi, "instructions/cycle"),
        notes=(
            f"counters of {known.label}, recorded elsewhere: the workload is not the scenario's",
            *run.remarks,
        ),
        manifest=manifest,
    )


def _mean(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]], unit: str) -> Estimate:
    mean, half = float(values.mean()), None
    if values.size >= _FEWEST:
        quantile = float(stats.t.ppf(0.975, values.size - 1))
        half = quantile * float(values.std(ddof=1)) / float(np.sqrt(values.size))
    return Estimate(
        value=mean,
        low=None if half is None else mean - half,
        high=None if half is None else mean + half,
        samples=int(values.size),
        unit=unit,
        kind="measured",
    )
