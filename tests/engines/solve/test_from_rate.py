"""Answers from one published rate: ceilings, intervals, refusals."""

from __future__ import annotations

import pytest

from planecast.engines.solve.from_rate import solve_from_rate
from planecast.errors import InputError
from planecast.model.published_rate import PublishedRate
from planecast.results import Manifest, Result
from planecast.scenario import Scenario, with_overrides
from planecast.scenario.machine import card_of

ROW = with_overrides(Scenario(name="row"), {"machine": "e5-2699v3", "traffic.frame_bytes": 64})
X520 = PublishedRate(11.2e6, ROW, card_of("x520"))


def ask(published: PublishedRate, manifest: Manifest, **keys: object) -> Result:
    asked = with_overrides(ROW, {name.replace("__", "."): value for name, value in keys.items()})
    (found,) = solve_from_rate(published, [asked], manifest)
    return found


def test_a_named_card_holds_many_cores(manifest: Manifest) -> None:
    found = ask(X520, manifest, placement__lcores=8)
    low, high = found.throughput_pps.interval or (0, 0)
    assert found.capped_by == "PCIe"
    assert 11.2e6 < low < found.throughput_pps.value < high < 2 * 14.89e6


def test_without_a_card_the_interval_reaches_down_to_the_rate(manifest: Manifest) -> None:
    found = ask(PublishedRate(11.2e6, ROW), manifest, placement__lcores=4)
    assert found.throughput_pps.low == pytest.approx(11.2e6)
    assert found.capped_by == "core"
    assert any("no card is named" in note for note in found.notes)


def test_queues_of_a_card_hold_many_cores(manifest: Manifest) -> None:
    """An XL710's two queues of two lcores take 13.9 Mpps, published rows 12.9 to 15.9."""
    xl710 = PublishedRate(9.234e6, ROW, card_of("xl710"))
    found = ask(xl710, manifest, placement__lcores=2)
    low, high = found.throughput_pps.interval or (0, 0)
    assert found.capped_by == "NIC"
    assert found.throughput_pps.value == pytest.approx(13.9e6)
    assert low < 12.9e6
    assert high > 15.9e6


def test_two_threads_are_no_more_cores(manifest: Manifest) -> None:
    found = ask(
        PublishedRate(11.2e6, ROW), manifest, placement__lcores=2, placement__busy_siblings=True
    )
    assert not any("no card is named" in note for note in found.notes)
    assert (found.throughput_pps.low or 0) > 11.2e6


def test_host_is_the_machine_of_the_rate(manifest: Manifest) -> None:
    found = ask(X520, manifest, machine="host")
    assert found.scenario.machine == "e5-2699v3"
    assert found.throughput_pps.value == pytest.approx(11.2e6)


def test_a_rate_that_a_link_set_is_refused(manifest: Manifest) -> None:
    large = with_overrides(ROW, {"traffic.frame_bytes": 1518})
    full = PublishedRate(1.6255e6, large, card_of("x520"))
    with pytest.raises(InputError, match="100 % of what the link lets through"):
        solve_from_rate(full, [large], manifest)


def test_a_clock_that_no_core_reaches_is_said(manifest: Manifest) -> None:
    found = ask(X520, manifest, placement__core_ghz=5.0)
    assert any("5 GHz are more than the 3.6 GHz" in note for note in found.notes)


def test_both_threads_of_every_core_may_forward_and_no_more(manifest: Manifest) -> None:
    full = {"placement__lcores": 36, "placement__busy_siblings": True}
    assert ask(PublishedRate(1e6, ROW), manifest, **full).throughput_pps.value < 36e6
    with pytest.raises(InputError, match="37 lcores are more than the 36 threads"):
        ask(X520, manifest, **{**full, "placement__lcores": 37})
    with pytest.raises(InputError, match="19 lcores are more than the 18 cores"):
        ask(X520, manifest, placement__lcores=19)
