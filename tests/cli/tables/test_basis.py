"""The line that names a calibration: of every table, with a warning where answers are wide."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from tests.calibrations import base, calibration, counts, hierarchy, manifest
from tests.conftest import estimate
from tests.partition.conftest import described, tenancy
from tests.report.conftest import load_curve

from planecast.cli.shared.calibration import open_cycles_of
from planecast.cli.tables.division import plan_notes
from planecast.cli.tables.load_curve import curve_sheet
from planecast.model.calibration import Calibration
from planecast.partition.plan import make_plan
from planecast.results.basis import Basis
from planecast.results.load_curve import LoadCurve
from planecast.scenario import Scenario

__all__ = ["base", "calibration", "counts", "hierarchy", "load_curve", "manifest"]

BASIS = Basis(
    run="20260102T030405Z-calibrate-x",
    digest="0123456789ab",
    made_at="2026-01-02T03:04:05Z",
    cpu="Test CPU",
    this_host=True,
    choice="named",
)
NARROW, WIDE = 3.0, 25.0
WARNED = "the calibration leaves the answers uncertain: ±25 % in the median"


@pytest.mark.parametrize("percent", [NARROW, WIDE])
def test_a_curve(load_curve: LoadCurve, caplog: pytest.LogCaptureFixture, percent: float) -> None:
    manifest = load_curve.manifest.model_copy(update={"calibration": BASIS})
    curve = load_curve.model_copy(update={"manifest": manifest})
    cycles = estimate(300.0, "cycles/packet", "computed", percent)
    with caplog.at_level(logging.WARNING):
        sheet = curve_sheet(curve, Path("r"), Path("r/report.html"), [cycles])
    assert any(BASIS.run in note for note in sheet.notes)
    assert (WARNED in caplog.text) == (percent == WIDE)


@pytest.mark.parametrize("percent", [NARROW, WIDE])
def test_a_plan(caplog: pytest.LogCaptureFixture, percent: float) -> None:
    machine = described()
    who = tenancy(
        {"name": "dp", "role": "dataplane", "cores": 2, "profile": "vpe-upstream"},
        {"name": "noisy", "role": "neighbour", "rank": 3, "cores": 5, "profile": "stream"},
    )
    plan = make_plan(machine, who, tries=3)
    rate = estimate(1e7, "pps", "computed", percent)
    wide = [one.model_copy(update={"before": rate, "after": rate}) for one in plan.forecasts]
    assert wide
    changed = plan.model_copy(update={"calibration": BASIS, "forecasts": tuple(wide)})
    with caplog.at_level(logging.WARNING):
        notes = plan_notes(changed)
    assert any(BASIS.run in note for note in notes)
    assert (WARNED in caplog.text) == (percent == WIDE)


def test_what_the_closed_form_does_not_answer_has_no_width(
    base: Scenario, calibration: Calibration
) -> None:
    card = base.model_copy(update={"nic": base.nic.model_copy(update={"link_gbps": 10.0})})
    (cycles,) = open_cycles_of([base, card], calibration)
    assert cycles.half_width_percent is not None
