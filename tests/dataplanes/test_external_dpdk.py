"""testpmd and l3fwd as they are: started, measured, stopped, and nothing left behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from tests.programs import wait_until

from planecast.dataplanes.dpdk_program import DpdkProgram
from planecast.dataplanes.external_dpdk import ExternalDpdk, ExternalDpdkPlan
from planecast.dataplanes.l3fwd import plan_l3fwd, write_rules
from planecast.dataplanes.memory import Pages
from planecast.dataplanes.meter import meter_library
from planecast.dataplanes.polls import BURST, PROCESSING, RX, TX, Polls
from planecast.dataplanes.testpmd import Mode, plan_testpmd
from planecast.errors import MissingError, PlanecastError, RunError
from planecast.instruments.dpdk_telemetry import ask

ROOT = Path(__file__).parents[2]
L3FWD = ROOT / "build" / "peers" / "l3fwd"
NULL = "net_null0,size=64,copy=0"
CPU = max(os.sched_getaffinity(0))
ACROSS_PAGES = 0x20
"""RTE_MEMPOOL_F_NO_IOVA_CONTIG: objects of a pool may lie across pages, so side by side."""


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Temporary files of a test are its own, so that what is left can be seen."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.fixture
def _testpmd_is_here() -> None:
    if shutil.which("dpdk-testpmd") is None:
        pytest.skip("dpdk-testpmd is not installed (apt-get install dpdk-dev)")
    try:
        meter_library()
    except MissingError as missing:
        pytest.skip(str(missing))


def _leftovers(tmp_path: Path) -> set[str]:
    shared = {str(path) for path in Path("/dev/shm").glob("*rte*")}
    return shared | {str(path) for path in tmp_path.glob("planecast-*")}


@pytest.mark.usefixtures("_testpmd_is_here")
@pytest.mark.parametrize("mode", ["io", "macswap", "txonly"])
def test_testpmd_is_measured(mode: Mode, tmp_path: Path) -> None:
    before = _leftovers(tmp_path)
    with ExternalDpdk(plan_testpmd(mode, [NULL], cpus=[CPU])) as program:
        found = program.trial(windows=8, packets=2048, warmup=1024)
        counted = program.observe()
        assert found.cpu == CPU
        assert found.windows.count == 8
        assert all(2048 <= packets < 2048 + 32 for packets in found.windows.packets)
        assert all(
            cycles > packets
            for cycles, packets in zip(found.windows.cycles, found.windows.packets, strict=True)
        )
        assert all(min(pair) > 1 for pair in found.windows.canary_compute)
        assert counted.tx_packets >= 8 * 2048
        pid = program.pid
    assert not Path(f"/proc/{pid}").exists()
    assert _leftovers(tmp_path) == before


@pytest.mark.usefixtures("_testpmd_is_here")
def test_it_sleeps_between_trials_and_runs_when_released() -> None:
    with ExternalDpdk(plan_testpmd("io", [NULL], cpus=[CPU])) as program:
        first = program.observe().rx_packets
        time.sleep(0.1)
        assert program.observe().rx_packets == first
        program.release()
        until = time.monotonic() + 60
        while program.observe().rx_packets == first:
            assert time.monotonic() < until, "it does not run"
            time.sleep(0.01)


@pytest.mark.usefixtures("_testpmd_is_here")
def test_polls_are_counted_while_it_forwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", None)  # a socket's path is short
    with DpdkProgram(plan_testpmd("io", [NULL], cpus=[CPU]), ports=1) as program:
        program.begin_opinion()
        time.sleep(0.05)
        found = program.opinion()
        assert found[BURST].value == 32  # that port always has packets
        assert 1 < found[PROCESSING].value < 1000
        assert found[BURST].samples > 32
        inner = found[RX].value + found[TX].value
        assert 0 < inner < found[PROCESSING].value
        assert program.opinion() == {}  # nothing is counted any more
        program.begin_opinion()
        assert program.opinion().keys() <= found.keys()


def test_polls_that_found_nothing_say_nothing() -> None:
    none = Polls(
        packets=0,
        polls=0,
        empty_polls=9,
        busy_cycles=0,
        rx_cycles=0,
        tx_cycles=0,
        empty_cycles=900,
        away_polls=0,
    )
    assert none.opinion() == {}


@pytest.mark.usefixtures("_testpmd_is_here")
@pytest.mark.parametrize("pages", get_args(Pages))
def test_pages_and_buffers_are_as_asked(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", None)  # a socket's path is short
    enabled = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    if pages == "2MiB" and (not enabled.exists() or "[never]" in enabled.read_text()):
        pytest.skip("transparent huge pages are off")
    plan = plan_testpmd("io", [NULL], cpus=[CPU], pages=pages)
    with ExternalDpdk(replace(plan, telemetry=True)) as program:
        assert program.page_size == ("2MiB" if pages == "2MiB" else "4KiB")
        assert program.telemetry_socket is not None
        (pool,) = ask(program.telemetry_socket, "/mempool/list")[0]
        (info,) = ask(program.telemetry_socket, f"/mempool/info,{pool}")
    assert bool(info["flags"] & ACROSS_PAGES) == (pages != "no-huge")


@pytest.mark.usefixtures("_testpmd_is_here")
def test_packets_that_do_not_come_end_the_trial() -> None:
    with ExternalDpdk(plan_testpmd("io", ["net_null0,no-rx=1"], cpus=[CPU])) as program:
        with pytest.raises(RunError, match=r"0 packets came in 0\.2 s"):
            program.trial(windows=1, packets=32, warmup=0, seconds=0.2)
        assert program.observe().rx_packets == 0  # it lives


@pytest.mark.usefixtures("_testpmd_is_here")
def test_a_peer_that_dies_is_a_sentence(tmp_path: Path) -> None:
    with ExternalDpdk(plan_testpmd("io", [NULL], cpus=[CPU])) as program:
        os.kill(program.pid, signal.SIGKILL)
        with pytest.raises(PlanecastError, match="testpmd: it was ended by SIGKILL"):
            program.trial(windows=1, packets=32, warmup=0)
    assert _leftovers(tmp_path) == set()


@pytest.mark.usefixtures("_testpmd_is_here")
def test_a_port_that_is_none_is_reported(tmp_path: Path) -> None:
    with (
        pytest.raises(PlanecastError, match="net_nothing"),
        ExternalDpdk(plan_testpmd("io", ["net_nothing0"], cpus=[CPU])),
    ):
        pass
    assert _leftovers(tmp_path) == set()


def test_a_program_that_is_not_there() -> None:
    plan = ExternalDpdkPlan("x", "/nowhere/x", 0, "build it", eal=(), arguments=())
    with (
        pytest.raises(MissingError, match="/nowhere/x: x is not installed; build it"),
        ExternalDpdk(plan),
    ):
        pass


STARTS_AND_WAITS = """
import sys, tempfile, time
tempfile.tempdir = sys.argv[1]
from planecast.dataplanes.external_dpdk import ExternalDpdk
from planecast.dataplanes.testpmd import plan_testpmd
with ExternalDpdk(plan_testpmd("io", [sys.argv[2]], cpus=[int(sys.argv[3])])) as program:
    program.release()
    print(program.pid, flush=True)
    time.sleep(60)
