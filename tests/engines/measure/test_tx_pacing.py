"""For how long the generator catches up."""

from __future__ import annotations

import pytest

from planecast.engines.measure.tx_pacing import run_keys, trial_keys
from planecast.scenario import Scenario, with_overrides


@pytest.mark.parametrize(
    ("ring", "mpps", "catch_up_us"),
    [(1024, 14.88, 34.4), (1024, 4, 50), (128, 3.2, 20), (128, 14.88, 10), (128, 1e-6, 50)],
)
def test_no_more_is_sent_late_than_half_a_ring(ring: int, mpps: float, catch_up_us: float) -> None:
    scenario = with_overrides(Scenario(name="x"), {"placement.rx_ring": ring})
    asked = trial_keys(scenario, mpps * 1e6)
    assert asked == {"rate": f"{mpps * 1e6:.0f}", "catch_up_us": catch_up_us}


def test_as_fast_as_it_can_is_never_late() -> None:
    assert trial_keys(Scenario(name="x"), None) == {"rate": "max"}


def test_a_trial_drains_for_as_long_as_its_rig_says() -> None:
    assert run_keys(0.05)["drain_ms"] == 50
