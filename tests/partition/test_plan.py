"""Plans: legal on every machine, never worse than no plan, and RES's own division."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.partition.conftest import described, tenancy

from planecast.errors import InputError
from planecast.partition.division import illegalities
from planecast.partition.machine import Machine
from planecast.partition.optimise import optimise
from planecast.partition.plan import latency_us, make_plan
from planecast.partition.predict import Case, predict
from planecast.partition.tenants import Tenancy, load_tenancy


@st.composite
def machines(draw: st.DrawFn) -> Machine:
    sockets, cores = draw(st.integers(1, 2)), draw(st.sampled_from([4, 8, 12]))
    ways = draw(st.sampled_from([0, 4, 11, 16, 20]))
    high = draw(st.booleans())
    return described(
        sockets=sockets,
        cores=cores,
        threads=draw(st.integers(1, 2)),
        llc=draw(st.sampled_from([8, 22, 64])) << 20,
        llc_cores=draw(st.sampled_from([0, 4])),
        ways=ways,
        least_ways=draw(st.integers(1, 2)),
        classes=draw(st.sampled_from([2, 3, 4, 16])),
        ddio=draw(st.sampled_from([0, 0b11 << max(0, ways - 2)])) if ways else 0,
        bandwidth_step=draw(st.sampled_from([0, 10, 20])),
        priority_cores="1,3" if high else None,
        priority_mhz=2700 if high else 0,
        low_mhz=2100 if high else 0,
        base_mhz=2300,
        nic_node=draw(st.sampled_from([None, 0, sockets - 1])),
    )


_PROFILES = ["vpe-upstream", "l3fwd", "ovs-dpdk", "stream", "walk", "quiet", None]


@st.composite
def tenancies(draw: st.DrawFn) -> Tenancy:
    count = draw(st.integers(1, 3))
    rows: list[dict[str, Any]] = []
    for number in range(count):
        row: dict[str, Any] = {
            "name": f"t{number}",
            "role": draw(st.sampled_from(["dataplane", "vm", "control", "neighbour", "system"])),
            "rank": draw(st.integers(1, 3)),
            "cores": 1,
            "profile": draw(st.sampled_from(_PROFILES)),
            "siblings": draw(st.sampled_from(["idle", "busy"])),
        }
        if row["profile"] and draw(st.booleans()):
            row["target"] = {"rate": draw(st.sampled_from([1e5, 1e7]))}
        rows.append(row)
    return tenancy(*rows)


@settings(
    max_examples=100,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(machines(), tenancies())
def test_every_plan_is_legal_and_never_worse_than_none(machine: Machine, who: Tenancy) -> None:
    found = optimise(machine, who, tries=4)
    assert list(illegalities(found.best.division, machine.topology)) == []
    assert found.best.score >= (found.best.score[0], -1e-9)
    naive, best = predict(machine, who, [Case(found.naive), Case(found.best.division)])
    top = min(tenant.rank for tenant in who.tenants)
    for tenant in who.tenants:
        if tenant.rank == top and tenant.profile is not None:
            enough = tenant.target.rate if tenant.target else float("inf")
            now, before = best.capacity[tenant.name], naive.capacity[tenant.name]
            assert now >= min(before, enough) * (1 - 1e-3)


def test_the_published_division_and_the_measured_shape(res: Path) -> None:
    who = load_tenancy(res)
    assert who.machine is not None
    plan = make_plan(Machine.of(who.machine), who, tries=12)
    assert plan.chosen_by == "file"
    assert [(s.number, s.l3, s.bandwidth) for s in plan.division.services] == [
        (0, 0x7FF, 100),
        (1, 0x7F0, 100),
        (2, 0x3, 10),
        (3, 0xC, 10),
    ]
    assert plan.division.cpus_of(2) == (25, 34, 38, 39, 65, 74, 78, 79)
    path = [f for f in plan.forecasts if f.what == "path"]
    assert [f.frame_bytes for f in path] == [64, 128, 256, 512, 1024, 1280, 1518]
    lost = [1 - f.before.value / f.quiet.value for f in path if f.quiet]
    brought = [f.after.value / f.quiet.value for f in path if f.quiet]
    assert lost[0] > lost[-1] > 0.05  # stress costs small frames most
    assert min(brought) > 0.9  # the division brings most of it back
    assert all(f.gain_percent.low is not None and f.gain_percent.low > 0 for f in path)
    assert len(plan.published["vrouter"]) == 10


def test_the_data_plane_gets_priority_cores_near_its_card() -> None:
    machine = described(
        sockets=2,
        priority_cores="1,6,9,14",
        priority_mhz=2700,
        low_mhz=2100,
        nic_node=1,
    )
    who = tenancy(
        {"name": "noisy", "role": "neighbour", "rank": 3, "cores": 6, "profile": "stream"},
        {"name": "dp", "role": "dataplane", "cores": 2, "profile": "vpe-upstream"},
    )
    plan = make_plan(machine, who, tries=30)
    assert plan.division.share("dp").cores == (9, 14)
    assert set(plan.division.share("noisy").cores) <= set(range(8))
    assert plan.gain_percent is not None
    assert plan.gain_percent > 5
    assert plan.tried > 3
    assert plan.runners_up
    mask = plan.division.service_of("dp").l3
    assert mask is not None
    assert mask & 0x600 == 0x600  # the ways that cards write into
    assert plan.fingerprint == machine.topology.fingerprint


def test_targets_that_cannot_be_met_say_why(machine: Machine) -> None:
    who = tenancy(
        {
            "name": "dp",
            "role": "dataplane",
            "cores": 1,
            "profile": "vpe-upstream",
            "target": {"rate": "40Mpps", "latency": "20us"},
        },
        {"name": "easy", "cores": 1, "profile": "l3fwd", "target": {"rate": "1Mpps"}},
    )
    plan = make_plan(machine, who, tries=10)
    rate, latency = plan.unmet
    assert rate.tenant == "dp"
    assert "1 threads reach" in rate.why
    assert "it needs" in rate.why
    assert latency.target == "20 µs at 40 M/s"


def test_latency_rises_with_load_up_to_a_full_ring() -> None:
    found = [latency_us(load * 1e6, 1e6, 1) for load in (0.1, 0.5, 0.9, 0.99, 1.0, 2.0)]
    assert found == sorted(found)
    assert found[0] == pytest.approx(1.0, rel=0.1)
    assert found[-1] == 512.0


def test_too_few_cores_are_refused(machine: Machine) -> None:
    with pytest.raises(InputError, match="needs 9 cores, 8 are left"):
        make_plan(machine, tenancy({"name": "dp", "cores": 9}))


@pytest.mark.parametrize(
    ("classes", "fragment"),
    [
        ([{"number": 0, "l3": 0x5}, {"number": 1, "l3": 0x7F0}], "not contiguous"),
        ([{"number": 0, "l3": 0x1F}, {"number": 1, "l3": 0x7F0}], "both have the ways 0x10"),
        ([{"number": 0, "l3": 0xF}, {"number": 1, "l3": 0xFF0}], "not within 0x7ff"),
        ([{"number": 0, "l3": 0xF, "bandwidth": 15}, {"number": 1, "l3": 0x7F0}], "not a multiple"),
    ],
)
def test_a_division_that_cannot_be_is_refused(
    machine: Machine, classes: list[dict[str, int]], fragment: str
) -> None:
    who = tenancy(
        {"name": "dp", "cores": 2, "service": 1, "profile": "l3fwd"},
        {"name": "rest", "cores": 2, "service": 0},
        classes=classes,
    )
    with pytest.raises(InputError, match=fragment):
        make_plan(machine, who, tries=2)


def test_overlap_that_was_asked_for_is_taken(machine: Machine) -> None:
    who = tenancy(
        {"name": "dp", "cores": 2, "service": 1, "profile": "l3fwd"},
        {"name": "rest", "cores": 2, "service": 0},
        classes=[{"number": 0, "l3": 0x7FF}, {"number": 1, "l3": 0x7F0, "overlap": True}],
    )
    assert make_plan(machine, who, tries=2).division.service(1).l3 == 0x7F0
