"""What finds no place in the ways for devices: expensive packets, a ceiling, a sentence."""

from __future__ import annotations

import pytest

from planecast.engines.simulate.ddio_overflow import ddio_overflow
from planecast.engines.simulate.engine import simulate
from planecast.engines.simulate.limits import limits_of
from planecast.model.calibration import Calibration
from planecast.results import collect_manifest
from planecast.scenario import Scenario, with_overrides

CARD = {"machine": "gold-6152", "nic.link_gbps": 100.0, "traffic.frame_bytes": 1518}


def with_rings(packets: int, **more: object) -> Scenario:
    keys = {"placement.rx_ring": packets, "placement.tx_ring": packets, **CARD, **more}
    return with_overrides(Scenario(name="rings"), keys)


def test_little_spills_while_rings_are_few() -> None:
    found = ddio_overflow(with_rings(64))
    assert found is not None
    assert found.notes == ()
    limits = limits_of(with_rings(64))
    assert limits["memory"] > 100 * limits["link"]


@pytest.mark.parametrize("machine", ["gold-6230n", "e5-2699v4", "platinum-8480", "epyc-9354"])
def test_a_card_limits_on_every_machine_what_the_simulator_takes(machine: str) -> None:
    for packets in (32, 128, 512, 1024, 4096):
        assert all(
            limit < 1e12 for limit in limits_of(with_rings(packets, machine=machine)).values()
        )


def test_more_rings_and_larger_frames_spill_more() -> None:
    moved = []
    for rings in (128, 512, 1024, 2048, 4096, 8192):
        found = ddio_overflow(with_rings(rings, **{"placement.cpus": "1-4"}))
        assert found is not None
        moved.append(found.spill.memory_bytes)
    assert moved == sorted(moved)
    assert 0 < moved[0] < moved[-1] / 10
    small = ddio_overflow(with_rings(8192, **{"traffic.frame_bytes": 64}))
    assert small is not None
    assert small.spill.memory_bytes < moved[-1]


def test_without_a_card_or_a_known_machine_nothing_is_said() -> None:
    assert ddio_overflow(Scenario(name="plain")) is None
    assert ddio_overflow(with_rings(8192, machine="host")) is None


def test_spilled_headers_make_packets_expensive(calibration: Calibration) -> None:
    manifest = collect_manifest("simulate", 1)
    few, many = simulate(
        [with_rings(n, **{"nic.link_gbps": 400.0}) for n in (64, 16384)],
        calibration,
        manifest,
        packets=200_000,
    )
    assert many.cycles_per_packet.value > few.cycles_per_packet.value * 1.005
    assert any("does not fit in the ways for devices" in note for note in many.notes)
    assert not any("does not fit in the ways for devices" in note for note in few.notes)


def test_memory_is_a_ceiling_for_many_cores_with_large_rings() -> None:
    keys = {"placement.cpus": "0-15", "nic.ports": 16, "nic.link_gbps": 400.0}
    found = limits_of(with_rings(16384, **keys))
    assert found["memory"] < found["link"]
    peak = 108e9  # Skylake's local reads
    assert found["memory"] == pytest.approx(peak / (2 * 1536), rel=0.3)
