"""The prediction's shape: what must rise, fall and stay when the division changes."""

from __future__ import annotations

import numpy as np
import pytest
from tests.partition.conftest import described, tenancy

from planecast.machine.memory import Memory
from planecast.machine.tenants import Shared, settle
from planecast.partition.assign import naive_cores, shares
from planecast.partition.division import Division, Service
from planecast.partition.machine import Machine
from planecast.partition.predict import Case, _shared, predict
from planecast.partition.tenants import Tenancy


def divided(machine: Machine, who: Tenancy, masks: tuple[int, int], limit: int = 100) -> Division:
    """The first tenant in class 1, the others in class 0."""
    first = who.tenants[0].name
    services = (
        Service(number=0, l3=masks[1], bandwidth=limit, overlap=True),
        Service(number=1, l3=masks[0], bandwidth=100),
    )
    cores = naive_cores(machine, who)
    return Division(services=services, shares=shares(who, cores, lambda t: int(t.name == first)))


def rates(machine: Machine, who: Tenancy, *cases: Case) -> list[float]:
    return [answer.capacity["dp"] for answer in predict(machine, who, cases)]


def test_a_neighbour_costs_and_ways_bring_it_back(machine: Machine, crowded: Tenancy) -> None:
    shared = divided(machine, crowded, (0x7FF, 0x7FF))
    apart = divided(machine, crowded, (0x7FC, 0x3))
    alone, loaded, own = rates(
        machine, crowded, Case(shared, idle=frozenset({"noisy"})), Case(shared), Case(apart)
    )
    assert loaded < 0.97 * alone
    assert loaded < own < alone


def test_limiting_the_neighbour_helps(machine: Machine, crowded: Tenancy) -> None:
    free, limited = (divided(machine, crowded, (0x7FF, 0x7FF), limit) for limit in (100, 10))
    before, after = predict(machine, crowded, [Case(free), Case(limited)])
    assert after.capacity["dp"] > before.capacity["dp"]
    assert after.capacity["noisy"] < 0.3 * before.capacity["noisy"]


def test_more_ways_never_serve_less(machine: Machine, crowded: Tenancy) -> None:
    cases = [
        Case(divided(machine, crowded, (0x7FF ^ ((1 << n) - 1), (1 << n) - 1)))
        for n in range(1, 10)
    ]
    settled = settle(_shared(machine, crowded, crowded.tenants, cases))
    found = (1 - settled.miss[:, 0, 0]).tolist()
    assert found == sorted(found, reverse=True)
    assert found[0] > 2 * found[-1]
    able = [answer.capacity["dp"] for answer in predict(machine, crowded, cases)]
    assert able == sorted(able, reverse=True)


def test_cases_do_not_disturb_each_other(machine: Machine, crowded: Tenancy) -> None:
    one = Case(divided(machine, crowded, (0x7F0, 0xF)))
    other = Case(divided(machine, crowded, (0x7FF, 0x7FF)), frame_bytes=512)
    both = predict(machine, crowded, [one, other])
    assert both[0].capacity["dp"] == pytest.approx(
        predict(machine, crowded, [one])[0].capacity["dp"], rel=1e-9
    )


def test_clock_and_siblings() -> None:
    who = tenancy({"name": "dp", "cpus": "0", "profile": "l3fwd", "siblings": "busy"})
    idle = tenancy({"name": "dp", "cpus": "0", "profile": "l3fwd"})
    slow, fast = (described(threads=2, base_mhz=mhz) for mhz in (2000, 2700))

    def rate(machine: Machine, who: Tenancy) -> float:
        cores = naive_cores(machine, who)
        division = Division(
            services=(Service(number=0, l3=0x7FF, bandwidth=100),),
            shares=shares(who, cores, lambda tenant: 0),
        )
        return predict(machine, who, [Case(division)])[0].capacity["dp"]

    # Caches and memory have clocks of their own: less than in proportion.
    assert 1.1 < rate(fast, idle) / rate(slow, idle) < 1.35
    assert 1.2 < rate(slow, who) / rate(slow, idle) < 1.5


def test_a_path_is_as_fast_as_its_slowest_leg_or_its_ports(machine: Machine) -> None:
    who = tenancy(
        {"name": "dp", "role": "dataplane", "cores": 1, "profile": "ovs-dpdk"},
        {"name": "vm", "cores": 4, "profile": "vpp-ipv4"},
        paths=[
            {
                "name": "through",
                "legs": [{"tenant": "dp", "visits": 2.0}, {"tenant": "vm"}],
                "frames": [64, 1518],
                "link_gbps": 10.0,
            }
        ],
    )
    division = divided(machine, who, (0x7FF, 0x7FF))
    small, large = predict(machine, who, [Case(division, 64), Case(division, 1518)])
    assert small.paths["through"] == pytest.approx(small.capacity["dp"] / 2)
    assert large.paths["through"] == pytest.approx(10e9 / (8 * 1538))


def test_two_nodes_do_not_share_their_memory() -> None:
    machine = described(sockets=2)
    names = ("dp", "noisy")
    rates_ = []
    for cpus in ("8-15", "2-7,8-9"):
        who = tenancy(
            {"name": names[0], "cpus": "0-1", "profile": "vpe-upstream"},
            {"name": names[1], "cpus": cpus, "profile": "stream", "role": "neighbour"},
        )
        rates_ += rates(machine, who, Case(divided(machine, who, (0x7FF, 0x7FF))))
    assert rates_[1] < rates_[0]


def test_as_a_description_by_hand_says(machine: Machine, crowded: Tenancy) -> None:
    """Masks, threads, clocks and limits of bandwidth as a person reads them off the division."""
    masks = (0x7F8, 0x01F)
    (found,) = predict(machine, crowded, [Case(divided(machine, crowded, masks, limit=50))])
    timing = machine.timing
    profiles = [tenant.profile for tenant in crowded.tenants]
    known = [one for one in profiles if one is not None]
    assert len(known) == 2
    expected = settle(
        Shared(
            threads=np.array([[[2.0], [5.0]]]),
            core_ns=np.array([[one.cycles / 2.3 for one in known]]),
            touches=np.array([[one.touches for one in known]]),
            exposed=np.array([[one.exposed for one in known]]),
            held_back=np.array([[[1.0], [2.0]]]),
            footprint=np.array([float(one.working_set) for one in known]),
            inside=np.array([[[bool(mask >> way & 1) for way in range(11)] for mask in masks]]),
            way_bytes=np.array([(16 << 20) / 11]),
            llc_ns=timing.llc_ns,
            memory=Memory(timing.memory_ns, timing.memory_gbs),
            same_memory=np.ones((1, 1)),
            demand=lambda capacity: capacity,
        )
    )
    for name, rate in zip(("dp", "noisy"), expected.capacity[0].tolist(), strict=True):
        assert found.capacity[name] == pytest.approx(rate * 1e9, rel=2e-3)
    settled = settle(
        _shared(
            machine, crowded, crowded.tenants, [Case(divided(machine, crowded, masks, limit=50))]
        )
    )
    assert settled.miss == pytest.approx(expected.miss, rel=5e-3)
