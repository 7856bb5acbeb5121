"""What neighbours that are measured first show about the others."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tests.calibrations import base, calibration, counts, hierarchy, manifest

from planecast.generators.neighbour import Work
from planecast.model.calibration import Calibration
from planecast.model.prediction import predict
from planecast.partition import neighbour_fit as room
from planecast.partition.neighbour_fit import MeasuredNeighbour, NeighbourFit, fit_neighbours
from planecast.partition.neighbour_prediction import Asked
from planecast.results import Estimate
from planecast.scenario import Scenario

__all__ = ["base", "calibration", "counts", "hierarchy", "manifest"]

# Far more flows than any cache holds, and a slow memory: neighbours then cost something.
SCENARIO = Scenario.model_validate(
    {"name": "vpe", "workload": {"flows": 262144}, "traffic": {"flows": 262144}}
)
GBS = 4.0
STREAM = Work(mode="stream", bytes=1 << 27)


def walk(mib: float, rate: float = 0.0) -> Work:
    return Work(mode="walk", bytes=int(mib * (1 << 20)), lines_per_s=rate)


FIRST = [walk(6), walk(24), walk(48, 1e7), STREAM]
OTHERS = [walk(64), Work(mode="stream", bytes=1 << 28, lines_per_s=2e7)]


def slowdown(model: Calibration, fit: NeighbourFit, work: Work) -> float:
    machine = fit.machine(model)
    asked = Asked(SCENARIO, machine, GBS)
    busy, alone = predict(
        [asked.with_neighbour(work), SCENARIO], asked.machine, by_stage=False
    ).value
    return fit.slowdown(float(busy / alone))


def known(model: Calibration, truth: NeighbourFit, half: float) -> list[MeasuredNeighbour]:
    found = []
    for work in FIRST:
        value = slowdown(model, truth, work)
        estimate = Estimate(
            value=value, low=value - half, high=value + half, unit="ratio", kind="computed"
        )
        found.append(MeasuredNeighbour(work, estimate))
    return found


@pytest.fixture(autouse=True)
def few_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each size takes a third of a second."""
    monkeypatch.setattr(room, "CACHE_FACTORS", (1.0, 2.0))


def test_others_are_predicted_from_a_few(calibration: Calibration) -> None:
    real = NeighbourFit(cache_factor=2.0, shown=0.6)
    fit = fit_neighbours(calibration, SCENARIO, known(calibration, real, 0.01), GBS)
    assert fit.points == 4
    wanted = [slowdown(calibration, real, work) for work in OTHERS]
    errors = [
        max(
            abs(slowdown(calibration, one, w) / true - 1)
            for w, true in zip(OTHERS, wanted, strict=True)
        )
        for one in (fit, NeighbourFit())
    ]
    assert errors[1] > 0.008  # what was to be learnt was not known before
    assert errors[0] < 0.6 * errors[1]


def test_noise_moves_little(calibration: Calibration) -> None:
    real = NeighbourFit(shown=3.0)
    moved = [
        abs(fit_neighbours(calibration, SCENARIO, known(calibration, real, half), GBS).shown - 1)
        for half in (0.02, 8.0)
    ]
    assert all(b < a for a, b in pairwise(moved))
    assert moved[-1] < 0.1


def test_nothing_known_is_nothing_learnt(calibration: Calibration) -> None:
    fit = fit_neighbours(calibration, SCENARIO, [], GBS)
    assert fit == NeighbourFit()
    assert fit.machine(calibration) is calibration
    assert fit.slowdown(1.3) == pytest.approx(1.3)
