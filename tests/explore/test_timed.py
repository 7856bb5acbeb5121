"""Loss and latency: what the simulator says at a load, with what the calibration leaves open."""

from __future__ import annotations

from tests.explore.conftest import Ask


def test_below_saturation_nothing_is_lost_and_above_it_the_rest(ask: Ask) -> None:
    low = ask("timed", changes={}, load=0.5)
    assert not any("do not include" in note for note in low["notes"]), "the intervals do here"
    assert low["loss"]["high"] == 0
    assert low["latency"]["mean"]["low"] < low["latency"]["mean"]["value"]
    assert low["latency"]["p50"]["value"] <= low["latency"]["p99"]["value"]
    high = ask("timed", changes={}, load=1.2)
    assert high["loss"]["low"] < 1 - 1 / 1.2 < high["loss"]["high"]
    assert high["loss"]["kind"] == "simulated"
    assert high["loss"]["samples"] == high["runs"]


def test_no_more_is_forwarded_than_offered(ask: Ask) -> None:
    """Where a machine may be fast enough, its interval ends at the offered load."""
    found = ask("timed", changes={}, load=0.99, machine="gold-6230n")
    assert found["throughput"]["low"] < found["throughput"]["value"]
    assert found["throughput"]["high"] <= found["offered_pps"] * 1.001


def test_a_rate_of_the_scenario_stands(ask: Ask) -> None:
    changes = {"traffic.offered_pps": 1e6, "traffic.arrivals": "poisson"}
    found = ask("timed", changes=changes, load=0.5)
    assert found["offered_pps"] == 1e6


def test_a_slower_machine_at_the_same_rate_loses_more(ask: Ask) -> None:
    here = ask("timed", changes={}, load=0.9)
    there = ask("timed", changes={}, load=0.9, machine="e5-2630v4")
    assert there["offered_pps"] == here["offered_pps"]
    assert there["loss"]["value"] > here["loss"]["value"]


def test_no_load_is_refused(ask: Ask) -> None:
    assert "load" in ask("timed", changes={}, load=0)["refused"]
    assert "load" in ask("timed", changes={}, load="much")["refused"]
