"""The page of a validation."""

from __future__ import annotations

from collections.abc import Iterator

from planecast.report.calibration_table import calibration_table
from planecast.report.family import AXES, largest_family
from planecast.report.figures.error_by_point import error_by_point
from planecast.report.figures.measured_predicted import measured_predicted
from planecast.report.figures.stage_bars import CYCLES, INSTRUCTIONS
from planecast.report.figures.stages_along import stages_along
from planecast.report.figures.stages_by_result import stages_by_result
from planecast.report.figures.style import BAND_PERCENT
from planecast.report.labels import unique
from planecast.report.numbers import count_text, digits, interval_text
from planecast.report.page import Card, Command, Drawing, Page, drawing, machine_text
from planecast.report.point_table import point_table
from planecast.report.profiles import alike, profiles, shared
from planecast.report.result_table import packet_table, stage_table
from planecast.report.table import Table
from planecast.report.warnings import notes_of, result_warnings, validation_warnings
from planecast.results import Result, Validation
from planecast.scenario import Scenario


def validation_page(validation: Validation) -> Page:
    """What the report of a validation says."""
    labels = unique([point.label for point in validation.points])
    measured = [point.measured for point in validation.points]
    predicted = [point.predicted for point in validation.points]
    return Page(
        title=f"Validation of {validation.study}",
        lead=_lead(validation),
        machine=machine_text(validation.manifest),
        cards=_cards(validation),
        drawings=list(_drawings(validation, labels)),
        tables=list(_tables(validation, labels)),
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
            *validation.skipped,
            *notes_of(labels, measured, "measured: "),
            *notes_of(labels, predicted, "predicted: "),
        ],
    )


def _lead(validation: Validation) -> str:
    held = [point for point in validation.points if point.held_out]
    far = sum(point.extrapolates for point in held)
    inside = sum(point.inside for point in held)
    return (
        f"Fitted to {count_text(len(validation.points) - len(held), 'configuration')}, the model "
        f"predicted {count_text(len(held), 'other')} before they were measured"
        f"{f', {far} of them outside the calibrated range' if far else ''}. On average its cycles "
        f"a packet are {validation.mean_error_percent:.1f} % off, at worst "
        f"{validation.max_error_percent:.1f} %; {inside} of {len(held)} measured values lie in "
        "the predicted 95 % interval."
    )


def _cards(validation: Validation) -> list[Card]:
    held = [point for point in validation.points if point.held_out]
    far = sum(point.extrapolates for point in held)
    cards = [
        Card(f"{validation.mean_error_percent:.1f} %", "mean error", "absolute, computed"),
        Card(f"{validation.max_error_percent:.1f} %", "largest error", "absolute, computed"),
        Card(f"{validation.coverage_percent:.0f} %", "coverage", "of 95 % intervals, computed"),
        Card(str(len(held)), "held-out points", f"{far} extrapolated" if far else ""),
    ]
    again = validation.repeatability
    if again is not None:
        detail = f"measured again/before, {interval_text(again)} {again.kind}"
        cards.append(Card(digits(again.value), "repeated point", detail))
    return cards


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
    )
    yield from _along(validation)
    for name, results in _instructions(validation).items():
        names, shown = profiles(labels, results, INSTRUCTIONS)
        yield from drawing(
            f"instructions-{name}",
            f"Instructions by stage, {name}",
            f"Instructions that a packet takes in each stage.{shared(names, results)}",
            stages_by_result(names, shown, INSTRUCTIONS),
        )


def _along(validation: Validation) -> Iterator[Drawing]:
    measured = [point.measured for point in validation.points]
    groups = {"measured": measured, "predicted": [p.predicted for p in validation.points]}
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
            f"with its 95 % interval.{where}",
            stages_along(family, groups),
        )


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
        point_table(validation),
        calibration_table(validation),
        stage_table(labels, measured, CYCLES, "measured"),
        stage_table(labels, predicted, CYCLES, "predicted"),
        *(
            stage_table(labels, results, INSTRUCTIONS, name)
            for name, results in _instructions(validation).items()
        ),
        packet_table(labels, measured),
    )
    yield from (table for table in found if table is not None)
