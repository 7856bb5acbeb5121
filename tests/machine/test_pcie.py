"""PCIe: what links move by generation, lanes and settings; what a device adds."""

from __future__ import annotations

import pytest

from planecast.engines.simulate.limits import limits_of
from planecast.errors import InputError
from planecast.machine.pcie import Device, Link
from planecast.scenario import Scenario, with_overrides
from planecast.scenario.machine import machine_of


@pytest.mark.parametrize(
    ("name", "every", "gbps"),
    [("gen3x8", 203, 57.9), ("gen3x16", 168, 113.7), ("gen2x8", 158, 28.7)],
)
def test_links_as_the_specification_and_the_literature_have_them(
    name: str, every: int, gbps: float
) -> None:
    link = Link.of(name)
    assert link.every_bytes == every
    assert link.data_bps / 1e9 == pytest.approx(gbps, rel=1e-3)


def test_raw_rates_double_by_generation_and_by_lanes() -> None:
    assert Link.of("gen2x8").raw_bps == 32e9
    assert Link.of("gen4x16").raw_bps == pytest.approx(4 * Link.of("gen3x8").raw_bps)
    assert Link.of("gen5x16").raw_bps == pytest.approx(2 * Link.of("gen4x16").raw_bps)


def test_a_smaller_payload_takes_more_of_the_link() -> None:
    usual, small = Link(3, 8), Link(3, 8, max_payload=128, max_read=128)
    assert usual.write_bytes(512)[0] == 512 + 2 * 24
    assert small.write_bytes(512)[0] == 512 + 4 * 24
    assert small.read_bytes(512) == (4 * 24, 512 + 4 * 20)
    assert small.ns(small.write_bytes(512)) > usual.ns(usual.write_bytes(512))
    large = Link(3, 8, max_payload=512)
    assert large.ns(large.write_bytes(512)) < usual.ns(usual.write_bytes(512))
    assert small.data_bps < usual.data_bps


def test_a_machines_settings_count() -> None:
    machine = machine_of("gold-6152")
    payload = machine.values.pcie_lanes.model_copy(update={"value": 128})
    values = machine.values.model_copy(update={"pcie_max_payload": payload})
    assert Link.of("gen3x8", machine).max_payload == 256
    assert Link.of("gen3x8", machine.model_copy(update={"values": values})).max_payload == 128


def test_a_card_is_held_by_its_link() -> None:
    keys = {"nic.link_gbps": 100.0, "nic.pcie": "gen3x8", "traffic.frame_bytes": 1518}
    eight = limits_of(with_overrides(Scenario(name="x8"), keys))["PCIe"]
    sixteen = limits_of(with_overrides(Scenario(name="x16"), {**keys, "nic.pcie": "gen3x16"}))
    assert sixteen["PCIe"] / eight == pytest.approx(113.7 / 57.9, rel=1e-3)
    with pytest.raises(InputError):
        with_overrides(Scenario(name="x"), {"nic.pcie": "gen3x7"})


def test_a_device_takes_a_time_for_each_piece_or_the_links() -> None:
    device = Device(first_ns=20.0, more_ns=15.0, odd_ns=5.0)
    assert [device.ns(size, 0.0) for size in (64, 128, 129, 256, 260)] == [20, 20, 35, 35, 50]
    assert [device.ns(size, 100.0) for size in (256, 257)] == [100, 105]
