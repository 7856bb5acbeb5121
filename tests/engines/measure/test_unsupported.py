"""What measuring refuses: every key that the simulator alone uses."""

from __future__ import annotations

from typing import Any

import pytest

from planecast.engines.measure.unsupported import refuse_unmeasured
from planecast.errors import InputError
from planecast.scenario import Scenario, with_overrides

BASE = Scenario(name="s")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("traffic.frame_mix", "imix"),
        ("traffic.offered_pps", 1e6),
        ("traffic.new_flows_pps", 5.0),
        ("traffic.dropped", "acl:0.1"),
        ("workload.new_flow_cycles", 5.0),
        ("placement.handoff_ns", 40.0),
        ("nic.link_gbps", 10.0),
        ("accelerator.stage", "acl"),
        ("interference.per_second", 100.0),
    ],
)
def test_refused_in_a_sentence_that_names_the_key(key: str, value: Any) -> None:
    with pytest.raises(InputError) as error:
        refuse_unmeasured([BASE, with_overrides(BASE, {key: value})])
    assert str(error.value).startswith(f"s: {key} is set, but ")
    assert "planecast predict --engine simulate" in str(error.value)


def test_ways_are_not_given_by_measuring() -> None:
    named = with_overrides(BASE, {"machine": "platinum-8180", "neighbour.ways": 3})
    with pytest.raises(InputError, match=r"neighbour\.ways is set, but planecast partition"):
        refuse_unmeasured([named.model_copy(update={"machine": "host"})])


def test_programs_of_others_are_measured_between_ports_in_memory() -> None:
    refuse_unmeasured([with_overrides(BASE, {"dataplane.kind": "ovs"})])
    over_veth = {"dataplane.kind": "testpmd", "dataplane.ports": "veth"}
    with pytest.raises(InputError, match=r"dataplane\.ports is set, .*planecast search"):
        refuse_unmeasured([with_overrides(BASE, over_veth)])


def test_what_the_data_plane_does_is_measured() -> None:
    point = {"placement.cuts": "tx", "placement.cpus": "0-1", "placement.ring_wait": False}
    refuse_unmeasured([BASE, with_overrides(BASE, point)])
