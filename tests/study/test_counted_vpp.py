"""VPP counted, traced and measured in memory: what is asked of it, with programs that stand in for
it; and of a real one."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from planecast.dataplanes.metered import MeteredConfig, MeteredDataplane
from planecast.dataplanes.trial import Trial
from planecast.errors import MissingError, RunError
from planecast.instruments.window import HOOK_FUNCTION
from planecast.scenario import Scenario, with_overrides
from planecast.study import window_run
from planecast.study.counted_program import count_program
from planecast.study.traced_program import trace_once

Make = Callable[..., Scenario]
STAND_INS = Path(__file__).parents[1] / "dataplanes" / "programs"
GRAPHS = ("l2xc", "l2patch", "l2bridge", "ip4", "ip6")
COSTS = """events: Ir
positions: line
ob=(1) /lib/libvlib.so
fn=(1) vlib_main
1 {loop}
ob=(2) /lib/planecast-meter-vpp.so
fn=(2) %s'pg_input'vlib_main
1 1000
ob=(3) /lib/libvnet.so
fn=(3) pg_input'%s'pg_input'vlib_main
1 2000
fn=(4) l2_patch_node_fn'vlib_main
1 {patch}
ob=(1)
fn=(5) tw_timer_expire_timers'vlib_main
1 77
"""
VALGRIND = """#!{python} -IS
import os, sys
at = next(i for i, word in enumerate(sys.argv) if i and not word.startswith("-"))
asked = next(word for word in sys.argv if word.startswith("PLANECAST_COUNT=")).split()
asked = dict(word.split("=", 1) for word in asked[1:])
packets, burst = int(asked["packets"]), int(asked["burst"])
out = next(w.partition("=")[2] for w in sys.argv if w.startswith("--callgrind-out-file="))
with open(out + "-01", "w") as file:
    file.write({costs!r}.format(loop=900 * packets // burst, patch=40 * packets))
os.execv("/usr/bin/env", ["env", *sys.argv[at + 1 :]])
"""


@pytest.fixture
def folder(short_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with programs that stand in for VPP, vppctl and valgrind."""
    costs = COSTS % (HOOK_FUNCTION, HOOK_FUNCTION)
    texts = {name: (STAND_INS / f"{name}.py").read_text() for name in ("vpp", "vppctl")}
    texts = {name: f"#!{sys.executable} -IS\n{text}" for name, text in texts.items()}
    texts["valgrind"] = VALGRIND.format(python=sys.executable, costs=costs)
    for name, text in texts.items():
        file = short_folder / name
        file.write_text(text)
        file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{short_folder}:{os.environ['PATH']}")
    monkeypatch.setattr(window_run, "meter_library", lambda kind: short_folder / "none.so")
    return short_folder


def says(folder: Path, *, went: int = 90_000, bursts_are: float = 1.0) -> None:
    """What the stand-ins reply: packets that came out; bursts are so many times as large."""
    interfaces = (
        "Name Idx State MTU Counter Count\n"
        f"pg0 1 up 9000/0/0/0 rx packets 90000\npg1 2 up 9000/0/0/0 tx packets {went}"
    )
    replies = {
        "show hardware-interfaces pg0": "pg0 1 up pg0\n  Ethernet address 02:fe:01:02:03:04",
        "show interface": interfaces,
        "create packet-generator interface pg0": "pg0",
        "create packet-generator interface pg1": "pg1",
    }
    (folder / "vpp.json").write_text(json.dumps({"replies": replies, "bursts": bursts_are}))


def patch(scenario: Make) -> Scenario:
    """VPP with a graph that needs no table."""
    return scenario({"dataplane.kind": "vpp", "dataplane.graph": "l2patch"})


def test_turns_of_its_loop_are_counted(scenario: Make, folder: Path) -> None:
    says(folder)
    counts = count_program(patch(scenario), (8, 32), packets=8000)
    assert counts.stages["forward"].per_packet == 40
    assert counts.stages["dispatch"].per_burst == pytest.approx(900)
    assert counts.total.at(32) == pytest.approx(40 + 900 / 32)  # neither source nor timers
    assert [(run.packets, run.burst) for run in counts.runs] == [
        *((8000, 8), (16000, 8)),
        *((8000, 32), (16000, 32)),
    ]
    commands = (folder / "commands").read_text()
    for burst in (8, 32):
        assert f"limit 1000000000000000 maxframe {burst}" in commands
    assert "memif" not in commands


def test_packets_that_do_not_come_out(scenario: Make, folder: Path) -> None:
    says(folder, went=80_000)
    with pytest.raises(RunError, match="only 80,000 of 90,000 packets came out"):
        count_program(patch(scenario), (8, 32))


def test_packets_that_come_in_other_bursts(scenario: Make, folder: Path) -> None:
    says(folder, bursts_are=0.5)
    with pytest.raises(RunError, match=r"in 8192 bursts and not 32768 in bursts of 8"):
        count_program(patch(scenario), (8, 32))


def real(scenario: Make, graph: str, tool: str) -> Scenario:
    """A real VPP with a graph; the test is skipped without it."""
    program = os.environ.get("PLANECAST_TEST_VPP") or shutil.which("vpp")
    if program is None:
        pytest.skip("VPP is not installed")
    if tool and shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    point = {"kind": "vpp", "graph": graph, "program": program}
    point |= {"routes": 256} if graph in ("ip4", "ip6") else {}
    traffic = {"traffic.flows": 256, "traffic.destination_step": "0.0.64.1"}
    return scenario({f"dataplane.{key}": value for key, value in point.items()} | traffic)


@pytest.mark.live
@pytest.mark.slow
@pytest.mark.parametrize("graph", GRAPHS)
def test_a_real_one(scenario: Make, graph: str) -> None:
    asked = real(scenario, graph, "valgrind")
    first, again = (count_program(asked, (8, 32)) for _ in range(2))
    for name, stage in first.stages.items():
        assert again.stages[name].at(32) == pytest.approx(stage.at(32), rel=2e-3), name
    inner = {"l2xc": {"parse", "forward"}, "l2patch": {"forward"}}
    inner |= {"l2bridge": {"parse", "learn", "forward"}}
    routed = {"parse", "check", "next_hop", "rewrite"}
    assert set(first.stages) == {*inner.get(graph, routed), "tx", "dispatch"}
    assert first.other.at(32) == 0


@pytest.mark.live
@pytest.mark.slow
def test_a_trace_has_the_instructions_that_were_counted(scenario: Make) -> None:
    """Its processes are coroutines: a longjmp leads back into the main loop."""
    asked = real(scenario, "ip4", "valgrind")
    counts = count_program(asked, (8, 32), source=True)
    try:
        traced = trace_once(asked, 16384)
    except MissingError as missing:
        pytest.skip(str(missing))
    for name in set(counts.stages) - {"dispatch"}:
        found = traced.stages[name].instructions_per_packet
        assert found == pytest.approx(counts.stages[name].at(32), rel=0.01), name
    assert traced.stages["next_hop"].loads.references_per_packet > 5


@pytest.mark.live
@pytest.mark.slow
def test_bursts_and_traffic_change_within_a_process(scenario: Make) -> None:
    asked = real(scenario, "l2xc", "")
    with MeteredDataplane(MeteredConfig.of(asked)) as running:
        for point in ({}, {"placement.burst": 8}, {"traffic.frame_bytes": 512}):
            trial = Trial(
                windows=4, packets=2048, warmup=4096, scenario=with_overrides(asked, point)
            )
            (lcore,) = running.trial(trial).lcores
            assert sum(lcore.windows.packets) >= 4 * 2048
            assert min(lcore.windows.cycles) > 2048
            stages = lcore.windows.stage_cycles
            assert set(stages) == {"source", "parse", "forward", "tx"}
            assert sum(column[0] for column in stages.values()) == pytest.approx(
                lcore.windows.cycles[0], rel=0.05
            )
