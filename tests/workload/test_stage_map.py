"""Stage maps: whose a function is."""

from __future__ import annotations

from pathlib import Path

import pytest

from planecast.catalog import names
from planecast.errors import InputError
from planecast.workload.stage_map import Called, StageMap, StageRule, stage_map

MAP = StageMap(
    name="made up",
    source="this test",
    stages=("rx", "parse", "tx"),
    rules=(
        StageRule(stage="tx", objects=("libdriver*",)),
        StageRule(stage="parse", functions=("extract_*", "look?")),
        StageRule(stage="rx", within=("hook",)),
    ),
)


def stack(*calls: str) -> list[Called]:
    """Functions as ``name@object``, innermost first."""
    return [Called(*call.split("@")) for call in calls]


@pytest.mark.parametrize(
    ("calls", "stage"),
    [
        (("extract_ip@app",), "parse"),
        (("extract_ip.constprop.0@app",), "parse"),
        (("looks@app",), "parse"),
        (("lookup@app",), "other"),
        (("memcpy@libc.so.6", "extract_ip@app", "main@app"), "parse"),
        (("memcpy@libc.so.6", "main@app"), "other"),
        (("send@libdriver.so.1", "main@app"), "tx"),
        (("receive@libdriver.so.1", "hook@meter", "main@app"), "rx"),
        (("memcpy@libc.so.6", "send@libdriver.so.1", "extract_ip@app"), "tx"),
        (("0x1234@app", "extract_ip@app"), "parse"),
    ],
)
def test_the_innermost_function_that_a_rule_names(calls: tuple[str, ...], stage: str) -> None:
    assert MAP.stage_of(stack(*calls)) == stage


def test_what_is_left_may_go_by_its_object() -> None:
    by_object = MAP.model_copy(update={"fallback": "object"})
    assert by_object.stage_of(stack("main@app")) == "app"
    assert by_object.stage_of(stack("extract_ip@app")) == "parse"


def test_stages_come_in_the_order_of_the_map() -> None:
    assert MAP.in_order(["other", "tx", "app", "rx"]) == ["rx", "tx", "app", "other"]


def test_names_hold_for_one_build() -> None:
    ovs = stage_map("ovs")
    build = ovs.symbols[0].build_id
    known = ovs.names_of(build)
    assert known[Called("0xb78d0", "ovs-vswitchd-dpdk")] == "miniflow_extract"
    assert ovs.names_of("0" * 40) == ovs.names_of(None) == {}
    for call, name in known.items():
        assert ovs.stage_of([call._replace(function=name)]) != "other", name


@pytest.mark.parametrize("name", names("maps"))
def test_every_map_of_the_catalogue(name: str) -> None:
    found = stage_map(name)
    assert found.name == name
    assert {rule.stage for rule in found.rules} == set(found.stages)


def test_ovs_by_symbol() -> None:
    ovs = stage_map("ovs")
    wanted = {
        "miniflow_extract": "parse",
        "emc_lookup": "classify",
        "smc_lookup_batch": "classify",
        "dpcls_lookup": "megaflow",
        "dp_execute_cb": "actions",
        "netdev_dpdk_rxq_recv": "rx",
        "netdev_dpdk_eth_send": "tx",
        "pmd_thread_main": "poll",
    }
    assert {f: ovs.stage_of([Called(f, "ovs-vswitchd")]) for f in wanted} == wanted
    upcall = stack("memcpy@libc.so.6", "malloc@libc.so.6", "handle_packet_upcall@ovs-vswitchd")
    assert ovs.stage_of(upcall) == "upcall"


def test_a_users_own_map_that_names_no_stage(tmp_path: Path) -> None:
    file = tmp_path / "map.yaml"
    file.write_text(
        "name: mine\nsource: me\nstages: [rx]\nrules: [{stage: lookup, functions: [find]}]\n"
    )
    with pytest.raises(InputError, match="rules name the stage 'lookup', which is not in stages"):
        stage_map("dpdk", file)
    file.write_text(file.read_text().replace("[rx]", "[lookup]"))
    assert stage_map("dpdk", file).stage_of(stack("find@mine")) == "lookup"


@pytest.mark.parametrize(
    ("stages", "rule", "said"),
    [
        ("[total]", "{stage: total, functions: [find]}", "can't be called 'total'"),
        ("[rx, rx]", "{stage: rx, functions: [find]}", "names 'rx' twice"),
        ("[rx]", "{stage: rx}", "needs functions, objects or within"),
    ],
)
def test_a_users_own_map_that_would_count_wrongly(
    tmp_path: Path, stages: str, rule: str, said: str
) -> None:
    file = tmp_path / "map.yaml"
    file.write_text(f"name: mine\nsource: me\nstages: {stages}\nrules: [{rule}]\n")
    with pytest.raises(InputError, match=said):
        stage_map("dpdk", file)


def test_a_program_without_a_map() -> None:
    with pytest.raises(InputError, match="the catalogue has no stage map 'testpdm'"):
        stage_map("testpdm")
