"""Data planes of others: what they are started with, what they say, and what is left of them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from planecast.cleanup import note_process, private_folder, started, sweep_leftovers
from planecast.dataplanes.command import CommandProgram, filled_words
from planecast.dataplanes.dpdk_program import L3FWD_PLACES, l3fwd_between
from planecast.dataplanes.dut_factory import Seat, program_of, programs_of, title_of
from planecast.dataplanes.in_memory import program_words
from planecast.dataplanes.link_topology import link_topology_of
from planecast.dataplanes.ovs import ROOTS, OpenVswitch
from planecast.dataplanes.pmd_stats import PmdStats, parse_pmd_stats
from planecast.dataplanes.pmd_stats import opinion_of as pmd_opinion
from planecast.dataplanes.vpp import Vpp
from planecast.errors import InputError, MissingError, PlanecastError, RunError
from planecast.native import peers_folder
from planecast.process import wait_until
from planecast.scenario import Scenario, with_overrides
from planecast.scenario.dataplanes.ovs import Ovs

BASE = Scenario(name="s")
TESTPMD = {"dataplane.kind": "testpmd"}

PMD_STATS = """\
pmd thread numa_id 0 core_id 1:
  packets received: 4096000
  packet recirculations: 0
  avg. datapath passes per packet: 1.00
  phwol hits: 0
  simple match hits: 4000000
  emc hits: 95000
  megaflow hits: 968
  miss with success upcall: 30
  miss with failed upcall: 2
  avg. packets per output batch: 31.50
  idle cycles: 1000000 (0.20%)
  processing cycles: 500000000 (99.80%)
  avg cycles per packet: 122.31 (501000000/4096000)
  avg processing cycles per packet: 122.07 (500000000/4096000)
main thread:
  packets received: 0
  packet recirculations: 0
  avg. datapath passes per packet: 0.00
"""


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Private folders of a test are its own: nobody else's are swept away."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr("planecast.cleanup._runtime_bases", lambda: [tmp_path / "runtime"])


def test_a_chain_is_so_many_programs(tmp_path: Path) -> None:
    chain = with_overrides(BASE, TESTPMD | {"dataplane.chain": 3})
    programs = programs_of(chain, link_topology_of(chain, tmp_path, None), tmp_path, 0)
    assert [program.name for program in programs] == ["testpmd"] * 3
    assert title_of(chain) == "3 times testpmd io in series"


def test_a_switch_comes_before_its_guests(tmp_path: Path) -> None:
    keys = {"dataplane.kind": "ovs", "dataplane.guests": 2, "dataplane.ports": "vhost-user"}
    scenario = with_overrides(BASE, keys)
    programs = programs_of(scenario, link_topology_of(scenario, tmp_path, None), tmp_path, 0)
    assert [program.name for program in programs] == ["Open vSwitch", "testpmd", "testpmd"]
    assert title_of(scenario) == "Open vSwitch and 2 testpmd io behind it over vhost-user"


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"dataplane.kind": "command"}, r"the key dataplane\.command is missing"),
        ({"dataplane.command": "x"}, "does not apply to ours; .* to command"),
        ({"dataplane.kind": "ovs", "dataplane.chain": 2}, "does not apply to ovs"),
        ({"dataplane.guests": 1}, "does not apply to ours; .* to ovs"),
        ({"dataplane.kind": "vpp", "dataplane.ports": "veth"}, "'veth'; allowed is memif"),
        ({"dataplane.ports": "named"}, "name two in dataplane.devices"),
        (
            {"dataplane.ports": "named", "dataplane.devices": "eth1 eth2"},
            "name two in dataplane.generator_devices",
        ),
        (
            {"dataplane.devices": "eth1 eth2"},
            "does not apply to ports memif; .* set ports to named",
        ),
        ({"dataplane.host_planecast": "x"}, "set dataplane.host"),
    ],
)
def test_what_a_scenario_may_not_say(keys: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        with_overrides(BASE, keys)


def test_what_is_there_already_is_not_started(tmp_path: Path) -> None:
    keys = {"dataplane.kind": "external", "generator.kind": "otg", "generator.server": "h:1"}
    scenario = with_overrides(BASE, keys | {"generator.ports": "a b"})
    with pytest.raises(InputError, match="already running"):
        programs_of(scenario, link_topology_of(BASE, tmp_path, None), tmp_path, 0)


def test_a_commands_placeholders(tmp_path: Path) -> None:
    command = "switch --in {in} --out {out} -c {cpu} --main {main_cpu} 'two words' -r {ring}"
    scenario = with_overrides(BASE, {"dataplane.kind": "command", "dataplane.command": command})
    (ports,) = link_topology_of(scenario, tmp_path, None).programs
    words = filled_words(command, ports, 1, 0, tmp_path)
    assert words[2] == str(tmp_path / "link0.sock")
    assert words[5:] == ["-c", "1", "--main", "0", "two words", "-r", "7"]
    with pytest.raises(InputError, match=r"\{cpus\} is not a placeholder"):
        filled_words("x {cpus}", ports, 1, 0, tmp_path)
    with pytest.raises(InputError, match="can't read"):
        filled_words("x 'y", ports, 1, 0, tmp_path)
    for field in ("{in.__class__}", "{in[0]}", "{cpu:d}", "{in!r}", "{0}", "{}"):
        with pytest.raises(InputError, match=rf"^dataplane.command: {re.escape(field)} is not a"):
            filled_words(f"x {field}", ports, 1, 0, tmp_path)
    for nothing in ("", " ", "'' {in}"):
        with pytest.raises(InputError, match="names no program"):
            filled_words(nothing, ports, 1, 0, tmp_path)
    assert filled_words("x {{in}}", ports, 1, 0, tmp_path) == ["x", "{in}"]
    (eal,) = filled_words("{out_eal}", ports, 1, 0, tmp_path)
    assert eal.startswith("--vdev=net_memif1,role=server,")
    (port,) = filled_words("{tcp_port}", ports, 1, 0, tmp_path)
    assert 1024 <= int(port) < 65536


def test_a_command_runs_where_it_was_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So its relative paths are what they are in a shell."""
    private, here = tmp_path / "private", tmp_path / "here"
    private.mkdir()
    here.mkdir()
    (here / "routes.txt").write_text("11.0.0.0/8\n")
    monkeypatch.chdir(here)
    command = "sh -c 'cat routes.txt' {in} {out}"
    scenario = with_overrides(BASE, {"dataplane.kind": "command", "dataplane.command": command})
    (ports,) = link_topology_of(scenario, tmp_path, None).programs
    program = program_of(scenario, ports, Seat((0,), 0, private))
    with program:
        assert isinstance(program, CommandProgram)
        wait_until(
            lambda: "11.0.0.0/8" in program.said(),
            5,
            lambda: None,
            RunError("nothing"),
            said=program.said,
        )
    assert not [path for path in here.iterdir() if path.name != "routes.txt"]


