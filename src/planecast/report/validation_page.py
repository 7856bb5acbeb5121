"""The page of a validation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from planecast.report.calibration_table import calibration_table
from planecast.report.figures.error_by_point import error_by_point
from planecast.report.figures.measured_predicted import measured_predicted
from planecast.report.figures.stage_bars import CYCLES, INSTRUCTIONS
from planecast.report.figures.stages_along import stages_along
from planecast.report.figures.stages_by_result import stages_by_result
from planecast.report.figures.style import BAND_PERCENT
from planecast.report.labels import unique
from planecast.report.numbers import count_text, digits, interval_text
from planecast.report.page import (
    Card,
    Command,
    Drawing,
    Page,
    Section,
    Verdict,
    drawing,
    machine_text,
)
from planecast.report.point_table import error_table, point_tables
from planecast.report.profiles import alike, profiles, shared
from planecast.report.result_table import packet_table, stage_table
from planecast.report.roles import role_of
from planecast.report.sweep_axis import AXES, largest_family
from planecast.report.table import Table
from planecast.report.warnings import notes_of, result_warnings, validation_warnings
from planecast.results import Result
from planecast.results.result import CLOCK_AND_MODEL
from planecast.results.student import FEWEST_ROUNDS, mean_estimate
from planecast.results.validation import Validation, ValidationPoint
from planecast.scenario import Scenario


def validation_page(validation: Validation) -> Page:
    """What the report of a validation says."""
    labels = unique([point.label for point in validation.points])
    measured = [point.measured for point in validation.points]
    predicted = [point.predicted for point in validation.points]
    return Page(
        title=f"Validation of {validation.study}",
        verdict=_verdict(validation),
        machine=machine_text(validation.manifest),
        cards=list(_cards(validation)),
        sections=list(_sections(validation, labels)),
        commands=[
            Command(label, point.reproduce)
            for label, point in zip(labels, validation.points, strict=True)
        ],
        manifests=[validation.manifest],
        warnings=[
            *validation_warnings(validation),
            *result_warnings(labels, measured),
        ],
        notes=[
            *_provenance(validation),
            *validation.skipped,
            *notes_of(labels, measured, "measured: "),
            *notes_of(labels, predicted, "predicted: "),
        ],
    )


def _verdict(validation: Validation) -> Verdict:
    held = [point for point in validation.points if point.held_out]
    fitted = sum(role_of(point) == "calibration" for point in validation.points)
    inside = sum(point.inside for point in held)
    floor = validation.noise_floor_percent
    quality = [f"{inside} of {len(held)} within their 95 % intervals"]
    if floor is not None:
        noisy = "this host is too noisy now: " if validation.noisy else ""
        quality.insert(0, f"{noisy}noise floor {floor:.1f} %")
    return Verdict(
        f"How well does the model, fitted to {count_text(fitted, 'point')}, predict "
        f"{count_text(len(held), 'other')}?",
        f"mean error {_mean_error(held)}, at most {validation.max_error_percent:.1f} %",
        "; ".join(quality),
    )


def _mean_error(held: Sequence[ValidationPoint]) -> str:
    errors = [abs(point.error_percent) for point in held]
    mean = mean_estimate(errors, "%", "computed", fewest=FEWEST_ROUNDS)
    if mean.interval is None:
        return f"{mean.value:.1f} %"
    return f"{mean.value:.1f} % [{max(0.0, mean.interval[0]):.1f}, {mean.interval[1]:.1f}]"


def _provenance(validation: Validation) -> Iterator[str]:
    """How blind it was."""
    if validation.seed is not None:
        yield f"Held-out points were drawn with seed {validation.seed}; --seed repeats them."
    if validation.predictions_sha256 is not None:
        yield (
            "Predictions were sealed before what was measured of held-out points was opened: "
            f"SHA-256 {validation.predictions_sha256}."
        )


def _cards(validation: Validation) -> Iterator[Card]:
    held = [point for point in validation.points if point.held_out]
    far = sum(point.extrapolates for point in held)
    points = f"of {len(held)} held-out points{f', {far} extrapolated' if far else ''}"
    yield Card(f"{validation.mean_error_percent:.1f} %", "mean error", points)
    yield Card(f"{validation.max_error_percent:.1f} %", "largest error", "absolute, computed")
    for value, name, detail in (
        (validation.noise_floor_percent, "noise floor", "mean error of a perfect model"),
        (validation.coverage_percent, "coverage", "of 95 % intervals"),
        (validation.half_width_percent, "half-width", "of predicted intervals, mean"),
        (validation.interval_score_percent, "interval score", "width and misses; lower is better"),
        (validation.baseline_error_percent, "no skill", "mean error of the calibration's mean"),
    ):
        if value is not None:
            yield Card(f"{value:.{0 if name == 'coverage' else 1}f} %", name, detail)
    again = validation.repeatability
    if again is not None:
        detail = f"measured again/before, {interval_text(again)} {again.kind}"
        yield Card(digits(again.value), "repeated point", detail)


def _sections(validation: Validation, labels: list[str]) -> Iterator[Section]:
    errors = error_table(validation)
    if errors is not None:
        yield errors
    yield from _drawings(validation, labels)
    yield from point_tables(validation)
    yield from _tables(validation, labels)


def _drawings(validation: Validation, labels: list[str]) -> Iterator[Drawing]:
    yield from drawing(
        "measured-predicted",
        "Measured against predicted",
        "Cycles a packet of every point, with both 95 % intervals. On the dotted line the model is "
        f"right; the grey band is ±{BAND_PERCENT:g} %.",
        measured_predicted(validation),
    )
    yield from drawing(
        "error",
        "Error by point",
        "Predicted over measured cycles a packet, less one. The lines hold the 95 % intervals of "
        f"both; the grey band is ±{BAND_PERCENT:g} %.",
        error_by_point(validation),
        detail=True,
    )
    yield from _along(validation)
    for name, results in _instructions(validation).items():
        names, shown = profiles(labels, results, INSTRUCTIONS)
        yield from drawing(
            f"instructions-{name}",
            f"Instructions by stage, {name}",
            f"Instructions that a packet takes in each stage.{shared(names, results)}",
            stages_by_result(names, shown, INSTRUCTIONS),
            detail=True,
        )


def _along(validation: Validation) -> Iterator[Drawing]:
    measured = [point.measured for point in validation.points]
    groups = {"measured": measured, "predicted": [p.predicted for p in validation.points]}
    first = True
    for axis in AXES:
        family = largest_family(axis, measured, _base(validation))
        if family is None:
            continue
        where = f" All with {family.common}." if family.common else ""
        where += "".join(f" {remark}." for remark in family.remarks)
        yield from drawing(
            f"stages-{axis.name}",
            f"Cycles by stage against {axis.noun}",
            "Left of each pair, plain: measured. Right, hatched: predicted. The dash is the total "
            f"with its 95 % interval. {CLOCK_AND_MODEL[0].upper()}{CLOCK_AND_MODEL[1:]}.{where}",
            stages_along(family, groups),
            detail=not first,
        )
        first = False


def _instructions(validation: Validation) -> dict[str, list[Result]]:
    """The results whose instructions are worth showing: a model that takes the counts as they were
    measured would show them twice."""
    measured = [point.measured for point in validation.points]
    predicted = [point.predicted for point in validation.points]
    if alike(measured, predicted, INSTRUCTIONS):
        return {"measured": measured}
    return {"measured": measured, "predicted": predicted}


def _base(validation: Validation) -> Scenario:
    """The scenario of the point that changes least: the study's base, or close to it."""
    return min(validation.points, key=lambda point: len(point.overrides)).measured.scenario


def _tables(validation: Validation, labels: list[str]) -> Iterator[Table]:
    measured = [point.measured for point in validation.points]
    predicted = [point.predicted for point in validation.points]
    found = (
        calibration_table(validation),
        stage_table(labels, measured, CYCLES, "measured"),
        stage_table(labels, predicted, CYCLES, "predicted"),
        *(
            stage_table(labels, results, INSTRUCTIONS, name)
            for name, results in _instructions(validation).items()
        ),
        packet_table(labels, measured),
    )
    yield from (replace(table, detail=True) for table in found if table is not None)
