"""What imported counters say of each run, as measured results: the run's ``result.json``."""

from __future__ import annotations

import re
from pathlib import Path

from planecast.calibrate.counted_run import CountedRun
from planecast.catalog import names
from planecast.results.estimate import Estimate
from planecast.results.manifest import Manifest
from planecast.results.result import Result
from planecast.results.student import FEWEST_ROUNDS, mean_estimate
from planecast.scenario.machine import Machine
from planecast.scenario.placement import Placement
from planecast.scenario.scenario import Scenario


def imported_result(run: CountedRun, machine: Machine, manifest: Manifest) -> Result:
    """A run as a measured result. Cycles are of the machine's base clock, as the time-stamp
    counter's are. Its scenario says no more than what is known: machine, clock and ways."""
    known = run.condition
    stem = re.sub(r"[^A-Za-z0-9._-]", "-", Path(known.label).stem)[:64].strip("-.") or "counters"
    base = machine.values.base_ghz.value
    cost = mean_estimate(
        run.cpi * run.instructions * base / run.ghz,
        "cycles/packet",
        "measured",
        fewest=FEWEST_ROUNDS,
    )
    low, high = cost.interval or (None, None)
    clock = base * 1e9 * known.cores
    return Result(
        scenario=Scenario(
            name=stem,
            machine=machine.name if machine.name in names("cpus") else "host",
            placement=Placement(lcores=known.cores, core_ghz=run.ghz, llc_ways=known.llc_ways),
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
        ipc=mean_estimate(1 / run.cpi, "instructions/cycle", "measured", fewest=FEWEST_ROUNDS),
        notes=(
            f"counters of {known.label}, from another machine: the workload is not the scenario's",
            *run.remarks,
        ),
        manifest=manifest,
    )
