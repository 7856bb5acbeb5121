"""What a burst costs: exact at the limit, exact below it where the truth has two parts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planecast.engines.simulate.service import fitted, services
from planecast.errors import InputError
from planecast.model.calibration import Calibration
from planecast.model.prediction import predict
from planecast.scenario import Scenario, with_overrides

SIZES = np.arange(1.0, 33.0)
COSTS = st.lists(st.floats(1, 1e5), min_size=32, max_size=32)


def test_two_parts_come_back() -> None:
    acl, tx = 160 + 80 * SIZES, 4 * SIZES
    service = fitted({"acl": acl, "tx": tx}, acl + tx, SIZES)
    found = [(stage.burst_cycles, stage.packet_cycles) for stage in service.stages]
    assert found == [pytest.approx((160, 80)), pytest.approx((0, 4), abs=1e-9)]
    assert service.misfit < 1e-12


@given(COSTS, COSTS)
@settings(max_examples=100, deadline=None)
def test_exact_at_the_limit_and_never_negative(first: list[float], second: list[float]) -> None:
    costs = {"a": np.array(first), "b": np.array(second)}
    whole = costs["a"] + costs["b"]
    service = fitted(costs, whole, SIZES)
    assert service.per_packet(32) * 32 == pytest.approx(whole[-1])
    assert all(s.burst_cycles >= 0 and s.packet_cycles >= 0 for s in service.stages)


def test_memory_as_the_limit_is_spread_over_the_stages() -> None:
    costs = {"a": 100 * SIZES, "b": 300 * SIZES}
    service = fitted(costs, 800 * SIZES, SIZES)
    assert [s.packet_cycles for s in service.stages] == pytest.approx([200, 600])


@pytest.mark.parametrize("burst", [1, 2, 8, 15, 32, 256])
def test_as_the_closed_form_says_at_the_limit(
    base: Scenario, calibration: Calibration, burst: int
) -> None:
    scenario = with_overrides(base, {"placement.burst": burst})
    (service,) = services([scenario], calibration)
    (closed,) = predict([scenario], calibration).value
    assert service.per_packet(burst) == pytest.approx(closed, rel=1e-9)
    assert [stage.name for stage in service.stages] == [
        "source", "acl", "key", "classify", "actions", "route", "tx",
    ]  # fmt: skip


def test_without_the_narrow_search_small_bursts_are_extrapolated(
    base: Scenario, calibration: Calibration
) -> None:
    kept = [i for i, n in enumerate(calibration.names) if n not in ("acl.narrow", "acl.round")]
    parameters = calibration.parameters
    wide = calibration.model_copy(
        update={
            "parameters": tuple(parameters[i] for i in kept),
            "covariance": tuple(
                tuple(row[i] for i in kept) for row in (calibration.covariance[k] for k in kept)
            ),
            "alternatives": (),
        }
    )
    (service,) = services([base], wide)
    assert service.fitted_from == 16
    with pytest.raises(InputError, match="no parameter"):
        services([with_overrides(base, {"placement.burst": 8})], wide)
