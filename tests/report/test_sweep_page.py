"""The page of a sweep: its verdict names the whole point, and says where it lies beyond."""

from __future__ import annotations

from tests.calibrations import base, calibration, counts, hierarchy, manifest
from tests.sweep.conftest import MakeJob, folder, make_job
from tests.sweep.test_run import HERE, quiet

from planecast.report.page import Page
from planecast.report.sweep_page import sweep_page
from planecast.results import Result, RunDirectory, read_parquet
from planecast.results.store import SWEEP
from planecast.sweep import Job, best_points, run_sweep
from planecast.sweep.answer import answered

__all__ = ["base", "calibration", "counts", "folder", "hierarchy", "make_job", "manifest"]


def page_of(job: Job, run: RunDirectory) -> Page:
    run_sweep(job, run, HERE, quiet)
    numbers, _, _ = best_points(job, run, 3)
    found = answered(job, [job.plan.point(number) for number in numbers])
    best = [one for one in found if isinstance(one, Result)]
    return sweep_page(job, best, read_parquet(run.path / SWEEP))


def test_the_verdict_names_every_key_that_varies(make_job: MakeJob, folder: RunDirectory) -> None:
    page = page_of(make_job("traffic.flows=256,4096", "placement.burst=16,32"), folder)
    assert page.verdict.answer.startswith("flows=256 burst=32: ")
    assert page.recorded is not None
    assert page.verdict.asked.startswith("Which of 4 points over traffic.flows, placement.burst")


def test_of_a_fastest_point_beyond_the_calibration_the_fastest_within_is_named(
    make_job: MakeJob, folder: RunDirectory
) -> None:
    page = page_of(make_job("machine.core_clock=0.9,1,1.5", "placement.burst=16,32"), folder)
    assert page.verdict.answer.startswith("core_clock=1.5 burst=32: ")
    quality = page.verdict.quality
    assert "this point is beyond the calibrated range; the fastest within: core_clock=1" in quality
    assert "4 points beyond the calibrated range" in quality
