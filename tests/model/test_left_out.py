"""Points left out in closed form are what a fit without them predicts, where all is linear."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planecast.model.calibration import Discrepancy
from planecast.model.left_out import CORE, Linear

OWN = Discrepancy(core=0.03, memory=0.05, neighbour=0.2)


@pytest.fixture
def linear() -> Linear:
    random = np.random.default_rng(5)
    points, parameters = 9, 3
    stages = random.normal(size=(points, 4, parameters))
    return Linear(
        errors=random.normal(scale=0.1, size=points),
        slopes=random.normal(size=(points, parameters)),
        variances=random.uniform(1e-4, 1e-3, points),
        far_shares=random.uniform(0, 1, (2, points)),
        prior=random.normal(scale=0.2, size=parameters),
        spreads=np.full(parameters, 0.4),
        stage_precision=np.einsum("nsi,nsj->nij", stages, stages),
        stage_pull=np.einsum("nsi,ns->ni", stages, random.normal(size=(points, 4))),
    )


def refitted(linear: Linear, point: int) -> float:
    """Error of a point by a fit without it and its nearest, predicted over measured."""
    apart = np.linalg.norm((linear.slopes - linear.slopes[point]) * linear.spreads, axis=1)
    kept = np.ones(linear.errors.size, dtype=bool)
    kept[np.argsort(apart)[:2]] = False
    variances = OWN.deviation(linear.far_shares) ** 2 + linear.variances
    inverse = np.diag(1 / variances[kept])
    slopes, errors = linear.slopes[kept], linear.errors[kept]
    precision = np.diag(1 / linear.spreads**2) + linear.stage_precision[kept].sum(axis=0)
    precision = precision + slopes.T @ inverse @ slopes
    pull = linear.prior / linear.spreads**2 + linear.stage_pull[kept].sum(axis=0)
    found = np.linalg.solve(precision, pull + slopes.T @ inverse @ errors)
    return float(linear.slopes[point] @ found - linear.errors[point])


def test_what_is_left_out_took_no_part(linear: Linear) -> None:
    errors, variances = linear.left_out(OWN)
    assert errors == pytest.approx([refitted(linear, i) for i in range(errors.size)], rel=1e-3)
    assert (variances > OWN.core**2).all()


def test_few_points_that_are_fitted_exactly_do_not_make_the_model_exact(linear: Linear) -> None:
    few = Linear(
        errors=linear.slopes[:4] @ linear.prior,
        slopes=linear.slopes[:4],
        variances=np.full(4, 1e-8),
        far_shares=linear.far_shares[:, :4],
        prior=linear.prior,
        spreads=linear.spreads,
        stage_precision=linear.stage_precision[:4],
        stage_pull=linear.stage_pull[:4],
    )
    assert 0.5 * CORE < few.likeliest().core < 2 * CORE


def test_a_larger_discrepancy_is_found_where_errors_are_larger(linear: Linear) -> None:
    few = replace(linear, errors=linear.slopes @ linear.prior)
    assert few.likeliest().core < linear.likeliest().core
