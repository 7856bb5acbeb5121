"""Counters of runs on other machines as a calibration: CPI_core and the blocking factor by
regression.

CPI of each run = CPI_core + BF * what its lines from L2, last level and memory take an instruction,
the vPE study's regression (Fig 6). Runs with other cache sizes or clocks distinguish the two. What
they leave open is filled by what others found: BF is 0.23 in the vPE study's own published figures
(`planecast reproduce vpe`), taken as known within 0.15. It weighs as one more observation, so data
outweigh it as they come in, and one run has an interval that says what was assumed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planecast.calibrate.counted_run import CountedRun
from planecast.errors import InputError
from planecast.machine.core import CPI
from planecast.machine.hierarchy import Hierarchy
from planecast.model.calibration import EDITION, Calibration, Discrepancy, FittedParameter
from planecast.model.counter_model import BF, STAGE, Counted, MemoryLines, delay_cycles
from planecast.model.supported import COUNTED
from planecast.model.transfer import machine_hierarchy
from planecast.results.manifest import Manifest
from planecast.scenario.fact import Positive
from planecast.scenario.machine import Machine
from planecast.workload.counts import (
    BurstInstructions,
    InstructionCounts,
    StageInstructions,
)

Floats = NDArray[np.float64]

ASSUMED_BF, ASSUMED_BF_SD = 0.23, 0.15
MODEL_ERROR = 0.04
"""Relative error of a model of this form across machines, which the vPE study gives as a bound: it
counts as two runs' errors, until there are runs enough to decide."""
FLOOR = 0.01
"""No run's CPI is taken for better known than 1 %."""
ONE_ROUND = 0.02
"""Relative deviation of a run that was counted as a whole."""
UNLIKE = 0.05
"""Instructions a packet that differ by more between runs are of other work."""
LEAST = 1e-3
"""Of CPI and BF, whose logarithms are kept."""
FREEDOM = 30
"""The errors above are floors and bounds, not estimates: their quantile is nearly normal."""


@dataclass(frozen=True)
class Imported:
    """A calibration from counters, and what was assumed for it."""

    calibration: Calibration
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class _Line:
    """CPI_core and BF with their covariance."""

    vector: Floats
    covariance: Floats
    at_bound: bool


def calibrate_counters(
    runs: Sequence[CountedRun], machine: Machine, manifest: Manifest
) -> Imported:
    """A calibration from counted runs of one workload on one machine.

    Raises InputError for runs with other numbers of cores, for instructions that no core could
    retire, and for cycles that the counted lines can't explain.
    """
    cores = {run.condition.cores for run in runs}
    if len(cores) > 1:
        raise InputError(
            f"the runs had {' and '.join(map(str, sorted(cores)))} cores",
            "--from",
            "import runs of one number of cores",
        )
    remarks = [f"{run.condition.label}: {text}" for run in runs for text in run.remarks]
    known = _with_latency(machine, runs, remarks)
    hierarchies = [machine_hierarchy(known, run.ghz, run.condition.llc_ways) for run in runs]
    means, deviations = _cpis(runs)
    delays = _delays(runs, hierarchies)
    least = 1 / known.core.issue_width.value
    _check_cpi(runs, means, least)
    line = _fit(means, deviations, delays, least)
    instructions, spread = _instructions(runs, remarks)
    _note_what_is_open(runs, line, remarks)
    vector = np.maximum(line.vector, LEAST)
    covariance = line.covariance / np.outer(vector, vector)
    covariance[0, 0] += spread**2
    return Imported(
        Calibration(
            edition=EDITION,
            kind=COUNTED,
            parameters=_parameters(vector, covariance),
            covariance=tuple(tuple(row) for row in covariance.tolist()),
            freedom=FREEDOM,
            discrepancy=Discrepancy(
                core=_discrepancy(means, deviations, delays, least), memory=0.0, neighbour=0.0
            ),
            hierarchy=hierarchies[0],
            instructions={STAGE: _counts(instructions)},
            ranges={},
            stages=(),
            points=len(runs),
            manifest=manifest,
            counted=_counted(runs, known, hierarchies, instructions),
        ),
        tuple(dict.fromkeys(remarks)),
    )


