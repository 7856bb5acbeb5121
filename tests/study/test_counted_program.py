"""Programs of others: what can't be counted, and live counts of testpmd and Open vSwitch."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from planecast.dataplanes.in_memory import program_words
from planecast.errors import InputError, MissingError, PlanecastError, RunError
from planecast.instruments.elf import Elf
from planecast.instruments.memory_trace import trace_words
from planecast.native import native_folder
from planecast.scenario import Scenario
from planecast.study import counted_program
from planecast.study.counted_program import (
    check_program,
    count_program,
    map_of,
    unmapped,
    unnamed,
)
from planecast.study.profile import check_countable
from planecast.study.traced_program import trace_scenario
from planecast.workload.counts import InstructionCounts

Make = Callable[..., Scenario]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"dataplane.kind": "external"}, "an external data plane is already running"),
        ({"dataplane.kind": "testpmd", "dataplane.host": "far"}, "it runs on far"),
        ({"dataplane.kind": "testpmd", "dataplane.chain": 2}, "they are several programs"),
        ({"dataplane.kind": "ovs", "dataplane.guests": 1}, "it is one program of several"),
        (
            {"dataplane.kind": "command", "dataplane.command": "forward {in} {out}"},
            "does not take its ports as {in_eal} and {out_eal}",
        ),
        (
            {"dataplane.kind": "testpmd", "traffic.frame_mix": "imix"},
            "frames of one size are counted",
        ),
    ],
)
def test_refused_with_the_reason(scenario: Make, changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError) as error:
        check_program(scenario(changes))
    assert reason in str(error.value)


def test_several_lcores_are_refused(scenario: Make) -> None:
    changes = {"dataplane.kind": "l3fwd", "placement.cpus": "0-1"}
    with pytest.raises(InputError, match="2 lcores are to forward, but the thread"):
        check_program(scenario(changes))


class Build(NamedTuple):
    """What is asked of a program's file."""

    stripped: bool
    build_id: str | None