"""


@pytest.fixture
def started(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A process of ours that has a program forwarding, and the program's number."""
    command = [sys.executable, "-c", STARTS_AND_WAITS, str(tmp_path), NULL, str(CPU)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    pid = int(process.stdout.readline())
    yield process, pid
    process.kill()
    process.wait()
    process.stdout.close()


@pytest.mark.usefixtures("_testpmd_is_here")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_it_ends_with_us(
    number: signal.Signals, started: tuple[subprocess.Popen[str], int], tmp_path: Path
) -> None:
    process, pid = started
    process.send_signal(number)
    process.wait()
    wait_until(lambda: not Path(f"/proc/{pid}").exists(), "the program had ended")
    # What a killed process leaves is removed by another one, a moment later.
    wait_until(lambda: not _leftovers(tmp_path), f"nothing of {pid} was left in {tmp_path}")


def test_rules_of_l3fwd(tmp_path: Path) -> None:
    write_rules(tmp_path / "rules", ["10.0.0.0/24", "10.1.0.0/16", "11.0.0.0/8"], ports=2)
    text = (tmp_path / "rules").read_text()
    assert text == "R10.0.0.0/24 0\nR10.1.0.0/16 1\nR11.0.0.0/8 0\n"
    assert (tmp_path / "rules.v6").read_text().startswith("R2001:db8::/64")


@pytest.mark.usefixtures("_testpmd_is_here")
def test_l3fwd_is_measured(tmp_path: Path) -> None:
    if not L3FWD.exists():
        pytest.skip("l3fwd is not built (tools/setup.sh bench)")
    write_rules(tmp_path / "rules", ["10.0.0.0/8"], ports=1)
    with ExternalDpdk(plan_l3fwd(L3FWD, [NULL], tmp_path / "rules", cpus=[CPU])) as program:
        found = program.trial(windows=4, packets=2048, warmup=1024)
        assert found.cpu == CPU
        assert found.windows.count == 4
    assert _leftovers(tmp_path) == set()
