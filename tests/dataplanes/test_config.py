"""Which scenarios share a process, and what it is configured with."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planecast.dataplanes import DataplaneConfig, Trial, configs_for, once_command
from planecast.dataplanes.config import config_text
from planecast.errors import MissingError
from planecast.scenario import Scenario, format_cpus, with_overrides
from planecast.scenario.workload import MAX_FLOWS

MakeScenario = Callable[..., Scenario]

PER_TRIAL: dict[str, list[Any]] = {
    "traffic.flows": [1, 256, 65536],
    "traffic.frame_bytes": [64, 512, 1518, 2048],
    "placement.burst": [1, 32, 256],
    "placement.stage_clock": [0, 16],
    "workload.stages": ["none", "acl", "key,route"],
}
PER_PROCESS: dict[str, list[Any]] = {
    "workload.acl_rules": [64, 4096],
    "workload.flows": [65536, 131072],
    "workload.routes": [64, 4096],
    "traffic.destination_step": ["0.4.0.0", "0.0.1.0"],
    "traffic.seed": [1, 2],
    "traffic.frame_bytes": [64, 2049, 9000],
    "placement.rx_ring": [128, 256],
    "placement.tx_ring": [256, 512],
    "placement.page_size": ["auto", "4KiB", "2MiB"],
}
BASE = Scenario(name="s")


def points(keys: dict[str, list[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {}, optional={key: st.sampled_from(values) for key, values in keys.items()}
    )


CPUS = st.sets(st.integers(0, 5), min_size=1).map(
    lambda cpus: {"placement.cpus": format_cpus(cpus)}
)


@given(st.lists(CPUS, min_size=1, max_size=12))
def test_every_scenario_has_the_first_cpus_of_its_process(sets: list[dict[str, Any]]) -> None:
    scenarios = [with_overrides(BASE, point) for point in sets]
    configs = configs_for(scenarios)
    assert len(configs) == len(scenarios)
    for scenario, config in zip(scenarios, configs, strict=True):
        own = scenario.placement.numbers
        assert set(config.cpus[: len(own)]) == set(own)
        assert len(set(config.cpus)) == len(config.cpus)
    # A process has no CPU that none of its scenarios uses.
    for config in configs:
        served = [
            s.placement.numbers for s, c in zip(scenarios, configs, strict=True) if c == config
        ]
        assert set(config.cpus) == {cpu for cpus in served for cpu in cpus}


@given(points(PER_TRIAL), points(PER_TRIAL))
def test_what_changes_from_trial_to_trial_shares_a_process(
    a: dict[str, Any], b: dict[str, Any]
) -> None:
    first, second = configs_for([with_overrides(BASE, a), with_overrides(BASE, b)])
    assert first == second


@pytest.mark.parametrize("key", PER_PROCESS)
def test_what_is_fixed_at_the_start_splits(key: str) -> None:
    values = PER_PROCESS[key]
    configs = configs_for([with_overrides(BASE, {key: value}) for value in values])
    assert len(set(configs)) == len(values)


@pytest.mark.parametrize(
    ("cpus", "processes"),
    [
        (["1", "0-1"], [(1, 0)]),
        (["0-1", "1", "0-1"], [(1, 0)]),
        (["0", "1"], [(0,), (1,)]),
        (["0", "1", "0-1"], [(0, 1), (1,)]),
        (["0-3", "2-3", "2"], [(2, 3, 0, 1)]),
        (["0-1", "2-3"], [(0, 1), (2, 3)]),
    ],
)
def test_sets_of_cpus_that_contain_each_other_share(
    cpus: list[str], processes: list[tuple[int, ...]]
) -> None:
    scenarios = [with_overrides(BASE, {"placement.cpus": text}) for text in cpus]
    assert {config.cpus for config in configs_for(scenarios)} == set(processes)


def test_nothing_needs_no_process() -> None:
    assert configs_for([]) == []


CONFIG = """\
[pipeline]
function = vpe-upstream
cuts = none
[tables]
acl_rules = 4096
flows = 65536
flow_table = buckets
routes = 4096
[traffic]
frame_bytes = 64
flows = 65536
destination_step = 0.4.0.0
seed = 1
[pool]
rx_ring = 128
tx_ring = 512
handoff_ring = 256
mbufs = 4096
[machine]
lcores = 3,1
main_cpu = 0
page_size = auto
"""
ONCE = """\
[pipeline]
function = vpe-upstream
cuts = none
stages = none
burst = 8
stage_clock = 0
[tables]
acl_rules = 4096
flows = 65536
flow_table = buckets
routes = 4096
[traffic]
frame_bytes = 128
flows = 256
destination_step = 0.4.0.0
seed = 1
[pool]
rx_ring = 128
tx_ring = 512
handoff_ring = 256
mbufs = 4096
[machine]
lcores = 0
main_cpu = 0
page_size = auto
"""


def test_a_function_without_flows_refuses_no_number_of_them() -> None:
    keys = {"workload.kind": "macswap", "workload.stages": "macswap"}
    swaps = with_overrides(Scenario(name="s"), keys | {"traffic.flows": MAX_FLOWS})
    (found,) = configs_for([swaps])
    assert dict(dict(found.fixed)["tables"])["flows"] == MAX_FLOWS


def test_the_configuration_as_it_is_written(config: DataplaneConfig) -> None:
    # In the order in which trials take them, so not as a sorted list.
    assert config_text(replace(config, cpus=(3, 1))) == CONFIG


def test_ports_are_written_when_there_are_some(config: DataplaneConfig) -> None:
    text = config_text(replace(config, rx="0", tx="1"))
    assert "\n[ports]\nrx = 0\ntx = 1\n" in text


def test_the_run_under_an_instrument(fake: Any, scenario: MakeScenario, tmp_path: Path) -> None:
    point = {"traffic.flows": 256, "traffic.frame_bytes": 128, "placement.burst": 8}
    wanted = scenario(point | {"workload.stages": "none", "placement.cpus": "0"})
    words = once_command(wanted, tmp_path, 64, instrument="stop", portable=False)
    program, path, *more = words
    assert Path(program) == fake.folder / "planecast-dataplane"
    assert more == ["--packets", "64", "--instrument", "stop"]
    assert Path(path).read_text() == ONCE
    with pytest.raises(MissingError, match="planecast-dataplane-v3 is not built"):
        once_command(wanted, tmp_path, 64, instrument="callgrind", portable=True)
    shutil.copy(program, f"{program}-v3")
    _, path, *_ = once_command(wanted, tmp_path, 64, instrument="callgrind", portable=True)
    assert "\npage_size = 4KiB\n" in Path(path).read_text()  # valgrind maps no hugetlbfs


def test_valgrind_gets_no_large_pages(fake: Any, scenario: MakeScenario, tmp_path: Path) -> None:
    shutil.copy(fake.folder / "planecast-dataplane", fake.folder / "planecast-dataplane-v3")
    words = once_command(scenario(), tmp_path, 64, instrument="callgrind", portable=True)
    assert "page_size = 4KiB" in Path(words[1]).read_text()


def test_one_lcore_is_counted(fake: Any, scenario: MakeScenario, tmp_path: Path) -> None:
    wanted = scenario({"placement.cpus": "0-1"})
    _, path, *_ = once_command(wanted, tmp_path, 64, instrument="stop", portable=False)
    assert "\nlcores = 0\n" in Path(path).read_text()


def test_a_bridge_under_an_instrument_does_not_age(
    fake: Any, scenario: MakeScenario, tmp_path: Path
) -> None:
    wanted = scenario({"workload.kind": "l2bridge", "workload.stages": "learn,forward"})
    _, path, *_ = once_command(wanted, tmp_path, 64, instrument="stop", portable=False)
    assert "\nageing_s = 1000000\n" in Path(path).read_text()
    assert "ageing_s" not in config_text(configs_for([wanted])[0])


@pytest.mark.parametrize(
    ("cpus", "main"), [((0,), 0), ((1,), 0), ((0, 1), 0), ((0, 2), 1), ((1, 0, 3), 2)]
)
def test_the_main_lcore_sleeps_where_nobody_forwards(
    config: DataplaneConfig, cpus: tuple[int, ...], main: int
) -> None:
    assert replace(config, cpus=cpus).main_cpu == main


def test_the_request_of_a_trial(scenario: MakeScenario) -> None:
    def request(point: dict[str, Any]) -> str:
        return Trial(windows=64, packets=2048, warmup=512, scenario=scenario(point)).request

    assert request({"traffic.flows": 256}) == (
        "trial windows=64 packets=2048 warmup=512 canary=1 burst=32 frame_bytes=64 flows=256 "
        "stages=acl,key,classify,actions,route stage_clock=16 lcores=1"
    )
    point = {"workload.stages": "none", "placement.cpus": "0,2-3", "placement.stage_clock": 0}
    assert request(point).endswith("stages=none stage_clock=0 lcores=3")


def test_a_full_ring_is_waited_for_unless_the_scenario_says_otherwise() -> None:
    cut = with_overrides(BASE, {"placement.cuts": "tx", "placement.cpus": "0-1"})
    drops = with_overrides(cut, {"placement.ring_wait": False})
    assert "ring_wait" not in config_text(configs_for([cut])[0])
    assert "ring_wait = off\n" in config_text(configs_for([drops])[0])
    # Uncut there is no ring, so both share a process.
    uncut = with_overrides(BASE, {"placement.ring_wait": False})
    assert configs_for([uncut]) == configs_for([BASE])


@pytest.mark.parametrize(
    ("changes", "mbufs"),
    [
        ({}, 4096),  # 2·(128 + 512 + 256 + 256) in rings and bursts, 768 in the lcores' caches
        ({"placement.rx_ring": 4096, "placement.tx_ring": 4096}, 32768),
        ({"placement.cuts": "key,tx", "placement.cpus": "0-2"}, 4096),
    ],
)
def test_a_cut_pipeline_has_no_more_buffers_than_it_can_hold(
    changes: dict[str, object], mbufs: int
) -> None:
    cut = with_overrides(BASE, {"placement.cuts": "tx", "placement.cpus": "0-1"} | changes)
    (config,) = configs_for([cut])
    assert f"\nmbufs = {mbufs}\n" in config_text(config)


def test_a_pipeline_without_ports_has_no_more_buffers_than_it_can_hold() -> None:
    (config,) = configs_for([BASE])
    assert "\nmbufs = 4096\n" in config_text(config)
    assert "mbufs" not in config_text(replace(config, rx="0", tx="0"))


def test_meters_know_where_they_differ() -> None:
    metered = with_overrides(BASE, {"workload.meter_rate": 1000})
    assert "\nmeter_rate = 1000\nmeter_burst = 1000000\n" in config_text(configs_for([metered])[0])
    assert "meter" not in config_text(configs_for([BASE])[0])
    # Without the stage there are no meters, so both share a process.
    without = {"workload.stages": "acl"}
    pair = [with_overrides(one, without) for one in (BASE, metered)]
    assert len(set(configs_for(pair))) == 1
