"""``planecast profile``: instructions by stage, made up and for real."""

from __future__ import annotations

import csv
import os
import shlex
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run
from tests.dataplanes.conftest import Fake

from planecast.dataplanes.link_topology import guests_of
from planecast.errors import MissingError
from planecast.instruments.memory_trace import trace_words
from planecast.native import native_folder
from planecast.scenario import load_scenario
from planecast.study.instructions import PACKETS
from planecast.study.profile import Profile

OneRun = Callable[[], Path]

STEPPED = ("--instrument", "singlestep")


def test_help(run: Run) -> None:
    answer = run("profile", "--help")
    assert answer.code == 0
    assert "Usage: planecast profile [OPTIONS] {SCENARIO}" in answer.out
    assert "callgrind" in answer.out


def test_stages_and_other_add_up_to_the_total(
    run: Run, small: Path, machine: Fake, one_run: OneRun
) -> None:
    answer = run("profile", small, *STEPPED, "--format", "csv")
    assert answer.code == 0, answer.err
    rows = {row["stage"]: row for row in csv.DictReader(answer.out.splitlines())}
    assert list(rows) == [
        *("source", "acl", "key", "classify", "actions", "route", "tx", "other", "total")
    ]
    each = [float(row["instructions_per_packet"]) for row in rows.values()]
    assert sum(each[:-1]) == pytest.approx(each[-1])
    assert float(rows["classify"]["instructions_per_packet"]) == 90 + 100 / 32
    assert float(rows["total"]["share_percent"]) == 100
    assert {path.name for path in one_run().iterdir()} == {"profile.json"}


def test_a_table(run: Run, small: Path, machine: Fake) -> None:
    answer = run("profile", small, *STEPPED, "--set", "workload.stages=none")
    assert answer.code == 0, answer.err
    assert "in bursts of 32; counted by singlestep (native: all that this CPU has)" in answer.out
    assert "acl" not in answer.out


def test_answers_for_machines(run: Run, small: Path, machine: Fake, tmp_path: Path) -> None:
    answer = run("profile", small, *STEPPED, "-o", "out.json")
    assert (answer.code, answer.out) == (0, ""), answer.err
    found = Profile.model_validate_json((tmp_path / "out.json").read_text())
    assert found.counts[0].instrument == "singlestep"
    assert found.scenario.name == "small"


def test_a_dry_run_prints_the_commands(
    run: Run, small: Path, machine: Fake, tmp_path: Path
) -> None:
    answer = run("profile", small, *STEPPED, "--dry-run")
    assert answer.code == 0, answer.err
    words = answer.out.split()
    assert words[0] == str(machine.folder / "planecast-singlestep")
    assert words[-4:] == ["--packets", "64", "--instrument", "stop"]
    assert machine.log() == []
    assert not (tmp_path / "runs").exists()
    assert list((tmp_path / "rooms").iterdir()) == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--instrument", "guess"], "invalid value for '--instrument'"),
        (["--set", "traffic.flows=lots"], "got 'lots', which is not a whole number"),
        (["--set", "placement.cpus=1023"], "there is no CPU 1023 on this machine"),
        (["--set", "placment.burst=8"], "unknown key placment.burst; did you mean placement"),
    ],
)
def test_mistakes_are_sentences(
    run: Run, small: Path, machine: Fake, *, words: list[str], sentence: str
) -> None:
    answer = run("profile", small, *STEPPED, *words)
    assert (answer.code, answer.out) == (2, "")
    assert sentence in answer.err


