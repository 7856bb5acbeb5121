"""For how long the generator catches up."""

from __future__ import annotations

from planecast.engines.measure.pacing import catch_up_us, run_keys
from planecast.scenario import Scenario, with_overrides


def test_no_more_is_sent_late_than_the_ring_holds() -> None:
    base = Scenario(name="x")
    found = {
        ring: catch_up_us(with_overrides(base, {"placement.rx_ring": ring}))
        for ring in (64, 1024, 2048, 4096)
    }
    # 1,024 descriptors are 68.8 us of 64-byte frames on 10 Gb/s Ethernet.
    assert found == {64: 10.0, 1024: 34.4, 2048: 50.0, 4096: 50.0}


def test_a_trial_drains_for_as_long_as_its_rig_says() -> None:
    assert run_keys(Scenario(name="x"), 0.05)["drain_ms"] == 50