def test_a_stripped_build_that_the_map_does_not_name_is_said(
    scenario: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    switch = scenario({"dataplane.kind": "ovs"})
    known = map_of(switch).symbols[0].build_id
    for build, said in (
        (Build(True, known), False),
        (Build(False, "other"), False),
        (Build(True, "0123"), True),
        (Build(True, None), True),
    ):
        monkeypatch.setattr(counted_program, "_program_of", lambda _, build=build: build)
        notes = unnamed(switch)
        assert bool(notes) == said, build
        if build.build_id == "0123":
            assert "has no names for its build (0123)" in notes[0]
    assert unnamed(scenario({"dataplane.kind": "testpmd"})) == ()


def test_much_that_is_in_no_stage_is_said() -> None:
    assert unmapped(0.2, "ovs") == ()
    assert "21 % of the instructions are in no stage of the map ovs" in unmapped(0.21, "ovs")[0]


def test_refused_instruments(scenario: Make) -> None:
    testpmd = scenario({"dataplane.kind": "testpmd"})
    with pytest.raises(InputError, match="singlestep steps planecast's own data plane alone"):
        check_countable(testpmd, ("callgrind", "singlestep"))
    with pytest.raises(InputError, match="take --memory"):
        check_countable(testpmd, touches=True)
    check_countable(scenario({}), ("singlestep",), touches=True)


def test_maps(scenario: Make, tmp_path: Path) -> None:
    command = {"dataplane.kind": "command", "dataplane.command": "mine {in_eal} {out_eal}"}
    assert map_of(scenario({"dataplane.kind": "ovs"})).name == "ovs"
    assert map_of(scenario(command)).fallback == "object"
    own = tmp_path / "map.yaml"
    own.write_text("name: mine\nsource: me\nstages: [rx]\nrules: [{stage: rx, within: [count_rx]}]")
    assert map_of(scenario(command | {"dataplane.stage_map": str(own)})).name == "mine"


@pytest.fixture
def tools() -> None:
    """What counts and what is counted, or the test is skipped."""
    for program in ("valgrind", "dpdk-testpmd"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    if not os.access(native_folder() / "planecast-meter.so", os.R_OK):
        pytest.skip("planecast-meter.so is not built")


def counted(found: Scenario) -> tuple[float, dict[str, float]]:
    counts = count_program(found, (8, 32), packets=2048)
    return counts.total.at(32), {name: part.at(32) for name, part in counts.stages.items()}


@pytest.mark.live
def test_testpmd_for_real(scenario: Make, tools: None) -> None:
    changes = {"dataplane.kind": "testpmd", "traffic.flows": 64}
    total, stages = counted(scenario(changes))
    again, _ = counted(scenario(changes))
    assert again == pytest.approx(total, rel=1e-3)
    assert list(stages) == ["rx", "forward", "tx"]
    assert sum(stages.values()) == pytest.approx(total, rel=1e-3)
    swapped, more = counted(scenario(changes | {"dataplane.mode": "macswap"}))
    # Ports cost the same, whatever is done between them.
    assert (more["rx"], more["tx"]) == pytest.approx((stages["rx"], stages["tx"]), rel=1e-3)
    assert swapped - total == pytest.approx(more["forward"] - stages["forward"], rel=1e-3)
    assert more["forward"] > 2 * stages["forward"]


@pytest.mark.live
@pytest.mark.slow
def test_open_vswitch_for_real(scenario: Make, tools: None) -> None:
    switch = scenario({"dataplane.kind": "ovs", "traffic.flows": 64})
    try:
        program_words(switch, Path())
    except MissingError as error:
        pytest.skip(str(error))
    total, stages = counted(switch)
    assert {"poll", "rx", "parse", "classify", "actions", "tx"} <= set(stages)
    assert sum(stages.values()) == pytest.approx(total, rel=0.02)


TESTPMD = (
    "dpdk-testpmd --lcores 0@0,1@0 --main-lcore 0 --no-huge --no-pci -m 256 {in_eal} {out_eal}"
)
OPTIONS = "--nb-cores=1 --total-num-mbufs=8192 --no-flush-rx --auto-start --no-mlockall"


@pytest.mark.live
def test_a_command_that_drops_all_is_refused(scenario: Make, tools: None) -> None:
    command = f"{TESTPMD} -- {OPTIONS} --forward-mode=rxonly"
    drops = scenario({"dataplane.kind": "command", "dataplane.command": command})
    with pytest.raises(RunError, match=r"only 0 of [\d,]+ packets came out"):
        count_program(drops, (8, 32), packets=2048)


@pytest.mark.live
def test_a_stripped_command_is_counted_by_object(scenario: Make, tools: None) -> None:
    """Debian's testpmd has no symbols; it sends back by the port that packets came from."""
    command = f"{TESTPMD} -- {OPTIONS} --forward-mode=io --port-topology=loop"
    asked = scenario({"dataplane.kind": "command", "dataplane.command": command})
    program = Path(program_words(asked, Path())[0])
    assert Elf(program).stripped
    counts = count_program(asked, (8, 32), packets=2048)
    stages = {name: part.at(32) for name, part in counts.stages.items()}
    assert stages["dpdk-testpmd"] > 0
    assert stages["rx"] > 0
    assert sum(stages.values()) == pytest.approx(counts.total.at(32), rel=1e-3)
    assert counts.notes == ()
    again = count_program(asked, (8, 32), packets=2048)
    assert again.total.at(32) == pytest.approx(counts.total.at(32), rel=1e-3)


def _differ(first: InstructionCounts, second: InstructionCounts) -> set[str]:
    """Stages that two counts have a thousandth of the packet apart."""
    return {
        name
        for name, part in first.stages.items()
        if abs(second.part(name).at(32) - part.at(32)) > 1e-3 * first.total.at(32)
    }


@pytest.mark.live
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["l3fwd", "ovs"])
def test_two_counts_agree(scenario: Make, tools: None, kind: str, tmp_path: Path) -> None:
    asked = scenario({"dataplane.kind": kind, "traffic.flows": 64})
    try:
        program_words(asked, tmp_path)
    except MissingError as error:
        pytest.skip(str(error))
    found = [count_program(asked, (8, 32)) for _ in range(2)]
    if kind == "ovs" and _differ(*found) - {"classify"}:
        # What it does when its clock says so (poll) fell into one of them: a third one decides.
        found.append(count_program(asked, (8, 32)))
    agree = [pair for pair in combinations(found, 2) if not _differ(*pair) - {"classify"}]
    assert agree
    first, second = agree[0]
    differ = _differ(first, second)
    if kind == "ovs" and differ:
        # Its hash tables draw their seed at its start: a flow may lie in another slot of a bucket
        # of five, and each slot that is passed takes five instructions.
        slots = abs(second.part("classify").at(32) - first.part("classify").at(32)) / 5
        assert slots == pytest.approx(round(slots), abs=0.1)
    else:
        assert second.total.at(32) == pytest.approx(first.total.at(32), rel=1e-3)
    parts = [part.at(32) for part in first.stages.values()] + [first.other.at(32)]
    assert sum(parts) == pytest.approx(first.total.at(32), rel=1e-6)
    assert first.notes == ()


@pytest.mark.live
def test_a_program_that_ends_is_one_sentence(scenario: Make, tools: None) -> None:
    command = "dpdk-testpmd {in_eal} {out_eal} --no-such-option"
    wrong = scenario({"dataplane.kind": "command", "dataplane.command": command})
    with pytest.raises(PlanecastError) as error:
        count_program(wrong, (8, 32), packets=2048)
    assert isinstance(error.value, InputError | RunError)
    assert "\n" not in str(error.value)


def test_frames_that_no_buffer_holds_are_refused(scenario: Make) -> None:
    """Instead of written over the next one."""
    asked = scenario({"dataplane.kind": "testpmd", "traffic.frame_bytes": 5000})
    with pytest.raises(InputError, match="frames of 5000 bytes are longer than testpmd takes"):
        count_program(asked, (8, 32), packets=2048)


@pytest.mark.live
def test_a_trace_counts_what_callgrind_counts(scenario: Make, tools: None, tmp_path: Path) -> None:
    try:
        trace_words(tmp_path, {})
    except MissingError as error:
        pytest.skip(str(error))
    testpmd = scenario({"dataplane.kind": "testpmd", "traffic.flows": 64})
    total, stages = counted(testpmd)
    traced = trace_scenario(testpmd, packets=4096)
    assert traced.total.instructions_per_packet == pytest.approx(total, rel=0.01)
    for name, instructions in stages.items():
        found = traced.stages[name]
        assert found.instructions_per_packet == pytest.approx(instructions, rel=0.02)
        assert 0 < found.touches.references_per_packet < instructions
