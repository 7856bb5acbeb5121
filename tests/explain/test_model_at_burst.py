"""The model at a burst that is no whole number: between its neighbours, linear in 1/burst."""

from __future__ import annotations

import pytest

from planecast.explain.model_at_burst import model_at_burst
from planecast.explain.model_breakdown import model_breakdown
from planecast.model.calibration import Calibration
from planecast.scenario import Scenario, with_overrides


def test_a_whole_burst_is_the_models_own(base: Scenario, calibration: Calibration) -> None:
    found = model_at_burst(base, calibration, 6, 8.0)
    said = model_breakdown(with_overrides(base, {"placement.burst": 8}), calibration, 6)
    assert found.whole.value == pytest.approx(said.whole.value)
    assert found.parts.keys() == said.parts.keys()


def test_between_two_bursts_costs_are_linear_in_their_inverse(
    base: Scenario, calibration: Calibration
) -> None:
    found = model_at_burst(base, calibration, 6, 4.8)
    four, five = (
        model_breakdown(with_overrides(base, {"placement.burst": n}), calibration, 6)
        for n in (4, 5)
    )
    share = (1 / 4.8 - 1 / 5) / (1 / 4 - 1 / 5)
    wanted = share * four.whole.value + (1 - share) * five.whole.value
    assert found.whole.value == pytest.approx(wanted)
    assert sum(part.value for part in found.parts.values()) == pytest.approx(wanted)
    assert found.whole.interval is not None
    assert found.whole.interval[0] < wanted < found.whole.interval[1]