def _with_latency(machine: Machine, runs: Sequence[CountedRun], remarks: list[str]) -> Machine:
    """The machine with the latency of memory that was counted, if it was."""
    counted = [run.memory_ns for run in runs if run.memory_ns is not None]
    own = machine.values.memory_idle_ns.value
    if not counted:
        remarks.append(f"latency of memory as the catalogue has it: {own:g} ns")
        return machine
    found = Positive(value=float(np.mean(counted)), status="measured", source="counters")
    return machine.model_copy(
        update={
            "values": machine.values.model_copy(update={"memory_idle_ns": found}),
            "sources": {**machine.sources, "counters": "imported counters"},
        }
    )


def _cpis(runs: Sequence[CountedRun]) -> tuple[Floats, Floats]:
    """Mean CPI of each run and its standard deviation."""
    means = np.array([run.cpi.mean() for run in runs])
    errors = [
        run.cpi.std(ddof=1) / np.sqrt(run.cpi.size) / run.cpi.mean()
        if run.cpi.size > 1
        else ONE_ROUND
        for run in runs
    ]
    return means, means * np.hypot(np.array(errors), FLOOR)


def _lines(run: CountedRun) -> tuple[float, float, float]:
    """Lines an instruction from L2, last level and memory."""
    memory = float(run.misses.mean())
    asked = memory if run.asked is None else max(memory, float(np.nanmean(run.asked)))
    hits = 0.0 if run.l2_hits is None else float(np.nanmean(run.l2_hits))
    return hits, asked - memory, memory


def _delays(runs: Sequence[CountedRun], hierarchies: Sequence[Hierarchy]) -> Floats:
    """Core cycles an instruction that the lines of each run take."""
    return np.array(
        [
            delay_cycles(hierarchy, *_lines(run)) / hierarchy.tsc_per_core_cycle
            for run, hierarchy in zip(runs, hierarchies, strict=True)
        ]
    )


def _check_cpi(runs: Sequence[CountedRun], means: Floats, least: float) -> None:
    for run, cpi in zip(runs, means.tolist(), strict=True):
        if cpi < least * (1 - UNLIKE):
            raise InputError(
                f"{cpi:.3g} cycles an instruction are fewer than the {least:.3g} that the "
                "machine's cores need",
                run.condition.label,
                "name the --machine that was counted on",
            )


def _fit(means: Floats, deviations: Floats, delays: Floats, least: float) -> _Line:
    """Least squares with the assumed BF as one more observation; both within physics."""
    rows = np.column_stack([np.ones_like(means), delays]) / deviations[:, None]
    rows = np.vstack([rows, [0.0, 1 / ASSUMED_BF_SD]])
    target = np.append(means / deviations, ASSUMED_BF / ASSUMED_BF_SD)
    covariance: Floats = np.asarray(np.linalg.inv(rows.T @ rows), dtype=np.float64)
    vector = covariance @ rows.T @ target
    held = float(np.clip(vector[1], 0.0, None))
    if vector[0] < least and float(delays.mean()) > 0:
        held = max(0.0, float((means.mean() - least) / delays.mean()))
    if held == vector[1]:
        return _Line(vector, covariance, False)
    weights = deviations**-2
    core = float(((means - held * delays) * weights).sum() / weights.sum())
    # What a parameter at its bound leaves open stays open.
    return _Line(np.array([max(core, least), held]), covariance, True)


def _discrepancy(means: Floats, deviations: Floats, delays: Floats, least: float) -> float:
    """The model's own relative error: each run predicted from the others, and what is assumed."""
    errors: list[float] = [MODEL_ERROR, MODEL_ERROR]
    for left_out in range(len(means) if len(means) > 2 else 0):
        others = np.arange(len(means)) != left_out
        line = _fit(means[others], deviations[others], delays[others], least)
        found = line.vector @ (1.0, delays[left_out])
        errors.append(max(FLOOR, abs(float(found / means[left_out]) - 1)))
    return float(np.sqrt(np.mean(np.square(errors))))


