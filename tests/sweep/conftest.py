"""A calibrated machine that is made up, and jobs over it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.calibrations import base, calibration, counts, hierarchy, manifest

from planecast.model.calibration import Calibration
from planecast.results import Manifest, RunDirectory
from planecast.scenario import Scenario
from planecast.sweep import Job, Plan, parse_axis
from planecast.sweep.job import Engine, Sample

__all__ = ["base", "calibration", "counts", "hierarchy", "manifest"]

MakeJob = Callable[..., Job]


@pytest.fixture
def make_job(base: Scenario, calibration: Calibration, manifest: Manifest) -> MakeJob:
    def make(
        *axes: str,
        sample: Sample = "grid",
        points: int | None = None,
        engine: Engine = "solve",
        batch: int = 4,
    ) -> Job:
        return Job(
            plan=Plan.of(base, [parse_axis(text) for text in axes], sample, points, 1),
            calibration=calibration,
            engine=engine,
            precision=0.1,
            batch=batch,
            manifest=manifest,
        )

    return make


@pytest.fixture
def folder(tmp_path: Path) -> RunDirectory:
    return RunDirectory.create(tmp_path, "sweep", "test")
