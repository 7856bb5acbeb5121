"""Machines that aren't here: the catalogue's, as a plan needs them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.partition.conftest import tenancy

from planecast.catalog import entry_path, names
from planecast.partition.division import illegalities
from planecast.partition.machine import Machine, MachineShape
from planecast.partition.plan import make_plan

DP = {"name": "dp", "role": "dataplane", "cores": 2, "profile": "l3fwd"}
NOISY = {"name": "noisy", "role": "neighbour", "rank": 3, "cores": 2, "profile": "stream"}


@pytest.mark.parametrize("name", names("cpus"))
def test_every_machine_of_the_catalogue_can_be_planned_for(name: str) -> None:
    who = tenancy(DP, NOISY, machine=name)
    assert who.machine is not None
    machine = Machine.of(who.machine)
    plan = make_plan(machine, who, tries=3)
    assert list(illegalities(plan.division, machine.topology)) == []


def test_a_name_stands_for_what_the_catalogue_knows() -> None:
    shape = MachineShape(like="gold-6230n")
    assert (shape.cores, shape.threads, shape.ways, shape.ddio) == (20, 2, 11, 0x600)
    assert (shape.bandwidth_step, shape.bandwidth_unit) == (10, "percent")
    assert shape.timing.memory_ns == 80.9
    topology = shape.topology()
    assert topology.rdt.classes == 8  # of bandwidth: fewer than of ways
    assert len(topology.caches) == 1


def test_a_section_has_the_last_word() -> None:
    shape = MachineShape.model_validate(
        {"like": "gold-6230n", "sockets": 2, "ways": 4, "ddio": 0, "timing": {"memory_ns": 100}}
    )
    assert (shape.sockets, shape.cores, shape.ways) == (2, 20, 4)
    assert (shape.timing.memory_ns, shape.timing.memory_gbs) == (100, 119.7)


def test_latencies_under_traffic_are_taken_where_they_were_measured(tmp_path: Path) -> None:
    text = entry_path("cpus", "gold-6230n").read_text()
    own = tmp_path / "own.yaml"
    loaded = "  memory_loaded:\n" + "".join(
        f"    - {{gbs: {gbs}, ns: {ns}, status: measured, source: like}}\n"
        for gbs, ns in ((20, 90.0), (60, 140.0))
    )
    own.write_text(text + loaded)
    memory = Machine.of(MachineShape(like=str(own))).memory
    assert memory.latency_ns(40) == pytest.approx(115)
    usual = Machine.of(MachineShape(like="gold-6230n")).memory
    assert usual.latency_ns(40) < 100


def test_amd_parts_have_many_caches_and_their_own_unit() -> None:
    topology = MachineShape(like="epyc-9354").topology()
    assert len(topology.caches) == 8
    band = topology.rdt.bandwidth
    assert band is not None
    assert (band.unit, band.most) == ("1/8 GB/s", 2048)
    assert topology.rdt.l3 is not None
    assert topology.rdt.l3.sparse


def test_parts_whose_bandwidth_cannot_be_limited() -> None:
    broadwell, haswell = (MachineShape(like=f"e5-2699v{n}").topology().rdt for n in (4, 3))
    assert broadwell.bandwidth is None
    assert haswell.bandwidth is None
    # The maker's answers (intel-cmt-cat, issues 3 and 55): two ways at the least, then one.
    assert (broadwell.l3.least_bits, broadwell.classes) == (1, 16)
    assert (haswell.l3.least_bits, haswell.classes) == (2, 4)


@pytest.mark.parametrize(
    ("machine", "fragment"),
    [
        ("gold-6230", "did you mean gold-6230n"),
        ({"like": "nowhere.yaml"}, "there is no such file"),
        ({"sockets": 2}, "needs cores and llc"),
    ],
)
def test_a_machine_that_there_is_not(machine: object, fragment: str) -> None:
    with pytest.raises(ValueError, match=fragment):
        tenancy(DP, machine=machine)


def test_who_has_a_cache_alone_has_all_its_ways_and_keeps_room_to_spare() -> None:
    who = tenancy(
        DP | {"cores": 4, "profile": "vpe-upstream", "target": {"rate": "20Mpps"}},
        {"name": "ctl", "role": "control", "rank": 2, "cores": 1, "profile": "quiet"},
        NOISY | {"cores": 24},
        machine="epyc-9354",
    )
    assert who.machine is not None
    plan = make_plan(Machine.of(who.machine), who)
    assert plan.division.share("dp").cores == (0, 1, 2, 3)  # a cache of its own
    assert plan.division.service_of("dp").l3 == 0xFFFF
    (dp,) = (f for f in plan.forecasts if f.name == "dp")
    assert dp.gain_percent.value > -0.1  # though the target leaves room to take from it