def _instructions(runs: Sequence[CountedRun], remarks: list[str]) -> tuple[float, float]:
    """(instructions a packet, relative standard deviation of their mean)."""
    found = np.array([run.instructions for run in runs])
    mean = float(found.mean())
    if np.ptp(found) > UNLIKE * mean:
        remarks.append(
            f"instructions a packet differ between the runs, from {found.min():.4g} to "
            f"{found.max():.4g}: was it the same work?"
        )
    spread = float(found.std(ddof=1) / np.sqrt(found.size)) if found.size > 1 else 0.0
    return mean, spread / mean


def _note_what_is_open(runs: Sequence[CountedRun], line: _Line, remarks: list[str]) -> None:
    if any(run.asked is None for run in runs):
        remarks.append(
            "accesses of the last level weren't counted: what they take is in the core's cycles"
        )
    if any(run.l2_hits is None for run in runs):
        remarks.append("hits of L2 weren't counted: what they take is in the core's cycles")
    known = 1 - line.covariance[1, 1] / ASSUMED_BF_SD**2
    if known < 0.5:
        remarks.append(
            "the runs don't determine the blocking factor: it is mostly assumed, "
            f"{ASSUMED_BF:g} ± {2 * ASSUMED_BF_SD:g}; import runs with other llc_ways or core_ghz"
        )
    if line.at_bound:
        remarks.append("the regression leaves what is physical: it is held at the bound")


def _counted(
    runs: Sequence[CountedRun],
    machine: Machine,
    hierarchies: Sequence[Hierarchy],
    instructions: float,
) -> Counted:
    """Lines a packet by level; runs with a last level of one size are averaged."""
    sizes: dict[float, list[float]] = {}
    for run, hierarchy in zip(runs, hierarchies, strict=True):
        sizes.setdefault(hierarchy.levels[-1].size_bytes, []).append(_lines(run)[2])
    lines = [_lines(run) for run in runs]
    whole = all(run.asked is not None for run in runs)
    return Counted(
        files=tuple(run.condition.label for run in runs),
        machine=machine,
        lcores=runs[0].condition.cores,
        l2_lines=instructions * float(np.mean([hits for hits, _, _ in lines])),
        llc_lines=(
            instructions * float(np.mean([last + memory for _, last, memory in lines]))
            if whole
            else None
        ),
        memory=tuple(
            MemoryLines(llc_bytes=size, lines=instructions * float(np.mean(found)))
            for size, found in sorted(sizes.items())
        ),
    )


def _counts(instructions: float) -> InstructionCounts:
    """The instructions as the model keeps them: of one stage, the same at any burst."""
    one = StageInstructions(
        per_packet=instructions,
        per_burst=0.0,
        counted=tuple(BurstInstructions(burst=n, per_packet=instructions) for n in (1, 256)),
    )
    none = StageInstructions(
        per_packet=0.0,
        per_burst=0.0,
        counted=tuple(BurstInstructions(burst=n, per_packet=0.0) for n in (1, 256)),
    )
    return InstructionCounts(
        instrument="counters",
        instruction_set="as counted",
        burst=256,
        stages={STAGE: one},
        other=none,
        total=one,
        functions=(),
        runs=(),
    )


def _parameters(vector: Floats, covariance: Floats) -> tuple[FittedParameter, ...]:
    units: Mapping[str, str] = {CPI: "core cycles/instruction", BF: "ratio"}
    factors = np.exp(2 * np.sqrt(np.diag(covariance)))
    prior = (ASSUMED_BF_SD / ASSUMED_BF) ** 2
    informed = (1.0, max(0.0, 1 - float(covariance[1, 1]) / prior))
    return tuple(
        FittedParameter(
            name=name,
            value=float(value),
            low=float(value / factor),
            high=float(value * factor),
            unit=units[name],
            informed=known,
        )
        for name, value, factor, known in zip(units, vector, factors, informed, strict=True)
    )
