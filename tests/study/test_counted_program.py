"""Programs of others: what can't be counted, and live counts of testpmd and Open vSwitch."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planecast.dataplanes.in_memory import program_words
from planecast.errors import InputError, MissingError, PlanecastError, RunError
from planecast.instruments.memory_trace import trace_words
from planecast.native import native_folder
from planecast.scenario import Scenario
from planecast.study.counted_program import check_program, count_program, map_of
from planecast.study.profile import check_countable
from planecast.study.traced_program import trace_scenario

Make = Callable[..., Scenario]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"dataplane.kind": "external"}, "an external data plane is already running"),
        (
            {"dataplane.kind": "vpp", "dataplane.graph": "l2xc"},
            "VPP's ports are its own",
        ),
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


@pytest.mark.live
def test_a_program_that_ends_is_one_sentence(scenario: Make, tools: None) -> None:
    command = "dpdk-testpmd {in_eal} {out_eal} --no-such-option"
    wrong = scenario({"dataplane.kind": "command", "dataplane.command": command})
    with pytest.raises(PlanecastError) as error:
        count_program(wrong, (8, 32), packets=2048)
    assert isinstance(error.value, InputError | RunError)
    assert "\n" not in str(error.value)


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
