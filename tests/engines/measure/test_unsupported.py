"""What measuring refuses: every key that the simulator alone uses."""

from __future__ import annotations

from typing import Any

import pytest

from planecast.engines.measure.load_sweep import check_scenario
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


OTG = {"generator.kind": "otg", "generator.server": "h:1", "generator.ports": "a b"}


def fed(kind: str, **keys: Any) -> Scenario:
    """A scenario of a data plane that a generator feeds."""
    needed: dict[str, Any] = {"dataplane.kind": kind}
    needed |= {"dataplane.command": "forward {in} {out}"} if kind == "command" else {}
    needed |= OTG if kind == "external" else {}
    return with_overrides(with_overrides(BASE, needed), keys)


@pytest.mark.parametrize("kind", ["l3fwd", "ovs", "vpp", "command"])
def test_a_burst_that_reaches_no_program_is_refused_in_a_search(kind: str) -> None:
    """`planecast measure` sends packets in such bursts, so there it counts."""
    refuse_unmeasured([fed(kind)], searched=True)
    asked = fed(kind, **{"placement.burst": 8})
    with pytest.raises(InputError) as error:
        refuse_unmeasured([asked], searched=True)
    assert str(error.value).startswith(
        f"s: placement.burst is set, but {kind} takes bursts of its own size from a port; leave it"
    )
    assert ("planecast measure" in str(error.value)) == (kind in ("l3fwd", "ovs"))
    refuse_unmeasured([asked])
    with pytest.raises(InputError, match="planecast's own pipelines, not"):
        check_scenario(asked)  # of a load curve, which it has none of


@pytest.mark.parametrize("kind", ["ours", "testpmd"])
def test_a_burst_that_reaches_the_program_is_searched_with(kind: str) -> None:
    refuse_unmeasured([fed(kind, **{"placement.burst": 8})], searched=True)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("placement.cpus", "3"),
        ("placement.lcores", 2),
        ("placement.burst", 8),
        ("placement.rx_ring", 1024),
        ("placement.tx_ring", 1024),
    ],
)
def test_what_is_there_already_has_cpus_and_rings_of_its_own(key: str, value: Any) -> None:
    refuse_unmeasured([fed("external")], searched=True)
    with pytest.raises(InputError) as error:
        refuse_unmeasured([fed("external", **{key: value})], searched=True)
    assert str(error.value) == (
        f"s: {key} is set, but nothing is started: what forwards has CPUs, bursts and rings of its "
        "own; leave it out"
    )


@pytest.mark.parametrize(
    ("kind", "dataplane", "counts"),
    [
        ("vpp", {"dataplane.graph": "l2xc"}, False),
        ("vpp", {"dataplane.graph": "l2patch"}, False),
        ("vpp", {"dataplane.graph": "l2bridge"}, False),
        ("vpp", {"dataplane.graph": "ip6"}, False),
        ("vpp", {"dataplane.graph": "ip4"}, True),
        ("l3fwd", {}, False),
        ("l3fwd", {"dataplane.lookup": "em"}, False),
        ("l3fwd", {"dataplane.routes": 64}, True),
    ],
)
def test_a_step_of_destinations_needs_routes_around_them(
    kind: str, dataplane: dict[str, Any], counts: bool
) -> None:
    asked = fed(kind, **dataplane, **{"traffic.destination_step": "0.0.64.1"})
    if counts:
        refuse_unmeasured([asked], searched=True)
        return
    with pytest.raises(InputError, match=r"destination_step is set, but destinations are one"):
        refuse_unmeasured([asked], searched=True)


def test_what_the_data_plane_does_is_measured() -> None:
    point = {"placement.cuts": "tx", "placement.cpus": "0-1", "placement.ring_wait": False}
    refuse_unmeasured([BASE, with_overrides(BASE, point)])


@pytest.mark.parametrize("kind", ["ours", "testpmd", "l3fwd", "ovs", "vpp"])
@pytest.mark.parametrize("searched", [False, True])
def test_cpus_that_are_not_there(kind: str, *, searched: bool) -> None:
    there = {} if kind == "ours" else {"dataplane.kind": kind}
    absent = with_overrides(BASE, {**there, "placement.cpus": "1023"})
    with pytest.raises(InputError, match=r"placement\.cpus: there is no CPU 1023"):
        refuse_unmeasured([absent], searched=searched)
    keys = {**there, "placement.cpus": "0", "neighbour.spin": True, "neighbour.cpu": 1023}
    busy = with_overrides(BASE, keys)
    with pytest.raises(InputError, match=r"neighbour\.cpu: there is no CPU 1023"):
        refuse_unmeasured([busy], searched=searched)
