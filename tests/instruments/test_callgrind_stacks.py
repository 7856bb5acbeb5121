"""Callgrind's costs by stack, divided among stages."""

from __future__ import annotations

import pytest

from planecast.errors import RunError
from planecast.instruments.callgrind_output import parse_callgrind
from planecast.instruments.callgrind_stacks import counts_by_stage, stack_of
from planecast.workload.stage_map import Called, stage_map

OUTPUT = """\
events: Ir
positions: line
ob=(1) /somewhere/planecast-meter.so
fn=(1) frames_write'count_rx'0x0000000000001000
1 100
fn=(2) count_rx'0x0000000000001000
1 7
ob=(2) /somewhere/librte_net_null.so.23.0
fn=(3) 0x0000000000004370'count_rx'0x0000000000001000
1 30
fn=(4) 0x0000000000004630'0x0000000000001000
1 50
ob=(3) /somewhere/dpdk-testpmd
fn=(5) 0x0000000000001000
1 11
ob=(4) /lib/libc.so.6
fn=(6) memcpy'2'0x0000000000001000
1 2
totals: 200
"""
POLLING = "events: Ir\nfn=(1) epoll\n1 3\ntotals: 3\n"


def test_the_hooks_own_work_is_none_of_the_programs() -> None:
    threads = [parse_callgrind(text.splitlines()) for text in (POLLING, OUTPUT)]
    found = counts_by_stage(threads, stage_map("testpmd"))
    assert dict(found.stages) == {"rx": 30, "forward": 13, "tx": 50}
    assert found.total == sum(found.stages.values()) == 93
    assert found.functions["0x4630", "librte_net_null.so.23.0"] == 50
    assert not any(where == "planecast-meter.so" for _, where in found.functions)


def test_names_for_functions_without_a_symbol() -> None:
    threads = [parse_callgrind(OUTPUT.splitlines())]
    names = {Called("0x1000", "dpdk-testpmd"): "pkt_burst"}
    found = counts_by_stage(threads, stage_map("testpmd"), names)
    assert found.functions["pkt_burst", "dpdk-testpmd"] == 11


def test_levels_of_recursion_are_no_callers() -> None:
    objects = {"walk": "app", "main": "app"}
    assert stack_of("walk'2'main", "app", objects) == [Called("walk", "app"), Called("main", "app")]


def test_no_thread_that_polls() -> None:
    with pytest.raises(RunError, match="no thread that polls the program's first port"):
        counts_by_stage([parse_callgrind(POLLING.splitlines())], stage_map("testpmd"))


NODES = """\
events: Ir
positions: line
ob=(1) /lib/libvnet.so.26.10
fn=(1) ip4_lookup_node_fn_hsw'dispatch_pending_node'vlib_main
1 60
fn=(2) unseen_node_fn
1 5
fn=(3) pg_input'count_rx'pg_input'vlib_main
1 900
fn=(4) memcpy'pg_input'count_rx'pg_input'vlib_main
1 80
ob=(2) /lib/libvlib.so.26.10
fn=(5) dispatch_pending_node'vlib_main
1 20
fn=(6) tw_timer_expire'vlib_main
1 40
fn=(7) some_process
1 30
fn=(8) 0x0000000000004d70 [PLT]
1 3
totals: 1138
"""


def test_nodes_without_what_makes_their_packets_and_what_time_makes() -> None:
    threads = [parse_callgrind(NODES.splitlines())]
    found = counts_by_stage(threads, stage_map("vpp"))
    assert dict(found.stages) == {"next_hop": 60, "nodes": 5, "dispatch": 20}
    assert found.total == sum(found.stages.values()) == sum(found.functions.values())
    whole = counts_by_stage(threads, stage_map("vpp"), source=True)
    assert whole.stages["source"] == 980
    assert whole.total == found.total + 980


def test_an_entry_of_a_linkage_table_keeps_its_words() -> None:
    assert stack_of("0x00000000048d53b0 [PLT]", "app", {}) == [Called("0x48d53b0 [PLT]", "app")]
