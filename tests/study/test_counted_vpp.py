"""Counts of VPP: what is asked of it, with programs that stand in for it; and of a real one."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from planecast.errors import InputError, MissingError, RunError
from planecast.instruments.callgrind_switch import CallgrindSwitch
from planecast.scenario import Scenario
from planecast.study import counted_vpp
from planecast.study.counted_program import check_program, count_program
from planecast.study.traced_program import trace_scenario

Make = Callable[..., Scenario]
STAND_INS = Path(__file__).parents[1] / "dataplanes" / "programs"
GRAPHS = ("l2xc", "l2patch", "l2bridge", "ip4", "ip6")
COSTS = """events: Ir
positions: line
ob=(1) /lib/libvlib.so
fn=(1) vlib_main
1 {loop}
cob=(2) /lib/libvnet.so
cfn=(2) pg_input'vlib_main
calls={turns} 0
1 0
ob=(2)
fn=(2)
1 1000
fn=(3) l2_patch_node_fn'vlib_main
1 {patch}
"""
VALGRIND = """#!{python} -IS
import os, sys
at = next(i for i, word in enumerate(sys.argv) if i and not word.startswith("-"))
os.execv(sys.argv[at], sys.argv[at:])
"""
VGDB = """#!{python} -IS
import json, sys
from pathlib import Path
command = sys.argv[3:]
with open({folder!r} + "/asked", "a") as log:
    log.write(" ".join(command) + "\\n")
if command == ["dump"]:
    costs = json.loads(Path({folder!r}, "costs.json").read_text())
    into = Path(sys.argv[1].partition("=")[2]).parent
    (into / "callgrind.out.1-01").write_text(costs.pop(0))
    Path({folder!r}, "costs.json").write_text(json.dumps(costs))
"""


def costs(burst: int, turns: int, patch: int = 40, loop: int = 900) -> str:
    """A dump of so many turns: `patch` instructions a packet, `loop` a turn."""
    return COSTS.format(turns=turns, loop=loop * turns, patch=patch * burst * turns)


@pytest.fixture
def folder(short_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with programs that stand in for VPP, vppctl, valgrind and vgdb."""
    texts = {name: (STAND_INS / f"{name}.py").read_text() for name in ("vpp", "vppctl")}
    texts = {name: f"#!{sys.executable} -IS\n{text}" for name, text in texts.items()}
    texts["valgrind"] = VALGRIND.format(python=sys.executable)
    texts["vgdb"] = VGDB.format(python=sys.executable, folder=str(short_folder))
    for name, text in texts.items():
        file = short_folder / name
        file.write_text(text)
        file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{short_folder}:{os.environ['PATH']}")
    monkeypatch.setattr(counted_vpp, "_COUNTED_S", 0.0)
    return short_folder


def runtime(burst: int) -> str:
    """What VPP reports of itself, in bursts of this many."""
    return (
        "Time 1.0, 10 sec internal node vector rate 8.00 loops/sec 1000.00\n"
        "  vector rates in 9.0000e4, out 9.0000e4, drop 0.0000e0, punt 0.0000e0\n"
        "Name State Calls Vectors Suspends Clocks Vectors/Call\n"
        f"pg-input polling 1000 {1000 * burst} 0 5.00e1 {burst:.2f}"
    )


def says(
    folder: Path,
    dumps: list[str],
    *,
    came: int = 90_000,
    went: int = 90_000,
    bursts: tuple[int, ...] = (8, 32),
) -> None:
    """What the stand-ins reply."""
    interfaces = (
        "Name Idx State MTU Counter Count\n"
        f"pg0 1 up 9000/0/0/0 rx packets {came}\npg1 2 up 9000/0/0/0 tx packets {went}"
    )
    replies = {
        "show hardware-interfaces pg0": "pg0 1 up pg0\n  Ethernet address 02:fe:01:02:03:04",
        "show interface": interfaces,
        "create packet-generator interface pg0": "pg0",
        "create packet-generator interface pg1": "pg1",
    }
    after = {f"maxframe {burst}": {"show runtime": runtime(burst)} for burst in bursts}
    (folder / "vpp.json").write_text(json.dumps({"replies": replies, "after": after}))
    (folder / "costs.json").write_text(json.dumps(dumps))