def test_a_program_that_never_is_ready_has_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("planecast.dataplanes.command.READY_TIMEOUT_S", 0.5)
    code = "print('no route', flush=True); import time; time.sleep(60)"
    program = CommandProgram([sys.executable, "-c", code], tmp_path, ready="up")
    with pytest.raises(RunError, match="did not print 'up'") as late, program:
        pass
    assert late.value.said == ("it still ran; it wrote last:", "no route")


@pytest.mark.parametrize(("ports", "loads"), [("{in_eal}", True), ("{in}", False)])
def test_a_dpdk_program_gets_packet_memory_and_offloads_once(
    ports: str, loads: bool, tmp_path: Path
) -> None:
    """Between links from a library; in memory from the meter, which somebody else loads."""
    keys = {"dataplane.kind": "command", "dataplane.command": f"{sys.executable} {ports}"}
    scenario = with_overrides(BASE, keys)
    linked, alone = tmp_path / "linked", tmp_path / "alone"
    linked.mkdir()
    alone.mkdir()
    (program,) = programs_of(scenario, link_topology_of(scenario, linked, None), linked, 0)
    words = program.planned()[0].words
    assert any("planecast-memory.so" in word for word in words) == loads
    assert ("PLANECAST_LAST=1" in words) == loads
    assert not any("planecast-memory" in word for word in program_words(scenario, alone))


def test_a_command_that_says_it_is_up(tmp_path: Path) -> None:
    code = "import time; print('up', flush=True); time.sleep(60)"
    with CommandProgram([sys.executable, "-c", code], tmp_path, ready="up") as program:
        program.check()
        (line,) = (tmp_path / "processes").read_text().splitlines()
        pid = int(line.split()[0])
        assert started(pid) is not None
    assert started(pid) is None
    with pytest.raises(RunError, match="not running"):
        program.check()


def test_what_eal_keeps_is_in_a_folder_of_the_command_s_own(tmp_path: Path) -> None:
    code = "import os, sys; sys.exit(os.environ['RUNTIME_DIRECTORY'])"
    program = CommandProgram([sys.executable, "-c", code], tmp_path, ready="up")
    with pytest.raises(PlanecastError, match=str(tmp_path)), program:
        pass


def test_a_command_that_ends(tmp_path: Path) -> None:
    code = "import sys; sys.exit('cannot do it')"
    program = CommandProgram([sys.executable, "-c", code], tmp_path, ready="up")
    with pytest.raises(PlanecastError, match="cannot do it"), program:
        pass
    with pytest.raises(MissingError, match="no such program"):
        CommandProgram(["no-such-switch"], tmp_path).__enter__()


def test_what_ovs_says_of_itself() -> None:
    found = parse_pmd_stats(PMD_STATS)
    assert found.received == 4096000
    assert found.cycles_per_packet == pytest.approx(122.31)
    assert found.processing_cycles_per_packet == pytest.approx(122.07)
    said = pmd_opinion(found)
    assert said["megaflow look-ups"].value == pytest.approx(968 / 4096000)
    assert said["upcalls"].value == pytest.approx(32 / 4096000)
    assert said["batch"].value == 31.5
    old = pmd_opinion(PmdStats(100, 200.0, 150.0))
    assert list(old) == ["pmd", "pmd processing"]
    with pytest.raises(RunError, match="no thread"):
        parse_pmd_stats("main thread:\n  packets received: 0\n")


