"""Programs of others in ports of memory: who shares a process, and trials of testpmd."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from statistics import median
from typing import Any

import pytest

from planecast.dataplanes.meter import meter_library
from planecast.dataplanes.metered import MeteredConfig, MeteredDataplane
from planecast.dataplanes.processes import process, processes_for
from planecast.dataplanes.trial import Trial
from planecast.errors import InputError, MissingError, RunError
from planecast.scenario import Scenario

Make = Callable[..., Scenario]
NULL_PORTS = "--no-huge --no-shconf --no-telemetry --no-pci -m 256"


@pytest.fixture
def testpmd() -> str:
    """Its path, where the meter can be loaded into it."""
    path = shutil.which("dpdk-testpmd")
    if path is None:
        pytest.skip("dpdk-testpmd is not installed (apt-get install dpdk-dev)")
    try:
        meter_library()
    except MissingError as missing:
        pytest.skip(str(missing))
    return path


def program_of(scenario: Scenario) -> MeteredDataplane:
    """Not started; the test is skipped where the program is not installed."""
    try:
        running = MeteredDataplane(MeteredConfig.of(scenario))
        running.plan()
    except MissingError as missing:
        pytest.skip(str(missing))
    return running


def trial(scenario: Scenario, windows: int = 4, packets: int = 2048) -> Trial:
    return Trial(windows=windows, packets=packets, warmup=4096, scenario=scenario)


def test_traffic_and_bursts_change_within_a_process(scenario: Make) -> None:
    base = {"dataplane.kind": "testpmd"}
    points: list[dict[str, Any]] = [
        {},
        {"traffic.flows": 9, "traffic.frame_bytes": 512, "placement.burst": 4},
        {"neighbour.stream": "64MiB"},
        {"dataplane.mode": "macswap"},
    ]
    first, second, third, other = processes_for([scenario(base | point) for point in points])
    assert first == second == third != other
    assert isinstance(first, MeteredConfig)


def test_ours_and_others_in_one_run(scenario: Make) -> None:
    ours, theirs = processes_for([scenario(), scenario({"dataplane.kind": "testpmd"})])
    assert isinstance(process(theirs), MeteredDataplane)
    assert not isinstance(process(ours), MeteredDataplane)


@pytest.mark.parametrize(
    ("point", "reason"),
    [
        (
            {"dataplane.kind": "vpp", "placement.cpus": "0-1"},
            "2 lcores are named, but VPP forwards by one thread",
        ),
        ({"dataplane.kind": "testpmd", "dataplane.chain": 2}, "they are several programs"),
        ({"dataplane.kind": "ovs", "dataplane.guests": 1}, "it is one program of several"),
        (
            {
                "dataplane.kind": "command",
                "dataplane.command": "x {in_eal} {out_eal}",
                "placement.cpus": "0-1",
            },
            "how a program of your own divides",
        ),
    ],
)
def test_refused_with_the_reason(scenario: Make, point: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        processes_for([scenario(point)])


def test_what_the_meter_is_asked(scenario: Make) -> None:
    point = {"dataplane.kind": "testpmd", "placement.burst": 8, "traffic.frame_bytes": 128}
    asked = scenario({**point, "traffic.flows": 77})
    words = MeteredDataplane(MeteredConfig.of(asked)).request(trial(asked)).split()
    assert words[:4] == ["trial", "windows=4", "packets=2048", "warmup=4096"]
    assert {"burst=8", "length=124", "flows=77"} <= set(words)


@pytest.mark.live
def test_testpmd_for_real(scenario: Make, testpmd: str) -> None:
    base = scenario({"dataplane.kind": "testpmd"})
    with MeteredDataplane(MeteredConfig.of(base)) as running:
        for burst in (4, 64):
            asked = scenario({"dataplane.kind": "testpmd", "placement.burst": burst})
            found = running.trial(trial(asked))
            windows = found.lcores[0].windows
            assert sum(windows.packets) == burst * sum(windows.bursts)
            assert found.packets_in >= 4096 + 4 * 2048
            assert found.packets_out >= 0.99 * found.packets_in
            sampled = sum(windows.sampled_packets)
            assert sampled == burst * sum(windows.sampled_bursts) > 0
            assert set(windows.stage_cycles) == {"rx", "source", "program", "tx"}
            assert {len(column) for column in windows.stage_cycles.values()} == {windows.count}
            for name in ("source", "program"):  # a driver's part may be shorter than the clock's
                assert sum(windows.stage_cycles[name]) > 0, name


def test_several_lcores_are_a_process_of_their_own(scenario: Make) -> None:
    def configs(kind: str, *points: dict[str, Any]) -> list[Any]:
        return processes_for([scenario({"dataplane.kind": kind} | point) for point in points])

    two = {"placement.cpus": "0-1"}
    first, second, third = configs("l3fwd", {}, two, two | {"traffic.flows": 9})
    assert isinstance(second, MeteredConfig)
    assert first != second == third
    assert second.cpus == (0, 1)
    # What a switch of several threads learnt would not be forgotten.
    one, few, many = configs("ovs", {"traffic.flows": 9}, two | {"traffic.flows": 9}, two)
    assert len({one, few, many}) == 3


@pytest.mark.live
@pytest.mark.parametrize("kind", ["testpmd", "ovs"])
def test_two_lcores_for_real(scenario: Make, testpmd: str, kind: str) -> None:
    cpus = sorted(os.sched_getaffinity(0))[:2]
    if len(cpus) < 2:
        pytest.skip("a second CPU is needed")
    asked = scenario({"dataplane.kind": kind, "placement.cpus": f"{cpus[0]},{cpus[1]}"})
    with program_of(asked) as running:
        found = running.trial(trial(asked))
    assert sorted(lcore.cpu for lcore in found.lcores) == cpus
    for lcore in found.lcores:
        assert sum(lcore.windows.packets) == 32 * sum(lcore.windows.bursts) >= 4 * 2048
    # The first to have its windows forwards on until the other has them.
    assert found.packets_in >= 2 * (4096 + 4 * 2048)
    assert found.packets_out >= 0.99 * found.packets_in


@pytest.mark.live
def test_a_program_that_asks_for_fewer(scenario: Make, testpmd: str) -> None:
    command = f"{testpmd} --lcores 0@{{main_cpu}},1@{{cpu}} {{in_eal}} {{out_eal}} {NULL_PORTS}"
    command += " -- --nb-cores=1 --burst=16 --total-num-mbufs=8192 --auto-start --no-flush-rx"
    kind = {"dataplane.kind": "command", "dataplane.command": command}
    asked = scenario({**kind, "placement.burst": 32})
    with MeteredDataplane(MeteredConfig.of(asked)) as running:
        with pytest.raises(InputError, match=r"bursts of 16 and not of 32"):
            running.trial(trial(asked))
        lower = scenario({**kind, "placement.burst": 16})
        assert running.trial(trial(lower)).lcores[0].windows.count == 4


@pytest.mark.live
def test_a_switch_forgets_the_flows_of_before(scenario: Make) -> None:
    def asked(flows: int) -> Scenario:
        return scenario({"dataplane.kind": "ovs", "dataplane.rules": 64, "traffic.flows": flows})

    def missed(running: MeteredDataplane, flows: int) -> float:
        switch = running._switch
        assert switch is not None
        running.trial(trial(asked(flows)))
        switch.begin_opinion()
        running.trial(trial(asked(flows), windows=32))
        return switch.opinion()["megaflow look-ups"].value

    with program_of(asked(4096)) as running:
        # As counted in a switch that never saw others: a simulated cache misses 0.033 of 4,096.
        shares = [missed(running, flows) for flows in (4096, 32768, 4096, 64)]
    assert shares == pytest.approx([0.034, 0.75, 0.034, 0], abs=0.01)


@pytest.mark.live
def test_a_switchs_own_counters_agree_with_the_meter(scenario: Make) -> None:
    asked = scenario({"dataplane.kind": "ovs", "traffic.flows": 64})
    with program_of(asked) as running:
        answers = [running.trial(trial(asked, windows=16)) for _ in range(9)]
    own = [found.own_cycles_per_packet for found in answers]
    assert all(one is not None for one in own)
    costs = [
        cycles / packets
        for found in answers
        for cycles, packets in zip(
            found.lcores[0].windows.cycles, found.lcores[0].windows.packets, strict=True
        )
    ]
    # Coarse, as whoever shares the CPU lengthens whole visits: neither counts in another unit.
    assert median(costs) / 2 < min(one for one in own if one is not None) < 2 * median(costs)


def test_a_program_that_ends(scenario: Make, testpmd: str) -> None:
    kind = {"dataplane.kind": "command", "dataplane.command": "false {in_eal} {out_eal}"}
    ends = MeteredDataplane(MeteredConfig.of(scenario(kind)))
    with pytest.raises(RunError, match="false"), ends:
        pass