def patch(scenario: Make) -> Scenario:
    """VPP with a graph that needs no table."""
    return scenario({"dataplane.kind": "vpp", "dataplane.graph": "l2patch"})


def test_turns_of_its_loop_are_counted_while_packets_flow(scenario: Make, folder: Path) -> None:
    says(folder, [costs(8, 1000), costs(32, 2000)])
    counts = count_program(patch(scenario), (8, 32))
    assert counts.stages["forward"].per_packet == 40
    assert counts.stages["dispatch"].per_burst == pytest.approx(900)
    assert counts.total.at(32) == pytest.approx(40 + 900 / 32)
    assert [(run.packets, run.burst) for run in counts.runs] == [(8000, 8), (64000, 32)]
    asked = (folder / "asked").read_text().splitlines()
    assert asked == ["instrumentation on", "instrumentation off", "dump"] * 2
    commands = (folder / "commands").read_text()
    for burst in (8, 32):
        assert f"name bursts-{burst} limit 1000000000000000 maxframe {burst}" in commands
        assert f"packet-generator disable-stream bursts-{burst}" in commands
    assert "memif" not in commands


def test_packets_that_do_not_come_out(scenario: Make, folder: Path) -> None:
    says(folder, [costs(8, 1000)], went=80_000)
    with pytest.raises(RunError, match="only 80,000 of 90,000 packets came out"):
        count_program(patch(scenario), (8, 32))


def test_packets_that_come_in_other_bursts(scenario: Make, folder: Path) -> None:
    says(folder, [costs(8, 1000)])
    (folder / "vpp.json").write_text((folder / "vpp.json").read_text().replace(" 8.00", " 7.20"))
    with pytest.raises(RunError, match=r"packets came 7\.2 at a time, not in bursts of 8"):
        count_program(patch(scenario), (8, 32))


def test_too_few_turns(scenario: Make, folder: Path) -> None:
    says(folder, [costs(8, 3)])
    with pytest.raises(RunError, match="3 bursts were counted in 0 s, too few"):
        count_program(patch(scenario), (8, 32))


def test_a_program_that_valgrind_does_not_reach(folder: Path) -> None:
    (folder / "vgdb").write_text("#!/bin/sh\necho 'no such process' >&2\nexit 1\n")
    with pytest.raises(RunError, match="no such process"):
        CallgrindSwitch(folder).on(1)


def test_no_vgdb(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingError, match="vgdb is not installed"):
        CallgrindSwitch(tmp_path)


def test_it_is_counted_and_not_traced(scenario: Make) -> None:
    check_program(patch(scenario))
    with pytest.raises(InputError, match="this can't be traced: VPP's ports are its own"):
        trace_scenario(patch(scenario))


@pytest.mark.live
@pytest.mark.slow
@pytest.mark.parametrize("graph", GRAPHS)
def test_a_real_one(scenario: Make, graph: str) -> None:
    program = os.environ.get("PLANECAST_TEST_VPP") or shutil.which("vpp")
    if program is None:
        pytest.skip("VPP is not installed")
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is not installed")
    point = {"kind": "vpp", "graph": graph, "program": program}
    point |= {"routes": 256} if graph in ("ip4", "ip6") else {}
    traffic = {"traffic.flows": 256, "traffic.destination_step": "0.0.64.1"}
    asked = scenario({f"dataplane.{key}": value for key, value in point.items()} | traffic)
    first, again = (count_program(asked, (8, 32)) for _ in range(2))
    for name, stage in first.stages.items():
        assert again.stages[name].at(32) == pytest.approx(stage.at(32), rel=2e-3), name
    inner = {"l2xc": {"parse", "forward"}, "l2patch": {"forward"}}
    inner |= {"l2bridge": {"parse", "learn", "forward"}}
    routed = {"parse", "check", "next_hop", "rewrite"}
    assert set(first.stages) == {*inner.get(graph, routed), "tx", "dispatch"}
    assert first.other.at(32) == 0
