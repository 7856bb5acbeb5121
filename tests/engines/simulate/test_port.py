"""A port's cost in place of the in-process source and sink."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from planecast.engines.simulate.port import Port, port_cycles, with_port
from planecast.engines.simulate.stage_cost import PipelineCost, StageCost
from planecast.errors import RunError
from planecast.model.calibration import Calibration
from planecast.results import Result
from planecast.scenario import Scenario, with_overrides

COST = PipelineCost(
    (
        StageCost.linear("source", 32, burst_cycles=60, packet_cycles=20),
        StageCost.linear("acl", 32, burst_cycles=64, packet_cycles=98),
        StageCost.linear("tx", 32, burst_cycles=32, packet_cycles=9),
    ),
)


PORT = Port(packet_cycles=350, single_cycles=1162, poll_cycles=48)
"""A full burst leaves 250 cycles a packet over the firewall's 100, and a single packet 1,000."""


def test_full_bursts_and_single_packets_cost_what_was_measured() -> None:
    ported = with_port(COST, PORT, 32)
    assert [stage.name for stage in ported.stages] == ["port", "acl"]
    assert ported.per_packet(32) == pytest.approx(350)
    assert ported.per_packet(1) == pytest.approx(1162)
    assert port_cycles(COST, PORT, 32) == pytest.approx(250)
    assert ported.stages[0].poll_cycles == 48


@pytest.mark.parametrize(("single", "parts"), [(100, (0, 250)), (100_000, (8000, 0))])
def test_no_part_is_negative(single: float, parts: tuple[float, float]) -> None:
    port = with_port(COST, replace(PORT, single_cycles=single), 32).stages[0]
    assert (port.empty_cycles, port.cycles[1] - port.cycles[0]) == pytest.approx(parts)


def test_bursts_of_one_have_no_part_a_burst() -> None:
    port = with_port(COST, PORT, 1).stages[0]
    assert port.cycles.tolist() == [350 - 162]


def test_stages_that_cost_more_than_everything_are_refused() -> None:
    with pytest.raises(RunError, match=r"take 100 cycles a packet, and all .* are 90"):
        with_port(COST, replace(PORT, packet_cycles=90), 32)


def test_the_simulated_port_saturates_at_what_was_measured(
    base: Scenario, calibration: Calibration, changed: Callable[..., Result]
) -> None:
    tsc_hz = calibration.hierarchy.tsc_hz
    port = Port(packet_cycles=1000.0, single_cycles=4000.0, poll_cycles=50.0)
    capacity = tsc_hz / port.packet_cycles
    loads = [
        with_overrides(base, {"traffic.offered_pps": load * capacity, "placement.lcores": 1})
        for load in (0.5, 1.25)
    ]
    half, over = (changed(load, port=port) for load in loads)
    assert not half.drops
    assert "port" in half.stages
    assert "source" not in half.stages
    assert over.throughput_pps.value == pytest.approx(capacity, rel=0.005)
    assert sum(over.drops.values()) / (over.packets_in or 1) == pytest.approx(0.2, abs=0.01)
