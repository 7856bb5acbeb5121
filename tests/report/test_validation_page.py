"""What the page of a validation says first, and in which order its points stand."""

from __future__ import annotations

from collections.abc import Callable

from planecast.report.page import LONGEST_PX
from planecast.report.validation_page import validation_page
from planecast.results.validation import Validation

MakeValidation = Callable[..., Validation]


def test_the_verdict_has_error_interval_floor_and_coverage(validation: Validation) -> None:
    verdict = validation_page(validation).verdict
    assert "fitted to 8 points, predict 16 others" in verdict.asked
    assert verdict.answer.startswith(f"mean error {validation.mean_error_percent:.1f} % [")
    assert "noise floor 0." in verdict.quality


def test_a_noisy_host_is_said_first(make_validation: MakeValidation) -> None:
    page = validation_page(make_validation(noise_floor_percent=3.8))
    assert page.verdict.quality.startswith("this host is too noisy now: noise floor 3.8 %")
    assert page.warnings[0].name == "host-noisy"


def test_points_that_were_not_steady_are_named(make_validation: MakeValidation) -> None:
    whole = make_validation()
    measured = whole.points[3].measured.model_copy(update={"steady_share": 0.2})
    point = whole.points[3].model_copy(update={"measured": measured})
    points = (*whole.points[:3], point, *whole.points[4:])
    (warned,) = validation_page(make_validation(points=points)).warnings
    assert (warned.name, warned.what.endswith("ended: burst=4.")) == ("not-steady", True)


def test_held_out_points_stand_first_the_worst_group_on_top(validation: Validation) -> None:
    page = validation_page(validation)
    names = [table.anchor for table in page.tables]
    assert names[:4] == ["errors", "points", "calibration-points", "calibration"]
    errors, points = page.tables[:2]
    means = [row[2].value for row in errors.rows]
    assert means == sorted(means, key=lambda value: -(value or 0))
    held = {p.label: abs(p.error_percent) for p in validation.points if p.held_out}
    flows = [held[row[1].text] for row in points.rows if row[1].text.startswith("flows=")]
    assert flows == sorted(flows, reverse=True)


def test_checked_points_are_never_called_held_out(make_validation: MakeValidation) -> None:
    whole = make_validation()
    points = (whole.points[0].model_copy(update={"checked": True}), *whole.points[1:])
    page = validation_page(make_validation(points=points))
    table = next(one for one in page.tables if one.anchor == "checked")
    assert table.title == "Checked points, which count in no score"
    assert [row[1].text for row in table.rows] == ["flows=256"]
    assert "fitted to 7 points" in page.verdict.asked


def test_what_is_open_is_short(validation: Validation) -> None:
    page = validation_page(validation)
    assert all(one.height_px <= LONGEST_PX for one in page.shown)
    assert [one.anchor for one in page.shown] == [
        "errors",
        "measured-predicted",
        "stages-flows",
        "points",
    ]
    along = next(one for one in page.shown if one.anchor == "stages-flows")
    assert "A clock counts a wait in the stage in which it passes" in along.caption
