"""Calibrating: measured results to a Calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from planecast.errors import InputError
from planecast.machine.hierarchy import Hierarchy
from planecast.model.calibrated_range import coordinates, ranges_of, settings_of
from planecast.model.calibration import EDITION, Calibration, FittedParameter
from planecast.model.left_out import FREEDOM
from planecast.model.posterior import Points, Posterior, posterior
from planecast.model.supported import columns_of
from planecast.results.manifest import Manifest
from planecast.results.result import Result
from planecast.results.scores import NORMAL_95
from planecast.workload.counts import InstructionCounts
from planecast.workload.profile import WorkloadProfile
from planecast.workload.traced.program_profile import ProgramProfile

FEWEST_POINTS = 3
DISTURBED = 0.3
"""Least relative standard deviation of a point that rests on disturbed windows. Two such points of
an Ice Lake guest took 1.6 and 1.7 times what they did in a quiet hour, or what the model says;
between 0.15 and 0.6 it makes no difference to the other points' errors."""


def calibrate(
    measured: Sequence[Result],
    hierarchy: Hierarchy,
    instructions: Mapping[str, InstructionCounts],
    manifest: Manifest,
    program: ProgramProfile | None = None,
) -> Calibration:
    """Fits the model to measured results of one network function, or of one `program` of others.

    Raises InputError for too few points and for what the model doesn't know.
    """
    if len(measured) < FEWEST_POINTS:
        raise InputError(
            f"{len(measured)} points are too few to calibrate on",
            "calibrate",
            f"give {FEWEST_POINTS} or more",
        )
    scenarios = [result.scenario for result in measured]
    columns = columns_of(scenarios)
    profile = WorkloadProfile.of(columns, instructions, program)
    found = posterior(_points(measured, profile), hierarchy)
    return Calibration(
        edition=EDITION,
        kind=columns.kind,
        parameters=_parameters(found),
        covariance=tuple(tuple(float(x) for x in row) for row in found.covariance),
        freedom=FREEDOM,
        discrepancy=found.discrepancy,
        hierarchy=hierarchy,
        instructions=dict(instructions),
        ranges=ranges_of(scenarios),
        settings=settings_of(scenarios),
        stages=tuple(
            stage
            for stage in profile.stages
            if program is not None or any(stage in result.stages for result in measured)
        ),
        placed={key: tuple(column.tolist()) for key, column in coordinates(scenarios).items()},
        points=len(measured),
        manifest=manifest,
        program=program,
    )


def _points(measured: Sequence[Result], profile: WorkloadProfile) -> Points:
    def stage_cycles(result: Result, stage: str) -> float:
        found = result.stages.get(stage)
        if found is None or found.cycles_per_packet is None:
            return float("nan")
        return found.cycles_per_packet.value

    def deviation(result: Result) -> float:
        own = (result.cycles_per_packet.half_width_percent or 0.0) / 100 / NORMAL_95
        return max(own, DISTURBED) if result.few_windows else own

    return Points(
        profile=profile,
        cycles=np.array([result.cycles_per_packet.value for result in measured]),
        deviations=np.array([deviation(result) for result in measured]),
        clocks={
            name: np.array([stage_cycles(result, name) for result in measured])
            for name in profile.clocked
        },
    )


def _parameters(found: Posterior) -> tuple[FittedParameter, ...]:
    deviations = np.sqrt(np.diag(found.covariance))
    return tuple(
        FittedParameter(
            name=one.name,
            value=float(np.exp(log)),
            low=float(np.exp(log - NORMAL_95 * deviation)),
            high=float(np.exp(log + NORMAL_95 * deviation)),
            unit=one.unit,
            informed=float(informed),
        )
        for one, log, deviation, informed in zip(
            found.parameters, found.logarithms, deviations, found.informed, strict=True
        )
    )
