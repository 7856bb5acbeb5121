"""Cycles on another machine are of that machine's own clock."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from planecast.results import Result
from planecast.results.own_clock import in_clock_of_host, in_own_clock
from planecast.scenario.machine import machine_of


def test_cycles_are_the_targets_own_and_rates_stay(make_result: Callable[..., Result]) -> None:
    there = make_result(200.0, {"machine": "gold-6230n"}, "computed")
    found = in_own_clock(there, 2.6e9)
    factor = machine_of("gold-6230n").values.base_ghz.value / 2.6
    assert factor != 1
    assert found.cycles_per_packet.value == pytest.approx(200 * factor)
    stage = found.stages["acl"].cycles_per_packet
    assert stage is not None
    assert stage.value == pytest.approx(50 * factor)
    assert found.throughput_pps == there.throughput_pps
    assert "own time-stamp counter, 2.3 GHz" in found.notes[-1]


def test_and_back_again(make_result: Callable[..., Result]) -> None:
    there = make_result(200.0, {"machine": "gold-6230n"}, "computed")
    back = in_clock_of_host(in_own_clock(there, 2.6e9), 2.6e9)
    assert back.cycles_per_packet.value == pytest.approx(200.0)
    assert back.notes == there.notes
    assert in_clock_of_host(there, 2.6e9) is there  # of an earlier version


def test_this_host_s_stay(make_result: Callable[..., Result]) -> None:
    here = make_result(200.0)
    assert in_own_clock(here, 2.6e9) is here