def test_own_set_up_is_found_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = Path(__file__).parents[2]
    monkeypatch.chdir(tmp_path)
    assert peers_folder().resolve() == (clone / "build/peers").resolve()
    assert all(place.is_absolute() for place in (*L3FWD_PLACES, *ROOTS))


def test_what_is_not_installed_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ports = link_topology_of(BASE, tmp_path, None).programs[0]
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "own"
    folder.mkdir()
    program = "/no/such/program"
    vpp = with_overrides(
        BASE,
        {"dataplane.kind": "vpp", "dataplane.graph": "l2xc"} | {"dataplane.program": program},
    )
    with (
        pytest.raises(MissingError, match="VPP is not installed"),
        Vpp(vpp, ports, folder, cpu=1, main_cpu=0),
    ):
        pass
    wanted = Ovs(kind="ovs", program=program)
    with (
        pytest.raises(MissingError, match="Open vSwitch"),
        OpenVswitch(ports, folder, cpus=[1], main_cpu=0, wanted=wanted),
    ):
        pass
    monkeypatch.setattr("planecast.dataplanes.dpdk_program.L3FWD_PLACES", (tmp_path / "none",))
    with pytest.raises(MissingError, match=r"tools/setup\.sh bench"):
        l3fwd_between(ports, with_overrides(BASE, {"dataplane.kind": "l3fwd"}), [1], folder)


KILLED = """\
import subprocess, sys, time
from pathlib import Path
from planecast.cleanup import note_process, private_folder
folder = private_folder()
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
note_process(Path(folder.name), child.pid)
(Path(folder.name) / "socket").touch()
print(folder.name, child.pid, flush=True)
time.sleep(60)
"""


def test_the_next_command_cleans_up_after_one_that_was_killed(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", KILLED],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    ) as killed:
        assert killed.stdout is not None
        folder, child = killed.stdout.readline().split()
        assert sweep_leftovers() == []
        assert Path(folder).is_dir()
        killed.send_signal(signal.SIGKILL)
        killed.wait()
    assert sweep_leftovers() == [Path(folder)]
    assert not Path(folder).exists()
    until = time.monotonic() + 30
    while started(int(child)) is not None and time.monotonic() < until:
        time.sleep(0.01)
    assert started(int(child)) is None


def test_a_number_that_was_used_again_is_nobodys_child(tmp_path: Path) -> None:
    """A process with a noted number that began at another time is left alone."""
    folder = tmp_path / "planecast-4194303-1-x"
    folder.mkdir()
    (folder / "processes").write_text(f"{os.getpid()} 1\n")
    (tmp_path / "planecast-of-somebody").mkdir()
    assert sweep_leftovers() == [folder]
    assert (tmp_path / "planecast-of-somebody").is_dir()
    with private_folder() as own:
        note_process(Path(own), os.getpid())
        assert sweep_leftovers() == []


def test_shared_memory_of_a_command_that_was_killed_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "shm"
    shared.mkdir()
    monkeypatch.setattr("planecast.cleanup._SHARED", shared)
    own = f"planecast-{os.getpid()}-{started(os.getpid())}-x-vpe-api"
    for name in ("planecast-4194303-1-x-vpe-api", own, "planecast-of-somebody"):
        (shared / name).touch()
    assert sweep_leftovers() == [shared / "planecast-4194303-1-x-vpe-api"]
    assert {path.name for path in shared.iterdir()} == {own, "planecast-of-somebody"}


def test_what_a_program_that_was_killed_left_is_removed(tmp_path: Path) -> None:
    """DPDK's own folder, of a program of ours that a person had started by hand."""
    with subprocess.Popen(["true"]) as gone:
        pass
    for name in (f"planecast-{gone.pid}", f"planecast-{os.getpid()}", "rte", "planecast-x"):
        (tmp_path / "runtime" / name).mkdir(parents=True)
        (tmp_path / "runtime" / name / "dpdk_telemetry.v2").touch()
    assert sweep_leftovers() == [tmp_path / "runtime" / f"planecast-{gone.pid}"]
    left = {path.name for path in (tmp_path / "runtime").iterdir()}
    assert left == {f"planecast-{os.getpid()}", "rte", "planecast-x"}


def test_the_first_private_folder_looks_for_leftovers(tmp_path: Path) -> None:
    left = tmp_path / "planecast-4194303-1-x"
    left.mkdir()
    with private_folder():
        assert not left.exists()


def test_a_path_too_long_for_sockets_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rooms = tmp_path / ("long" * 20)
    rooms.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(rooms))
    with pytest.raises(InputError, match="too long for sockets in it; set TMPDIR"):
        private_folder(for_sockets=True)
    assert list(rooms.iterdir()) == []