def test_a_machine_without_the_programs(
    run: Run, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLANECAST_NATIVE", str(tmp_path))
    for words in (STEPPED, ("--instrument", "callgrind"), (*STEPPED, "--dry-run")):
        answer = run("profile", small, *words)
        assert (answer.code, answer.out) == (3, "")
        assert "is not built; install libdpdk-dev" in answer.err


def test_a_program_that_fails_is_one_sentence(
    run: Run, small: Path, machine: Fake, one_run: OneRun
) -> None:
    program = machine.folder / "planecast-singlestep"
    program.write_text("#!/bin/sh\necho 'planecast-singlestep: it can not' >&2\nexit 1\n")
    answer = run("profile", small, *STEPPED)
    assert (answer.code, answer.out) == (1, "")
    assert "it can not" in answer.err
    assert answer.err.count("\n") == 1
    assert "it can not" in (one_run() / "failed").read_text()


REPOSITORY = Path(__file__).parents[3]
SCENARIOS = sorted(
    [*(REPOSITORY / "scenarios").glob("*.yaml"), *(REPOSITORY / "examples").glob("*/scenario.yaml")]
)
PROGRAMS = {
    "testpmd": "dpdk-testpmd",
    "l3fwd": "l3fwd",
    "ovs": "ovs-vswitchd-dpdk",
    "vpp": "vpp",
}


def test_there_are_scenarios_of_every_kind_that_is_counted() -> None:
    kinds = {load_scenario(file).dataplane.kind for file in SCENARIOS}
    assert kinds >= {"ours", "command", *PROGRAMS}


@pytest.fixture
def programs(machine: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine on which every program and tool is there: none of them does anything."""
    folder = tmp_path / "there"
    of_ovs = folder / "usr/lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk"
    schema = folder / "usr/share/openvswitch/vswitch.ovsschema"
    tools = ("valgrind", "qemu-x86_64", "ovsdb-server", "ovs-vsctl", "vpp", "dpdk-testpmd", "l3fwd")
    files = [*(folder / "bin" / name for name in tools), of_ovs, schema]
    files += [folder / "usr/sbin" / "ovsdb-server", folder / "usr/bin" / "ovsdb-tool"]
    files += [tmp_path / "examples/forwarder/forwarder", machine.folder / "planecast-dataplane-v3"]
    files += [machine.folder / name for name in ("planecast-meter.so", "planecast-trace.so")]
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("#!/bin/sh\nexit 1\n")
        file.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder / "bin"))
    monkeypatch.setattr("planecast.dataplanes.ovs.ROOTS", (folder,))
    monkeypatch.setattr("planecast.dataplanes.dpdk_program.L3FWD_PLACES", (folder / "bin/l3fwd",))
    return folder


def planned_program(words: Sequence[str]) -> str:
    """The program in a command that has tools before it."""
    tools = ("valgrind", "qemu-x86_64", "env", "planecast-singlestep")
    paths = [Path(word) for word in words if "/" in word and "=" not in word]
    return next(path.name for path in paths if path.name not in tools and path.suffix != ".so")


@pytest.mark.parametrize("memory", [False, True], ids=["counted", "traced"])
@pytest.mark.parametrize("file", SCENARIOS, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_never_another_program_than_the_scenarios(
    run: Run, programs: Path, file: Path, *, memory: bool
) -> None:
    scenario = load_scenario(file)
    wanted = scenario.dataplane
    own = ("--memory",) if memory else ()
    answer = run("profile", file, "--dry-run", *own)
    if wanted.programs > 1 or guests_of(scenario):
        assert (answer.code, answer.out) == (2, "")
        assert f"this can't be {'traced' if memory else 'counted'}: " in answer.err
        return
    assert answer.code == 0, answer.err
    if wanted.kind == "command":
        program = Path(shlex.split(wanted.command)[0]).name
    else:
        program = PROGRAMS.get(wanted.kind, "planecast-dataplane-v3")
    assert planned_program(shlex.split(answer.out)) == program


@pytest.mark.parametrize("words", [STEPPED, ("--instrument", "both"), ("--touches",)], ids=str)
@pytest.mark.parametrize("file", SCENARIOS, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_what_counts_ours_alone_is_refused_for_others(
    run: Run, programs: Path, file: Path, *, words: tuple[str, ...]
) -> None:
    answer = run("profile", file, *words, "--dry-run")
    if load_scenario(file).dataplane.kind == "ours":
        assert answer.code == 0, answer.err
        assert all("/planecast-dataplane" in line for line in answer.out.splitlines())
    else:
        assert (answer.code, answer.out) == (2, "")


@pytest.mark.parametrize("memory", [False, True], ids=["counted", "traced"])
def test_of_several_lcores_one_would_be_counted(run: Run, programs: Path, *, memory: bool) -> None:
    own = ("--memory",) if memory else ()
    file = REPOSITORY / "scenarios" / "l3fwd.yaml"
    answer = run("profile", file, "--dry-run", "--set", "placement.lcores=2", *own)
    assert (answer.code, answer.out) == (2, "")
    assert "placement.lcores: 2 lcores are to forward" in answer.err


def test_a_trace_that_can_not_be(
    run: Run, small: Path, bare: Path, machine: Fake, tmp_path: Path
) -> None:
    answer = run("profile", bare, "--memory", "--set", "dataplane.kind=external")
    assert (answer.code, answer.out) == (2, "")
    assert "dataplane.kind: this can't be traced: an external data plane is" in answer.err
    answer = run("profile", small, "--memory", "--by", "function")
    assert (answer.code, answer.out) == (2, "")
    assert "--by: a trace has no other instrument, touches or functions; leave it" in answer.err


@pytest.mark.live
@pytest.mark.slow
def test_a_trace_of_ours_for_real(
    run: Run, small: Path, real: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PACKETS, "callgrind", 2048)
    monkeypatch.setattr("planecast.study.traced_program.PACKETS", 2048)
    try:
        trace_words(tmp_path, {})
    except MissingError as error:
        pytest.skip(str(error))
    size = ("--set", "traffic.flows=256", "--set", "workload.flows=256", "--memory")
    found = run("profile", small, *size, "--format", "json").json()
    assert list(found["stages"]) == [
        *("source", "acl", "key", "classify", "actions", "route", "tx", "other")
    ]
    counted = profiled(run, small, *size[:-1])["counts"][0]["stages"]
    for name in ("key", "actions", "route"):
        instructions = found["stages"][name]["instructions_per_packet"]
        assert instructions == pytest.approx(counted[name]["counted"][-1]["per_packet"], rel=0.02)


@pytest.fixture
def real() -> None:
    """The compiled programs, or the test is skipped."""
    for name in ("planecast-dataplane", "planecast-dataplane-v3", "planecast-singlestep"):
        if not os.access(native_folder() / name, os.X_OK):
            pytest.skip(f"{name} is not built")


def profiled(run: Run, small: Path, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = run("profile", small, *words, "--format", "json").json()
    return found


@pytest.mark.live
@pytest.mark.slow
def test_both_instruments_for_real(
    run: Run, small: Path, real: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is not installed")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setitem(PACKETS, "callgrind", 2048)
    found = profiled(run, small, "--instrument", "both", "--touches")
    valgrind, native = found["counts"]
    assert (valgrind["instrument"], native["instrument"]) == ("callgrind", "singlestep")
    assert set(valgrind["stages"]) == set(native["stages"]) > {"source", "acl", "tx"}
    assert set(found["touches"]["stages"]) >= {"acl", "classify"}
    for counts in (valgrind, native):
        total = counts["total"]["counted"][-1]["per_packet"]
        stages = sum(stage["counted"][-1]["per_packet"] for stage in counts["stages"].values())
        assert stages + counts["other"]["counted"][-1]["per_packet"] == pytest.approx(total)
    again = profiled(run, small)["counts"][0]
    first = valgrind["total"]["counted"][-1]["per_packet"]
    assert again["total"]["counted"][-1]["per_packet"] == pytest.approx(first, rel=1e-3)
